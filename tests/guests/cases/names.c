/* Calls on paths and descriptors that the options about them change. */
#include "bare.h"
#include <fcntl.h>
#include <sys/stat.h>

static struct stat st;

void _start(void)
{
	int file = CALL(openat, AT_FDCWD, "/dev/null", O_WRONLY, 0);
	int copy = CALL(dup, file, 0, 0, 0);

	CALL(write, copy, "\1\2\3text\xff\"\n", 10, 0);
	CALL(fstat, file, &st, 0, 0);
	CALL(newfstatat, AT_FDCWD, "/dev/null", &st, 0);
	CALL(newfstatat, file, "", &st, AT_EMPTY_PATH);
	CALL(access, "/dev/null", 0, 0, 0);
	CALL(access, "/dev/zero", 0, 0, 0);
	CALL(close, copy, 0, 0, 0);
	call(SYS_mmap, 0, 4096, 3, 0x22, -1, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
