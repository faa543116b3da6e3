// Makes calls that --enforce refuses whatever their arguments are, by each ABI, and tells what it got.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X32_BIT 0x40000000
// No kernel has this one.
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

int main(void)
{
	told("getppid", SYS_getppid);
	told("getppid", SYS_getppid);
	told("newest", NEWEST);
	told("x32", X32_BIT | SYS_getpid);
	printf("i386: %ld\n", by_interrupt());
	return 0;
}
