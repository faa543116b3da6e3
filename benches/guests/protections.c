/*
 * protections ROUNDS: how long 1, 8, 64 and 512 mprotect(2) calls take, which forbid a page to be
 * written and allow it again, in turn: prints NUMBER NANOSECONDS, so many lines of each. Then gives
 * way to others (sched_yield). The memory begins at 0x73000000, and has been written.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define AREA ((char *)0x73000000)
#define PAGE 4096
#define PAGES 64

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void protect(long count)
{
	for (long i = 0; i < count; i++) {
		int rights = i % 2 ? PROT_READ | PROT_WRITE : PROT_READ;

		if (mprotect(AREA + i / 2 % PAGES * PAGE, PAGE, rights) != 0)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	long counts[] = { 1, 8, 64, 512 };

	if (argc != 2)
		return 2;
	if (mmap(AREA, PAGES * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != AREA)
		return 1;
	memset(AREA, 1, PAGES * PAGE);
	for (long left = atol(argv[1]); left > 0; left--)
		for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
			long begun = now();

			protect(counts[i]);
			printf("%ld %ld\n", counts[i], now() - begun);
		}
	sched_yield();
	return 0;
}
