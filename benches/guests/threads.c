/* threads THREADS CALLS: each thread makes so many system calls that do next to nothing. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;

static void *work(void *unused)
{
	for (long left = calls; left > 0; left--)
		syscall(SYS_getppid);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int threads = atoi(argv[1]);
	calls = atol(argv[2]);
	pthread_t *thread = calloc(threads, sizeof *thread);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL) != 0)
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
