/* Threads are created and end while others make calls. */
#include "../hard.h"

#define ROUNDS 40
#define THREADS 25
#define CALLS 20

static void *work(void *unused)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			MUST(!pthread_create(&threads[i], NULL, work, NULL));
		for (int i = 0; i < THREADS; i++)
			MUST(!pthread_join(threads[i], NULL));
	}
	printf("%d threads ended\n", ROUNDS * THREADS);
	printf("count getppid %d\n", ROUNDS * THREADS * CALLS);
	return 0;
}
