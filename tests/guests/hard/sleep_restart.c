/* A sleep is stopped and continued: it goes on by restart_syscall, and is not cut short. */
#include "../hard.h"
#include <time.h>

int main(void)
{
	int ends[2], status;
	char byte;
	pid_t child;

	MUST(!pipe(ends));
	child = fork();
	if (child == 0) {
		struct timespec start, now, time = { 0, 300 * 1000 * 1000 };
		long slept;

		clock_gettime(CLOCK_MONOTONIC, &start);
		MUST(write(ends[1], "x", 1) == 1);
		MUST(!syscall(SYS_nanosleep, &time, NULL));
		clock_gettime(CLOCK_MONOTONIC, &now);
		slept = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
		_exit(slept >= 299 ? 0 : 1);
	}
	MUST(read(ends[0], &byte, 1) == 1);
	for (int i = 0; i < 5; i++) {
		MUST(!kill(child, SIGSTOP));
		MUST(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
		MUST(!kill(child, SIGCONT));
	}
	say_end("the sleeper", await(child));
	return 0;
}
