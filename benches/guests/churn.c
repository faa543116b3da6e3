/*
 * churn THREADS: starts threads that loop on a cheap call, while those before them loop already.
 * Prints
 *   start_us  microseconds from before the first start until every thread has made a call
 *   share     calls of the slowest thread during the second after that, divided by the median's
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct worker {
	_Alignas(64) atomic_long calls;
	long before;
	pthread_t thread;
};

static atomic_bool stop;
static sem_t started;

static void *work(void *argument)
{
	struct worker *self = argument;

	syscall(SYS_getppid);
	sem_post(&started);
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		syscall(SYS_getppid);
		atomic_fetch_add_explicit(&self->calls, 1, memory_order_relaxed);
	}
	return NULL;
}

static long microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int ascending(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	int threads = atoi(argv[1]);
	struct worker *worker = aligned_alloc(64, threads * sizeof *worker);
	long *progress = calloc(threads, sizeof *progress);
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	sem_init(&started, 0, 0);

	long begin = microseconds();
	for (int i = 0; i < threads; i++) {
		worker[i].calls = 0;
		if (pthread_create(&worker[i].thread, &small, work, &worker[i]) != 0)
			return 1;
	}
	for (int i = 0; i < threads; i++)
		while (sem_wait(&started) != 0)
			;
	long start = microseconds() - begin;

	for (int i = 0; i < threads; i++)
		worker[i].before = worker[i].calls;
	nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	for (int i = 0; i < threads; i++)
		progress[i] = worker[i].calls - worker[i].before;
	atomic_store(&stop, 1);
	for (int i = 0; i < threads; i++)
		pthread_join(worker[i].thread, NULL);

	qsort(progress, threads, sizeof *progress, ascending);
	long median = progress[threads / 2];
	printf("start_us %ld\n", start);
	printf("share %.3f\n", median ? (double)progress[0] / median : 0.0);
	return 0;
}
