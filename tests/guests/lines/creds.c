/* User and group identities. Nothing changes who the guest is.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/capability.h>

int main(void)
{
	static uid_t real, effective, saved;
	static gid_t groups[2];
	struct __user_cap_header_struct header = { .version = 0, .pid = 0 };
	struct __user_cap_header_struct current = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = -1 };

	begin();
	CALL(syscall(SYS_getuid), "getuid()");
	CALL(syscall(SYS_geteuid), "geteuid()");
	CALL(syscall(SYS_getgid), "getgid()");
	CALL(syscall(SYS_getegid), "getegid()");
	CALL(syscall(SYS_getresuid, &real, &effective, &saved), "getresuid([%u], [%u], [%u])", real, effective, saved);
	CALL(syscall(SYS_getresgid, &real, &effective, NULL), "getresgid(%p, %p, NULL)", (void *)&real,
	     (void *)&effective);
	CALL(syscall(SYS_setreuid, -1, -1), "setreuid(-1, -1)");
	CALL(syscall(SYS_setregid, -1, -1), "setregid(-1, -1)");
	CALL(syscall(SYS_setresuid, -1, -1, -1), "setresuid(-1, -1, -1)");
	CALL(syscall(SYS_setresgid, -1, -1, -1), "setresgid(-1, -1, -1)");
	CALL(syscall(SYS_setuid, -1), "setuid(-1)");
	CALL(syscall(SYS_setgid, -1), "setgid(-1)");
	CALL(syscall(SYS_setfsuid, -1), "setfsuid(-1)");
	CALL(syscall(SYS_setfsgid, -1), "setfsgid(-1)");
	CALL(syscall(SYS_getgroups, -1, groups), "getgroups(-1, %p)", (void *)groups);
	CALL(syscall(SYS_setgroups, 70000, groups), "setgroups(70000, %p)", (void *)groups);
	CALL(syscall(SYS_capget, &header, NULL), "capget({version=0 /* _LINUX_CAPABILITY_VERSION_??? */, pid=0}, NULL)");
	CALL(syscall(SYS_capget, &current, NULL), "capget({version=_LINUX_CAPABILITY_VERSION_3, pid=-1}, NULL)");
	CALL(syscall(SYS_capset, (void *)1, NULL), "capset(0x1, NULL)");
	end();
	return 0;
}
