/* Daemons by double fork, in sessions of their own; the parent only sees their pipe close. */
#include "../hard.h"

int main(void)
{
	char text[64];
	ssize_t length, total = 0;
	int ends[2];

	MUST(!pipe(ends));
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child == 0) {
			MUST(setsid() == getpid());
			if (fork())
				_exit(0);
			close(0);
			close(1);
			syscall(SYS_getpgrp);
			MUST(write(ends[1], "daemon", 6) == 6);
			_exit(0);
		}
		MUST(child > 0);
		MUST(await(child) == 0);
	}
	close(ends[1]);
	while ((length = read(ends[0], text, sizeof text)) > 0)
		total += length;
	printf("the daemons wrote %zd bytes\n", total);
	printf("count getpgrp 10\n");
	return 0;
}
