// Makes calls that --enforce refuses whatever their arguments are, by each ABI, and tells what it got.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define X32_BIT 0x40000000
// setxattrat(2), newer than what is let through; and what no kernel has.
#define NEWER 463
#define NEWEST 4000

static void told(const char *name, long number)
{
	long result = syscall(number, 0, 0, 0, 0, 0, 0);
	printf("%s: %ld %m\n", name, result);
}

// getpid(2) of the 32-bit ABI.
static long by_interrupt(void)
{
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

// The same in a child, which is killed where the kernel has no such ABI.
static void told_of_interrupt(void)
{
	int status;

	fflush(stdout);
	if (fork() == 0) {
		printf("i386: %ld\n", by_interrupt());
		fflush(stdout);
		_exit(0);
	}
	if (wait(&status) > 0 && WIFSIGNALED(status))
		puts("i386: killed");
}

int main(void)
{
	told("getppid", SYS_getppid);
	told("getppid", SYS_getppid);
	told("newer", NEWER);
	told("newest", NEWEST);
	told("x32", X32_BIT | SYS_getpid);
	told_of_interrupt();
	return 0;
}
