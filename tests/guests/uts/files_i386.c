/* Prints the first two names that /proc/sys/kernel tells a 32-bit program, and the first when it is another. */
#include "../compared_i386/i386.h"

static void tell(long file)
{
	CALL(write, 1, P(buffer), CALL(read, file, P(buffer), 100));
}

static void guest(void)
{
	tell(CALL(open, P("/proc/sys/kernel/hostname"), 0, 0));
	tell(CALL(openat, -1, P("/proc/sys/kernel/osrelease"), 0, 0));
	CALL(write, CALL(creat, P("/proc/sys/kernel/hostname"), 0644), P("made\n"), 5);
	tell(CALL(open, P("/proc/sys/kernel/hostname"), 0, 0));
	CALL(exit_group, 0);
}
