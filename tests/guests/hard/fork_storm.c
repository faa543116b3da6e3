/* Forks and execs, one after another, while a timer fires into all that they do. */
#include "../hard.h"
#include <sys/time.h>

static void on_alarm(int number)
{
	int error = errno;

	(void)number;
	syscall(SYS_getuid);
	errno = error;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	int seven = 0;

	if (argc > 1) {
		for (int i = 0; i < 20; i++)
			syscall(SYS_getppid);
		return 7;
	}
	MUST(!sigaction(SIGALRM, &action, NULL));
	MUST(!setitimer(ITIMER_REAL, &often, NULL));
	for (int i = 0; i < 60; i++) {
		pid_t child = fork();

		if (child == 0) {
			for (int j = 0; j < 20; j++)
				syscall(SYS_getppid);
			if (i % 2)
				_exit(7);
			execl("/proc/self/exe", argv[0], "again", NULL);
			_exit(8);
		}
		MUST(child > 0);
		int status = await(child);
		seven += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	MUST(!setitimer(ITIMER_REAL, &never, NULL));
	printf("%d of 60 ended as they should\n", seven);
	printf("count getppid %d\n", 60 * 20 + 30 * 20);
	return 0;
}
