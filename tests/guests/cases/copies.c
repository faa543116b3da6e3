/* Writes to copies of its standard error, which get the lowest numbers that are free. */
#include "bare.h"
#include <fcntl.h>

void _start(void)
{
	long copies[] = {
		CALL(dup, 2, 0, 0, 0),
		CALL(fcntl, 2, F_DUPFD_CLOEXEC, 20, 0),
	};

	for (int i = 0; i < 2; i++) {
		CALL(chdir, "/nonexistent", 0, 0, 0);
		CALL(write, copies[i], "copy\n", 5, 0);
	}
	CALL(exit_group, 0, 0, 0, 0);
}
