/*
 * state MIB DIRTY PAGES [FORKS]: a program with so many MiB of memory that it has written to, and which
 * then writes to so many of its pages: evenly spread, the same ones each time (PAGES is `same`), or
 * others each time, chosen by the clock (`others`).
 *
 * With FORKS it is a fork server: so many children begin with that memory one after another, write
 * to it and end, and the time of each is printed in nanoseconds, a line each. Else it asks for its
 * parent's id at the point to return to, writes to its memory once, and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static volatile char *memory;
static long pages, dirty;
static int moves;

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void work(void)
{
	unsigned long chosen = moves ? now() * 0x9e3779b97f4a7c15ul >> 32 : 0;
	long each = pages / dirty;

	for (long i = 0; i < dirty; i++)
		memory[(i * each + (chosen + i * 7919) % each * moves) * PAGE]++;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	pages = atol(argv[1]) << 8;
	dirty = atol(argv[2]);
	moves = !strcmp(argv[3], "others");
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || dirty > pages)
		return 1;
	madvise((void *)memory, pages * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	if (argc == 4) {
		syscall(SYS_getppid);
		work();
		_exit(0);
	}
	for (long left = atol(argv[4]); left > 0; left--) {
		long begun = now();
		pid_t child = fork();
		int status;

		if (child == 0) {
			work();
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
			return 1;
		printf("%ld\n", now() - begun);
	}
	return 0;
}
