/* Calls by int 0x80, the i386 way, from 64-bit code. */
#include "../hard.h"

static long call32(long number, long a)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void not_there(int number)
{
	(void)number;
	printf("no int 0x80 here\n");
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	signal(SIGSEGV, not_there);
	/* 20 is getpid, 6 is close, 199 is getuid32. */
	printf("getpid: %d\n", call32(20, 0) == getpid());
	printf("close: %ld\n", call32(6, 77));
	printf("getuid32: %d\n", call32(199, 0) == (long)getuid());
	printf("an unknown call: %ld\n", call32(5000, 0));
	for (int i = 0; i < 100; i++) {
		MUST(call32(20, 0) == getpid());
		syscall(SYS_getppid);
	}
	return 0;
}
