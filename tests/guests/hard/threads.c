/* 600 threads loop on a cheap call until the slowest has made its share: a tracer that serves
 * some threads before others never comes to the end.
 *
 * @musl no
 * @agent no (they would not stop for the tracer, and make tens of millions of calls)
 */
#include "../hard.h"

#define THREADS 600
#define SHARE 40

static _Atomic long made[THREADS];
static _Atomic int done;

static void *loop(void *argument)
{
	_Atomic long *calls = argument;

	do {
		syscall(SYS_getppid);
		++*calls;
	} while (!done);
	return NULL;
}

int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t small;
	long total = 0;
	int slow;

	MUST(!pthread_attr_init(&small));
	MUST(!pthread_attr_setstacksize(&small, 64 << 10));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&threads[i], &small, loop, (void *)&made[i]));
	do {
		slow = 0;
		for (int i = 0; i < THREADS; i++)
			slow += made[i] < SHARE;
		sched_yield();
	} while (slow);
	done = 1;
	for (int i = 0; i < THREADS; i++) {
		MUST(!pthread_join(threads[i], NULL));
		total += made[i];
	}
	printf("%d threads made at least %d calls each\n", THREADS, SHARE);
	printf("count getppid %ld\n", total);
	return 0;
}
