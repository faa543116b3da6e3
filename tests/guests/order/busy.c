/* THREADS ROUNDS: threads that make calls in a row, send signals to each other, take actions, and
 * make short threads and processes. Prints how many getppid there were. */
#include "../hard.h"
#include <stdatomic.h>

#define THREADS_MAX 64

static int threads, rounds;
static _Atomic pid_t tids[THREADS_MAX];
static atomic_long calls;

static void ask(int times)
{
	atomic_fetch_add(&calls, times);
	while (times--)
		getppid();
}

static void handle(int number)
{
	(void)number;
	ask(1);
}

static void *be_short(void *unused)
{
	ask(3);
	return unused;
}

static void make_thread(void)
{
	pthread_t thread;

	MUST(pthread_create(&thread, NULL, be_short, NULL) == 0);
	MUST(pthread_join(thread, NULL) == 0);
}

static void make_process(void)
{
	pid_t child = fork();

	MUST(child >= 0);
	if (child == 0) {
		getppid();
		_exit(0);
	}
	atomic_fetch_add(&calls, 1);
	MUST(await(child) == 0);
}

static void take_action(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };

	MUST(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *work(void *argument)
{
	int index = (intptr_t)argument;

	tids[index] = syscall(SYS_gettid);
	for (int round = 0; round < rounds; round++) {
		pid_t other = tids[(index + round) % threads];

		ask(20);
		/* It may have ended. */
		if (other)
			syscall(SYS_tgkill, getpid(), other, SIGUSR1);
		switch ((index + round) % 8) {
		case 0:
			make_thread();
			break;
		case 4:
			make_process();
			break;
		default:
			take_action();
		}
	}
	return NULL;
}

int main(int count, char **arguments)
{
	pthread_t made[THREADS_MAX];

	MUST(count == 3);
	threads = atoi(arguments[1]);
	rounds = atoi(arguments[2]);
	MUST(threads <= THREADS_MAX);
	take_action();
	for (intptr_t index = 0; index < threads; index++)
		MUST(pthread_create(&made[index], NULL, work, (void *)index) == 0);
	for (int index = 0; index < threads; index++)
		MUST(pthread_join(made[index], NULL) == 0);
	printf("%ld\n", (long)calls);
	return 0;
}
