/*
 * mprotect THREADS CALLS own|shared: so many threads that each make so many mprotect(2) calls, which
 * let a page be written and forbid it again, in turn: in memory of their own, or all in the same. Prints how
 * many nanoseconds it took.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096
#define PAGES 64

static long calls;
static pthread_barrier_t begin;

static char *map(void)
{
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memset(memory, 1, PAGES * PAGE);
	return memory;
}

static void *work(void *shared)
{
	char *memory = shared ? shared : map();

	pthread_barrier_wait(&begin);
	for (long i = 0; i < calls; i++) {
		int rights = i % 2 ? PROT_READ | PROT_WRITE : PROT_READ;

		if (mprotect(memory + i / 2 % PAGES * PAGE, PAGE, rights) != 0)
			exit(1);
	}
	return NULL;
}

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int threads = atoi(argv[1]);
	char *shared = strcmp(argv[3], "shared") == 0 ? map() : NULL;
	pthread_t *all = calloc(threads, sizeof *all);
	long begun;

	calls = atol(argv[2]);
	pthread_barrier_init(&begin, NULL, threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, work, shared) != 0)
			return 1;
	pthread_barrier_wait(&begin);
	begun = now();
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	printf("%ld\n", now() - begun);
	return 0;
}
