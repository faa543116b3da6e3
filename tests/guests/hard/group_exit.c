/* exit_group by a thread while the others are in calls: all end, with that status. */
#include "../hard.h"

static pthread_barrier_t all_run;

static void *busy(void *number)
{
	pthread_barrier_wait(&all_run);
	if ((long)number == 5)
		exit(42);
	for (;;) {
		if ((long)number % 2)
			pause();
		syscall(SYS_getppid);
	}
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_t thread;

			pthread_barrier_init(&all_run, NULL, 9);
			for (long j = 1; j < 9; j++)
				MUST(!pthread_create(&thread, NULL, busy, (void *)j));
			busy((void *)0);
		}
		MUST(WEXITSTATUS(await(child)) == 42);
	}
	printf("20 groups ended\n");
	return 0;
}
