/* A child that ends before its parent goes on, so that the lines come in one order. */
#include "bare.h"
#include <sched.h>
#include <signal.h>

void _start(void)
{
	int status;
	long child = CALL(clone, CLONE_VFORK | SIGCHLD, 0, 0, 0);

	if (child == 0) {
		CALL(getuid, 0, 0, 0, 0);
		CALL(close, -1, 0, 0, 0);
		CALL(exit, 2, 0, 0, 0);
	}
	CALL(wait4, child, &status, 0, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
