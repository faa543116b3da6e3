/*
 * live THREADS CALLS: so many threads that are alive at the same time. Each makes so many system
 * calls; then all wait. Prints "ready" when every call is made, and ends at the end of its input.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;
static pthread_barrier_t all_called;

static void *work(void *unused)
{
	for (long left = calls; left > 0; left--)
		syscall(SYS_getppid);
	pthread_barrier_wait(&all_called);
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int threads = atoi(argv[1]);
	pthread_attr_t small;
	char byte;

	calls = atol(argv[2]);
	pthread_barrier_init(&all_called, NULL, threads + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;
		if (pthread_create(&thread, &small, work, NULL) != 0)
			return 1;
	}
	pthread_barrier_wait(&all_called);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
