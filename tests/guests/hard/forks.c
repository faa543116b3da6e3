/* 500 children live at the same time; each makes a call and ends. */
#include "../hard.h"

#define CHILDREN 500

int main(void)
{
	int ends[2], sum = 0, status;
	char byte;

	MUST(!pipe(ends));
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0) {
			close(ends[1]);
			syscall(SYS_getppid);
			/* Until the parent closes its end, all are alive. */
			_exit(read(ends[0], &byte, 1) == 0 ? i % 7 : 99);
		}
		MUST(child > 0);
	}
	close(ends[1]);
	for (int i = 0; i < CHILDREN; i++) {
		MUST(wait(&status) > 0);
		sum += WEXITSTATUS(status);
	}
	printf("%d children, their statuses sum up to %d\n", CHILDREN, sum);
	printf("count getppid %d\n", CHILDREN);
	return 0;
}
