/* Mounts that fail, by every flag alone and by combinations. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static const unsigned long together[] = {
		0, 0xc0ed0000, 0xc0ed1021, 0xffff0000, 0x1021, 0x20 | 0x1000, -1,
	};

	for (int bit = 0; bit < 32; bit++)
		syscall(SYS_mount, "source", "/nonexistent", "type", 1UL << bit, "data");
	for (unsigned i = 0; i < sizeof together / sizeof *together; i++)
		syscall(SYS_mount, "source", "/nonexistent", "type", together[i], "data");
	syscall(SYS_mount, -1L, NULL, -1L, 0L, -1L);
	for (int command = 0; command < 8; command++)
		syscall(SYS_fsconfig, -1, command, "key", "value", 5);
	syscall(SYS_fsopen, "nonexistent", 2);
	syscall(SYS_fspick, -1, "nonexistent", 7);
	syscall(SYS_open_tree, -1, "nonexistent", 0x80001);
	syscall(SYS_umount2, "/nonexistent", -1);
	syscall(SYS_pivot_root, "/nonexistent", -1L);
	syscall(SYS_swapon, "/nonexistent", 0x18005);
	syscall(SYS_swapon, "/nonexistent", 5);
	syscall(SYS_swapon, "/nonexistent", 0);
	syscall(SYS_swapon, "/nonexistent", 0x10000);
	for (long size = 20; size < 36; size += 4) {
		long how[8] = { 0100, 0, 0 }, changes[8] = { 1, 0, 0, 5 };

		syscall(SYS_openat2, -1, "nonexistent/x", how, size);
		syscall(SYS_mount_setattr, -1, "nonexistent/x", 0, changes, size);
	}
	return 0;
}
