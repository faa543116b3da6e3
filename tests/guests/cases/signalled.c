/* Signals: one is ignored, one means nothing, the last one kills. */
#include "bare.h"
#include <signal.h>

void _start(void)
{
	unsigned long ignore[4] = { (unsigned long)SIG_IGN };
	long self = CALL(getpid, 0, 0, 0, 0);

	CALL(rt_sigaction, SIGUSR1, ignore, 0, 8);
	CALL(kill, self, SIGUSR1, 0, 0);
	CALL(kill, self, SIGCHLD, 0, 0);
	CALL(kill, self, SIGTERM, 0, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
