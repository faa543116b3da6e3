/* KILLS SEED: so many children are killed at random moments. Each of their threads makes calls that
 * it numbers, `readahead(-1, number, thread)`, as fast as it can, or after more or less work. */
#include "../hard.h"

#define THREADS 3
/* Threads are numbered from here: other programs make such calls too, but none with such a number. */
#define FIRST 0x5348554e0000

static uint32_t state;

static void *counts(void *argument)
{
	long thread = (long)argument;

	for (long number = 0;; number++) {
		MUST(readahead(-1, number, thread) == -1 && errno == EBADF);
		for (int i = 0; i < thread % 7 * 1000; i++)
			__asm__ volatile("");
	}
	return NULL;
}

int main(int count, char **arguments)
{
	MUST(count == 3);
	state = atoi(arguments[2]);
	for (long i = 0; i < atoi(arguments[1]); i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_t thread;

			for (long j = 1; j <= i % THREADS; j++)
				pthread_create(&thread, NULL, counts, (void *)(FIRST + i * THREADS + j));
			counts((void *)(FIRST + i * THREADS));
		}
		MUST(child > 0);
		usleep(pick(&state, 1200));
		MUST(!kill(child, SIGKILL));
		MUST(WTERMSIG(await(child)) == SIGKILL);
	}
	return 0;
}
