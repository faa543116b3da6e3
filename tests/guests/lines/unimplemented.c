/* Calls that have a number and nothing behind it, or nothing any more. */
#include "../guest.h"

#define BAD 0xbadL

int main(void)
{
	begin();
	CALL(syscall(SYS__sysctl, BAD), "_sysctl(0xbad)");
	CALL(syscall(SYS__sysctl, NULL), "_sysctl(NULL)");
	CALL(syscall(SYS_nfsservctl, 1, BAD, BAD), "nfsservctl(0x1, 0xbad, 0xbad)");
	CALL(syscall(SYS_nfsservctl, -1, NULL, NULL), "nfsservctl(0xffffffff, 0, 0)");
	CALL(syscall(SYS_uselib, "/nowhere"), "uselib(\"/nowhere\")");
	CALL(syscall(SYS_uselib, BAD), "uselib(0xbad)");
	CALL(syscall(SYS_uselib, NULL), "uselib(NULL)");
	CALL(syscall(SYS_getpmsg, -1, BAD, BAD, BAD, BAD),
	     "getpmsg(0xffffffff, 0xbad, 0xbad, 0xbad, 0xbad)");
	CALL(syscall(SYS_getpmsg, 0, NULL, NULL, NULL, NULL), "getpmsg(0, 0, 0, 0, 0)");
	CALL(syscall(SYS_putpmsg, -1, BAD, BAD, 1, 2), "putpmsg(0xffffffff, 0xbad, 0xbad, 0x1, 0x2)");
	CALL(syscall(SYS_putpmsg, 0, NULL, NULL, 0, -1), "putpmsg(0, 0, 0, 0, 0xffffffff)");
	CALL(syscall(SYS_afs_syscall, 1L, 2L, 3L, 4L, 5L), "afs_syscall(0x1, 0x2, 0x3, 0x4, 0x5)");
	CALL(syscall(SYS_tuxcall, 1L, 2L, 3L), "tuxcall(0x1, 0x2, 0x3)");
	CALL(syscall(SYS_security, -1L, BAD, 3L), "security(0xffffffffffffffff, 0xbad, 0x3)");
	CALL(syscall(SYS_epoll_ctl_old, -1L, 1L, 2L, BAD),
	     "epoll_ctl_old(0xffffffffffffffff, 0x1, 0x2, 0xbad)");
	CALL(syscall(SYS_epoll_wait_old, -1L, BAD, 2L, 0L),
	     "epoll_wait_old(0xffffffffffffffff, 0xbad, 0x2, 0)");
	CALL(syscall(SYS_set_thread_area, BAD), "set_thread_area(0xbad)");
	CALL(syscall(SYS_get_thread_area, BAD), "get_thread_area(0xbad)");
	CALL(syscall(SYS_vserver, 1L, 2L, BAD, 4L, 5L), "vserver(0x1, 0x2, 0xbad, 0x4, 0x5)");
	end();
	return 0;
}
