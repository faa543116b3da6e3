/* Calls of no family, and numbers that are no call.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/seccomp.h>
#include <sys/random.h>
#include <sys/utsname.h>

int main(void)
{
	static struct utsname name;
	static char bytes[8];

	begin();
	CALL(syscall(SYS_uname, &name), "uname({sysname=\"Linux\", nodename=\"%s\", ...})", name.nodename);
	CALL(syscall(SYS_uname, NULL), "uname(NULL)");
	CALL(syscall(SYS_sysinfo, NULL), "sysinfo(NULL)");
	CALL(syscall(SYS_getrandom, bytes, 0L, GRND_NONBLOCK), "getrandom(\"\", 0, GRND_NONBLOCK)");
	CALL(syscall(SYS_getrandom, bytes, 8L, 0x80), "getrandom(%p, 8, 0x80 /* GRND_??? */)", (void *)bytes);
	CALL(syscall(SYS_getcpu, NULL, NULL, NULL), "getcpu(NULL, NULL, NULL)");
	CALL(syscall(SYS_getcpu, (void *)1, NULL, NULL), "getcpu(0x1, NULL, NULL)");
	CALL(syscall(SYS_sethostname, NULL, 100L), "sethostname(NULL, 100)");
	CALL(syscall(SYS_syslog, 100, NULL, 0), "syslog(100 /* SYSLOG_ACTION_??? */, NULL, 0)");
	CALL(syscall(SYS_mount, "none", "/nonexistent", "tmpfs", 3L, NULL),
	     "mount(\"none\", \"/nonexistent\", \"tmpfs\", MS_RDONLY|MS_NOSUID, NULL)");
	CALL(syscall(SYS_umount2, "/nonexistent", 2), "umount2(\"/nonexistent\", MNT_DETACH)");
	CALL(syscall(SYS_swapoff, "/nonexistent"), "swapoff(\"/nonexistent\")");
	CALL(syscall(SYS_acct, "/nonexistent"), "acct(\"/nonexistent\")");
	CALL(syscall(SYS_delete_module, "nonexistent", O_NONBLOCK), "delete_module(\"nonexistent\", O_NONBLOCK)");
	CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL), "seccomp(SECCOMP_SET_MODE_STRICT, 0x1, NULL)");
	CALL(syscall(SYS_kcmp, 0, 0, 0, 1, 2), "kcmp(0, 0, KCMP_FILE, 1, 2)");
	CALL(syscall(SYS_ioperm, 0x10000L, 1L, 1), "ioperm(0x10000, 0x1, 1)");
	CALL(syscall(SYS_pidfd_open, -1, 0), "pidfd_open(-1, 0)");
	CALL(syscall(SYS_bpf, 1000, NULL, 0), "bpf(0x3e8 /* BPF_??? */, NULL, 0)");
	CALL(syscall(SYS_io_uring_setup, 1, NULL), "io_uring_setup(1, NULL)");
	CALL(syscall(SYS_userfaultfd, 0x40000000), "userfaultfd(0x40000000 /* UFFD_??? */)");
	CALL(syscall(SYS_vserver, 0, 0, 0, 0, 0), "vserver(0, 0, 0, 0, 0)");
	CALL(syscall(400, 1L, 2L, 3L, 4L, 5L, 6L), "syscall_0x190(0x1, 0x2, 0x3, 0x4, 0x5, 0x6)");
	CALL(syscall(0x3fffffffL, -1L, 0L, 0L, 0L, 0L, 0L), "syscall_0x3fffffff(0xffffffffffffffff, 0, 0, 0, 0, 0)");
	end();
	return 0;
}
