/* A child stops itself and is stopped; its parent sees it stop, go on, and end. A thread of it is
 * stopped within a call, by no signal of its own, and the call goes on. */
#include "../hard.h"

static int never[2];

static void *waits(void *unused)
{
	char byte;

	for (int i = 0; i < 10; i++)
		MUST(read(-1, &byte, 1) == -1 && errno == EBADF);
	MUST(read(never[0], &byte, 1) == -1);
	return unused;
}

int main(void)
{
	int status, ends[2];
	char byte = 0;
	pthread_t waiting;
	pid_t child;

	MUST(!pipe(ends) && !pipe(never));
	child = fork();
	if (child == 0) {
		/* In a group of its own, whose parent is of the same session: else the kernel would
		 * take the group for an orphan, and SIGTSTP would not stop it. */
		setpgid(0, 0);
		MUST(!pthread_create(&waiting, NULL, waits, NULL));
		raise(SIGSTOP);
		/* A second stop before the parent has seen it go on would hide that. */
		MUST(read(ends[0], &byte, 1) == 1);
		raise(SIGTSTP);
		for (;;)
			pause();
	}
	for (int i = 0; i < 2; i++) {
		MUST(waitpid(child, &status, WUNTRACED) == child);
		printf("stopped: %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
		kill(child, SIGCONT);
		MUST(waitpid(child, &status, WCONTINUED) == child);
		printf("continued: %d\n", WIFCONTINUED(status));
		MUST(write(ends[1], &byte, 1) == 1);
	}
	for (int i = 0; i < 10; i++) {
		kill(child, SIGSTOP);
		MUST(waitpid(child, &status, WUNTRACED) == child);
		MUST(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
		kill(child, SIGCONT);
		MUST(waitpid(child, &status, WCONTINUED) == child);
	}
	kill(child, SIGSTOP);
	MUST(waitpid(child, &status, WUNTRACED) == child);
	kill(child, SIGKILL);
	say_end("the stopped child", await(child));
	return 0;
}
