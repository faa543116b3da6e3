/* Signals, in sets of 32 and of 64. */
#include "i386.h"

static void guest(void)
{
	long *set = (long *)buffer;

	CALL(sigaction, 10, LONGS(0x1234, 5, 0x14000000, 0x8000000), P(buffer));
	CALL(sigaction, 10, 0, P(buffer));
	CALL(sigaction, 12, LONGS(0, -1, 0x10000000, 0), P(buffer));
	CALL(sigaction, 12, LONGS(1, -1, 0, 0), P(buffer));
	CALL(sigaction, 9, LONGS(-1, 0, 0, 0), BAD);
	CALL(rt_sigaction, 10, LONGS(0x1234, 0x14000000, 0x8000000, 5, 1), P(buffer), 8);
	CALL(rt_sigaction, 10, 0, P(buffer), 8);
	CALL(rt_sigaction, 10, BAD, P(buffer), 8);
	CALL(signal, 10, 1);
	CALL(signal, 10, 0);
	CALL(signal, 10, 0x1234);
	CALL(signal, 10, -1);
	CALL(signal, 99, 1);
	CALL(sigprocmask, 0, LONGS(0x1000), P(buffer));
	CALL(sigprocmask, 1, LONGS(0x1000), P(buffer));
	CALL(sigprocmask, 3, LONGS(-1), P(buffer));
	CALL(sigprocmask, 2, 0, P(buffer));
	CALL(sigprocmask, 2, BAD, P(buffer));
	CALL(rt_sigprocmask, 2, LONGS(0x1000, 0x8000), P(buffer), 8);
	CALL(sigpending, P(buffer));
	CALL(sgetmask);
	CALL(ssetmask, 0x1000);
	CALL(ssetmask, 0);
	CALL(sgetmask);
	CALL(rt_sigpending, P(buffer), 8);
	CALL(sigaltstack, LONGS(P(set), 0, 8192), P(buffer + 100));
	CALL(sigaltstack, 0, P(buffer + 100));
	CALL(rt_sigqueueinfo, -1, 10, LONGS(10, 0, -1, 5, 6, 7));
	CALL(waitpid, -1, P(buffer));
	CALL(waitpid, -1, 0, 1);
	CALL(wait4, -1, P(buffer), 1, P(buffer));
	CALL(waitid, 0, 1, P(buffer), 4, P(buffer));
}
