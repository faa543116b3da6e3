/* pthread_cancel of threads that sleep in a call, run in the process, or are about to call. */
#include "../hard.h"

#define THREADS 20

static int ends[2];
static _Atomic int cleaned;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *sleeps(void *unused)
{
	char byte;

	pthread_cleanup_push(clean, NULL);
	while (read(ends[0], &byte, 1) >= 0)
		;
	pthread_cleanup_pop(0);
	return unused;
}

static void *is_busy(void *unused)
{
	pthread_cleanup_push(clean, NULL);
	for (;;) {
		syscall(SYS_getppid);
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	void *result;

	MUST(!pipe(ends));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&threads[i], NULL, i % 2 ? sleeps : is_busy, NULL));
	for (int i = 0; i < THREADS; i++) {
		MUST(!pthread_cancel(threads[i]));
		MUST(!pthread_join(threads[i], &result));
		MUST(result == PTHREAD_CANCELED);
	}
	printf("%d threads cancelled, at most that many cleaned up: %d\n", THREADS, cleaned <= THREADS);
	return 0;
}
