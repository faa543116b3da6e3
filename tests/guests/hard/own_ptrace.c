/* A guest that is a tracer itself. A task has one tracer at a time: under ours the guest's own
 * attempt fails with EPERM, as it would under strace, and the guest must be told so. */
#include "../hard.h"
#include <sys/ptrace.h>

int main(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(errno == EPERM ? 3 : 4);
		raise(SIGSTOP);
		_exit(3);
	}
	MUST(waitpid(child, &status, 0) == child);
	while (WIFSTOPPED(status)) {
		MUST(!ptrace(PTRACE_CONT, child, NULL, NULL));
		MUST(waitpid(child, &status, 0) == child);
	}
	say_end("the child", status);
	return 0;
}
