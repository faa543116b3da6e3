/* One call or two of several kinds: some succeed, some fail. */
#include "bare.h"
#include <fcntl.h>

static char buffer[64];

void _start(void)
{
	int file = CALL(openat, AT_FDCWD, "data", O_RDWR | O_CREAT | O_TRUNC, 0600);

	CALL(write, file, "forty characters of text, and then some.\n", 41, 0);
	CALL(write, file, "\tbinary\0\377\n", 10, 0);
	CALL(lseek, file, 0, SEEK_SET, 0);
	CALL(read, file, buffer, sizeof buffer, 0);
	CALL(openat, AT_FDCWD, "/nonexistent", O_RDONLY, 0);
	CALL(close, file, 0, 0, 0);
	CALL(close, file, 0, 0, 0);
	CALL(getpid, 0, 0, 0, 0);
	CALL(getpid, 0, 0, 0, 0);
	CALL(exit_group, 3, 0, 0, 0);
}
