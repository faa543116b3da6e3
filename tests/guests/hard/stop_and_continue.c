/* A child stops itself and is stopped; its parent sees it stop, go on, and end. */
#include "../hard.h"

int main(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		raise(SIGSTOP);
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
