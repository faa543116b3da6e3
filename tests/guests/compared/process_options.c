/* Options of prctl and arch_prctl, those of other processors too, with numbers that nobody gives. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

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
