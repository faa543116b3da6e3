/* Options of prctl and arch_prctl, those of other processors too, with numbers that nobody gives. */
#define _GNU_SOURCE
#include <linux/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names with an end behind which nothing can be read, and such as have none. */
static void names(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = page + 4096;

	munmap(end, 4096);
	memset(page, 'a', 4096);
	for (int length = 1; length < 20; length++)
		syscall(SYS_prctl, PR_SET_NAME, end - length);
	for (int length = 4; length < 20; length += 6)
		syscall(SYS_prctl, PR_GET_NAME, end - length);
	syscall(SYS_prctl, PR_SET_NAME, "short");
	syscall(SYS_prctl, PR_GET_NAME, end - 16);
	syscall(SYS_prctl, PR_GET_NAME, NULL);
	for (int misfeature = 0; misfeature < 6; misfeature++)
		syscall(SYS_prctl, PR_GET_SPECULATION_CTRL, misfeature, 0L, 0L, 0L);
	for (long named = 0; named < 3; named++)
		syscall(SYS_prctl, PR_SET_VMA, named, page, 4096L, "a name");
	for (int type = 0; type < 5; type++)
		syscall(SYS_prctl, PR_SCHED_CORE, 9, 1, type, NULL);
}

int main(void)
{
	/*
	 * Neither those that change what the process may do, nor those that are newer than strace 6.1,
	 * nor those whose results are told otherwise as numbers.
	 */
	static const int options[] = {
		2, 5, 6, 7, 9, 10, 11, 12, 13, 14, 16, 19, 20, 23, 25, 26, 29, 30, 33, 34, 35, 37,
		40, 42, 45, 46, 47, 51, 54, 56, 58, 61, 62, 64,
		0x53564d41, 0x100, -1,
	};

	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		syscall(SYS_prctl, options[i], -0x10000L, -0x10000L, -0x10000L, -0x10000L);
		syscall(SYS_prctl, options[i], 0x123456789abcdef, 0x1000000000000001, 2L, 3L);
		syscall(SYS_prctl, options[i], 1L, 1L, 1L, 1L);
		syscall(SYS_prctl, options[i], 0L, 0L, 0L, 0L);
	}
	syscall(SYS_prctl, 1, 0x123456789abcdef);
	syscall(SYS_prctl, 1, 99L);
	syscall(SYS_prctl, 15, "a\tname that is too long");
	syscall(SYS_prctl, 15, "a name of 15...");
	syscall(SYS_prctl, 15, "name");
	names();
	for (int misfeature = -1; misfeature < 4; misfeature++)
		for (long wanted = 0; wanted < 0x40; wanted = wanted * 2 + 1)
			syscall(SYS_prctl, 53, misfeature + 1000L, wanted, 0L, 0L);
	for (long code = 0x1020; code < 0x1027; code++)
		for (long part = 0; part < 20; part += part == 10 ? 5 : 1)
			syscall(SYS_arch_prctl, code, code & 1 ? part : -part);
	syscall(SYS_arch_prctl, 0x1021, &(long){ 0 });
	syscall(SYS_arch_prctl, 0x1022, &(long){ 0 });
	return 0;
}
