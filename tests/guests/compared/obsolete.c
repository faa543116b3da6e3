/* Calls that the kernel has no more, and old ones. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static char bytes[64];
	static int name[2] = { 1, 2 };
	static size_t length = 8;
	static long asked[10] = { 0, 2 }, segments[8] = { 1, 2, 3, 4, 0, 6, 7, 8 };

	syscall(SYS__sysctl, NULL);
	syscall(SYS__sysctl, -1L);
	syscall(SYS__sysctl, asked);
	asked[0] = (long)name;
	asked[2] = (long)bytes;
	asked[3] = (long)&length;
	asked[4] = (long)bytes;
	asked[5] = 5;
	syscall(SYS__sysctl, asked);
	syscall(SYS_kexec_load, 1L, 1L, segments, 0L);
	syscall(SYS_kexec_load, 1L, 2L, segments, 0L);
	syscall(SYS_kexec_load, 1L, 0L, segments, 0L);
	syscall(SYS_kexec_load, 1L, 1L, NULL, 0L);
	syscall(SYS_kexec_load, 1L, 1L, -1L, 0L);
	syscall(SYS_kexec_file_load, -1, -1, 3L, "abc", 15L);
	syscall(SYS_ustat, 0, bytes);
	syscall(SYS_sysfs, 1, "proc");
	syscall(SYS_sysfs, 1, -1L);
	syscall(SYS_sysfs, 9, 1, 2);
	syscall(SYS_uselib, "nonexistent");
	syscall(SYS_create_module, "none", 1L);
	syscall(SYS_query_module, "none", 0, bytes, 100L, &length);
	syscall(SYS_nfsservctl, 1, 2, 3);
	syscall(SYS_getpmsg, 1, 2, 3, 4, 5);
	syscall(SYS_vserver, 1, 2, 3, 4, 5);
	syscall(SYS_security, 1, 2, 3);
	syscall(SYS_tuxcall, 1, 2, 3);
	syscall(SYS_afs_syscall, 1, 2, 3, 4, 5);
	syscall(SYS_lookup_dcookie, 0x123456789abcL, bytes, 64L);
	syscall(SYS_epoll_ctl_old, 1, 2, 3, 4);
	syscall(SYS_epoll_wait_old, 1, 2, 3, 4);
	syscall(SYS_get_kernel_syms, NULL);
	syscall(SYS_delete_module, "nonexistent", 0xa01);
	syscall(SYS_init_module, -1L, 5L, "parameters");
	syscall(SYS_finit_module, -1, "parameters", 7);
	syscall(SYS_iopl, 7);
	syscall(SYS_ioperm, -1L, 2L, 3);
	syscall(SYS_remap_file_pages, 0L, 1L, 2L, 3L, 0x10000L);
	return 0;
}
