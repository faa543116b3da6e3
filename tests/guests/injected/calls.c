/* Calls to be tampered with: in the first process and in a child, failing and not, with buffers in and out. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[64];

static void handler(int signal)
{
	(void)signal;
}

static void calls(int pipe)
{
	struct timespec soon = { 0, 1000 };
	struct stat status;

	for (int i = 0; i < 6; i++)
		syscall(SYS_chdir, i % 2 ? "/" : "/nowhere");
	syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "/nowhere", O_RDONLY);
	syscall(SYS_write, pipe, "some bytes", 10);
	syscall(SYS_read, pipe - 1, buffer, 4);
	syscall(SYS_read, pipe - 1, buffer, 20);
	syscall(SYS_read, -1, buffer, 20);
	syscall(SYS_fstat, 0, &status);
	syscall(SYS_getcwd, buffer, 64);
	syscall(SYS_getcwd, buffer, 1);
	syscall(SYS_nanosleep, &soon, &soon);
	syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	syscall(SYS_umask, 022);
	syscall(SYS_umask, 022);
	syscall(SYS_getppid);
	syscall(SYS_getuid);
	syscall(SYS_getuid);
}

int main(void)
{
	int ends[2], status;
	pid_t child;

	signal(SIGUSR1, handler);
	if (pipe(ends))
		return 1;
	calls(ends[1]);
	child = fork();
	if (child == 0) {
		calls(ends[1]);
		_exit(0);
	}
	while (syscall(SYS_wait4, child, &status, 0, NULL) == -1)
		;
	return 0;
}
