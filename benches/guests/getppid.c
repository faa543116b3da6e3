/* getppid CALLS: makes so many system calls that do next to nothing. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (long left = atol(argv[1]); left > 0; left--)
		syscall(SYS_getppid);
	return 0;
}
