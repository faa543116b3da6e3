/* Ids of 16 and of 32 bits, names, limits, and calls that are no more. */
#include "i386.h"

static void guest(void)
{
	CALL(getresuid, P(buffer), P(buffer + 2), P(buffer + 4));
	CALL(getresuid32, P(buffer), P(buffer + 4), P(buffer + 8));
	CALL(getgroups, 0, P(buffer));
	CALL(setgroups, -1, SHORTS(1, 2));
	CALL(chown, P("none"), -1, 0x12345);
	CALL(chown32, P("none"), -1, 0x12345);
	CALL(fchown, -1, 65535, 5);
	CALL(fchown32, -1, 65535, 5);
	CALL(getuid);
	CALL(getuid32);
	CALL(setreuid, -1, -1);
	CALL(setreuid32, -1, -1);
	CALL(setfsuid, -1);
	CALL(oldolduname, P(buffer));
	CALL(oldolduname, 0);
	CALL(olduname, P(buffer));
	CALL(uname, P(buffer));
	CALL(getrlimit, 3, P(buffer));
	CALL(ugetrlimit, 3, P(buffer));
	CALL(ugetrlimit, 99, P(buffer));
	CALL(setrlimit, 99, LONGS(-1, 4096));
	CALL(prlimit64, 0, 3, 0, P(buffer));
	CALL(getrusage, 99, P(buffer));
	CALL(nice, 0);
	CALL(ustat, 0x801, P(buffer));
	CALL(bdflush, 1, 2);
	CALL(break);
	CALL(stty, 1, 2);
	CALL(gtty, 1, 2);
	CALL(ftime);
	CALL(prof);
	CALL(lock);
	CALL(mpx);
	CALL(ulimit, 1, 2);
	CALL(profil, 1, 2, 3, 4);
	CALL(idle);
	CALL(vm86old, BAD);
	CALL(vm86, 1, BAD);
	CALL(personality, -1);
	CALL(set_robust_list, BAD, 12);
	CALL(get_robust_list, 0, P(buffer), P(buffer + 4));
	CALL(ioctl, -1, 0x5401, P(buffer));
	call(999, (long[6]){ 1, 2, 3, 4, 5, 6 });
}
