/* Flags with values that have no names, alone and beside others that have. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static const long types[] = { 0, 1, 5, 0xb, 0xf, 0x101, 0x8000b, 0x8010b, 0x80000, 0x80001, -1 };
	static const long mappings[] = { 0, 1, 2, 5, 0xf, 0x10, 0x15, 0x22, 0x2000000, 0x2000005, -1 };
	static const long opened[] = { 0, 1, 2, 3, 4, 0x40000000, 0x40000003, 0x410000, -1 };
	static const long segments[] = { 0, 3, 0x10, 0x3e0000, 0x3e0001, 0x770000, 0x770003, 0xffffffff };
	static const long personalities[] = {
		0, 1, 5, 6, 7, 8, 0xc, 0xd, 0xf, 0x10, 0x11, 0x1b, 0xff, 0xff00, 0xffff, 0x40000,
		0x4100001, 0x10001b, 0x800000, 0xffffffff, 0,
	};

#define EACH(values) for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
	EACH(types)
		syscall(SYS_socket, 1, types[i], 0);
	EACH(mappings)
		syscall(SYS_mmap, 0L, 0L, 0L, mappings[i], -1L, 0L);
	EACH(opened)
		syscall(SYS_open, "/nonexistent", opened[i], 0777);
	EACH(segments)
		syscall(SYS_kexec_load, 0L, 17L, -1L, segments[i]);
	for (long class = 0; class < 16; class += 4) {
		syscall(SYS_fanotify_init, class | 0x100000, class);
		syscall(SYS_fanotify_init, class | 0x100010, 0);
	}
	for (long command = 0; command < 32; command++) {
		syscall(SYS_shmctl, -1, command << 7 | command, 0L);
		syscall(SYS_msgctl, -1, command << 7 | command, 0L);
		syscall(SYS_semctl, -1, 0, command << 7 | command, 0L);
	}
	EACH(personalities)
		syscall(SYS_personality, personalities[i]);
	return 0;
}
