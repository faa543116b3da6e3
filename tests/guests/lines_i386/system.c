/* Calls about the whole system, and calls with nothing behind them. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("waitpid(2147483647, 0xbad, WNOHANG)", waitpid, 0x7fffffff, BAD, 1);
	SHOW("waitpid(-1, 0xbad, WNOHANG|WSTOPPED)", waitpid, -1, BAD, 3);
	SHOW("break()", break);
	SHOW("umount(\"no/where\")", umount, P("no/where"));
	SHOW("umount(0xbad)", umount, BAD);
	SHOW("stime(0xbad)", stime, BAD);
	SHOW("stty(0x5, 0x5)", stty, 5, 5);
	SHOW("stty(0xffffffff, 0xffffffff)", stty, -1, -1);
	SHOW("gtty(0x5, 0x5)", gtty, 5, 5);
	SHOW("gtty(0xffffffff, 0xffffffff)", gtty, -1, -1);
	SHOW("nice(0)", nice, 0);
	SHOW("ftime()", ftime);
	SHOW("prof()", prof);
	SHOW("lock()", lock);
	SHOW("ioctl(-1, TCGETS, 0xbad)", ioctl, -1, 0x5401, BAD);
	SHOW("ioctl(-1, TIOCGWINSZ, 0xbad)", ioctl, -1, 0x5413, BAD);
	SHOW("ioctl(-1, _IOC(_IOC_READ|_IOC_WRITE, 0xff, 0xff, 0x3fff), 0xffffffff)", ioctl, -1, -1, -1);
	SHOW("mpx()", mpx);
	SHOW("ulimit(0x5, 0x5)", ulimit, 5, 5);
	SHOW("ulimit(0xffffffff, 0xffffffff)", ulimit, -1, -1);
	SHOW("oldolduname(0x5)", oldolduname, 5);
	SHOW("oldolduname(0xffffffff)", oldolduname, -1);
	SHOW("sethostname(0xbad, 5)", sethostname, BAD, 5);
	SHOW("sethostname(0xffffffff, 4294967295)", sethostname, -1, -1);
	SHOW("reboot(0 /* LINUX_REBOOT_MAGIC_??? */, 0 /* LINUX_REBOOT_MAGIC_??? */, "
	     "LINUX_REBOOT_CMD_CAD_OFF)",
	     reboot, 0, 0, 0);
	SHOW("reboot(LINUX_REBOOT_MAGIC1, 0x5 /* LINUX_REBOOT_MAGIC_??? */, 0x1 /* "
	     "LINUX_REBOOT_CMD_??? */)",
	     reboot, 0xfee1dead, 5, 1, BAD);
	SHOW("readdir(-1, 0xbad, 0)", readdir, -1, BAD);
	SHOW("readdir(77, 0xffffffff, 0)", readdir, 77, -1);
	SHOW("profil(0x5, 0x5, 0x5, 0x5)", profil, 5, 5, 5, 5);
	SHOW("profil(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)", profil, -1, -1, -1, -1);
	SHOW("ioperm(0x5, 0x5, 5)", ioperm, 5, 5, 5);
	SHOW("ioperm(0xffffffff, 0xffffffff, -1)", ioperm, -1, -1, -1);
	SHOW("syslog(0 /* SYSLOG_ACTION_CLOSE */)", syslog, 0, BAD);
	SHOW("syslog(0 /* SYSLOG_ACTION_CLOSE */)", syslog, 0, -1);
	SHOW("olduname(0x5)", olduname, 5);
	SHOW("olduname(0xffffffff)", olduname, -1);
	SHOW("iopl(4)", iopl, 4);
	SHOW("vhangup()", vhangup);
	SHOW("idle()", idle);
	SHOW("vm86old(0xbad)", vm86old, BAD);
	SHOW("sysinfo(0xbad)", sysinfo, BAD);
	SHOW("sysinfo(0xffffffff)", sysinfo, -1);
	SHOW("setdomainname(0xbad, 5)", setdomainname, BAD, 5);
	SHOW("setdomainname(0xffffffff, 4294967295)", setdomainname, -1, -1);
	SHOW("uname(0xbad)", uname, BAD);
	SHOW("uname(0xffffffff)", uname, -1);
	SHOW("modify_ldt(5, NULL, 5)", modify_ldt, 5, 0, 5);
	SHOW("modify_ldt(-1, NULL, 4294967295)", modify_ldt, -1, 0, -1);
	SHOW("create_module(0x5, 0x5)", create_module, 5, 5);
	SHOW("create_module(0xffffffff, 0xffffffff)", create_module, -1, -1);
	SHOW("init_module(0xbad, 5, \"no/where\")", init_module, BAD, 5, P("no/where"));
	SHOW("init_module(0xffffffff, 4294967295, 0xbad)", init_module, -1, -1, BAD);
	SHOW("delete_module(\"no/where\", 0)", delete_module, P("no/where"));
	SHOW("delete_module(0xbad, 0)", delete_module, BAD);
	SHOW("get_kernel_syms(0x5)", get_kernel_syms, 5);
	SHOW("get_kernel_syms(0xffffffff)", get_kernel_syms, -1);
	SHOW("quotactl(QCMD(Q_GETQUOTA, USRQUOTA), \"no/where\", 5, 0xbad)",
	     quotactl, 0x80000700, P("no/where"), 5, BAD);
	SHOW("quotactl(QCMD(0 /* Q_??? */, USRQUOTA), 0xbad, 5, 0xbad)", quotactl, 0, BAD, 5, BAD);
	SHOW("bdflush(0x5, 0x5)", bdflush, 5, 5);
	SHOW("bdflush(0xffffffff, 0xffffffff)", bdflush, -1, -1);
	SHOW("sysfs(0x1, 0xbad, 0)", sysfs, 1, BAD);
	SHOW("sysfs(0x63, 0x1, 0x2)", sysfs, 99, 1, 2);
	SHOW_NOTE(" (PER_LINUX)", "personality(0xffffffff)", personality, -1);
	SHOW("afs_syscall(0x5, 0x5, 0x5, 0x5, 0x5)", afs_syscall, 5, 5, 5, 5, 5);
	SHOW("afs_syscall(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)",
	     afs_syscall, -1, -1, -1, -1, -1);
	SHOW("_newselect(5, 0xbad, NULL, NULL, {tv_sec=0, tv_usec=0})",
	     _newselect, 5, BAD, 0, 0, LONGS(0, 0));
	SHOW_NOTE(" (Timeout)", "_newselect(0, NULL, NULL, NULL, {tv_sec=0, tv_usec=1})",
	     _newselect, 0, 0, 0, 0, LONGS(0, 1));
	SHOW("_newselect(-1, NULL, 0xbad, NULL, 0xbad)", _newselect, -1, 0, BAD, 0, BAD);
	SHOW("_sysctl(0xbad)", _sysctl, BAD);
	SHOW("_sysctl(0xffffffff)", _sysctl, -1);
	SHOW("vm86(0x5, 0xbad, 0, 0, 0)", vm86, 5, BAD);
	SHOW("query_module(0x5, 0x5, 0x5, 0x5, 0x5)", query_module, 5, 5, 5, 5, 5);
	SHOW("query_module(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)",
	     query_module, -1, -1, -1, -1, -1);
	SHOW("nfsservctl(0x5, 0x5, 0x5)", nfsservctl, 5, 5, 5);
	SHOW("nfsservctl(0xffffffff, 0xffffffff, 0xffffffff)", nfsservctl, -1, -1, -1);
	SHOW("getpmsg(0x5, 0x5, 0x5, 0x5, 0x5)", getpmsg, 5, 5, 5, 5, 5);
	SHOW("getpmsg(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)",
	     getpmsg, -1, -1, -1, -1, -1);
	SHOW("putpmsg(0x5, 0x5, 0x5, 0x5, 0x5)", putpmsg, 5, 5, 5, 5, 5);
	SHOW("putpmsg(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)",
	     putpmsg, -1, -1, -1, -1, -1);
	SHOW("ugetrlimit(RLIMIT_CPU, 0xbad)", ugetrlimit, 0, BAD);
	SHOW("ugetrlimit(RLIMIT_CPU, 0xffffffff)", ugetrlimit, 0, -1);
	SHOW("set_thread_area(0xbad)", set_thread_area, BAD);
	SHOW("set_thread_area(0xffffffff)", set_thread_area, -1);
	SHOW("get_thread_area(0xbad)", get_thread_area, BAD);
	SHOW("get_thread_area(0xffffffff)", get_thread_area, -1);
	SHOW("lookup_dcookie(5, 0xbad, 5)", lookup_dcookie, 5, 0, BAD, 5);
	SHOW("lookup_dcookie(18446744073709551615, 0xffffffff, 4294967295)",
	     lookup_dcookie, -1, -1, -1, -1);
	SHOW("vserver(0x5, 0x5, 0x5, 0x5, 0x5)", vserver, 5, 5, 5, 5, 5);
	SHOW("vserver(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)",
	     vserver, -1, -1, -1, -1, -1);
	SHOW("kexec_load(0xbad, 5, 0xbad, KEXEC_ARCH_DEFAULT)", kexec_load, BAD, 5, BAD);
	SHOW("kexec_load(0xffffffff, 4294967295, 0xffffffff, KEXEC_ARCH_DEFAULT)", kexec_load, -1, -1, -1);
	SHOW("add_key(\"no/where\", \"no/where\", 0xbad, 5, 0)",
	     add_key, P("no/where"), P("no/where"), BAD, 5);
	SHOW("add_key(0xbad, 0xbad, 0xffffffff, 4294967295, 0)", add_key, BAD, BAD, -1, -1);
	SHOW("request_key(\"no/where\", \"no/where\", \"no/where\", 0)",
	     request_key, P("no/where"), P("no/where"), P("no/where"));
	SHOW("request_key(0xbad, 0xbad, 0xbad, 0)", request_key, BAD, BAD, BAD);
	SHOW("keyctl(0x63 /* KEYCTL_??? */, 0x1, 0x2, 0x3, 0x4)", keyctl, 99, 1, 2, 3, 4);
	SHOW("keyctl(KEYCTL_GET_KEYRING_ID, 2147483647, 0)", keyctl, 0, 0x7fffffff, 0);
	SHOW("keyctl(KEYCTL_READ, 2147483647, 0xbad, 5)", keyctl, 11, 0x7fffffff, BAD, 5);
	SHOW("perf_event_open(0xbad, 0, -1, -1, 0)", perf_event_open, BAD, 0, -1, -1, 0);
	SHOW("perf_event_open(0xffffffff, 2147483647, 5, 77, 0x100 /* PERF_FLAG_??? */)",
	     perf_event_open, -1, 0x7fffffff, 5, 77, 0x100);
	SHOW("finit_module(-1, \"no/where\", 0)", finit_module, -1, P("no/where"));
	SHOW("finit_module(77, 0xbad, 0)", finit_module, 77, BAD);
	SHOW("seccomp(0x63 /* SECCOMP_SET_MODE_??? */, 0x5, 0xbad)", seccomp, 99, 5, BAD);
	SHOW("seccomp(SECCOMP_SET_MODE_FILTER, 0, 0xbad)", seccomp, 1, 0, BAD);
	SHOW("getrandom(0xbad, 5, 0)", getrandom, BAD, 5);
	SHOW("getrandom(0xffffffff, 4294967295, 0)", getrandom, -1, -1);
	SHOW("bpf(0x63 /* BPF_??? */, 0xbad, 5)", bpf, 99, BAD, 5);
	SHOW("bpf(BPF_MAP_CREATE, 0xbad, 20)", bpf, 0, BAD, 20);
	SHOW("quotactl_fd(-1, QCMD(Q_GETQUOTA, USRQUOTA), 5, 0xbad)", quotactl_fd, -1, 0x80000700, 5, BAD);
	SHOW("quotactl_fd(77, QCMD(0 /* Q_??? */, USRQUOTA), 5, 0xbad)", quotactl_fd, 77, 0, 5, BAD);
	SHOW("landlock_create_ruleset(0xbad, 5, 0)", landlock_create_ruleset, BAD, 5);
	SHOW("landlock_create_ruleset(0xffffffff, 4294967295, 0)", landlock_create_ruleset, -1, -1);
	SHOW("landlock_add_rule(-1, LANDLOCK_RULE_PATH_BENEATH, 0xbad, 0)",
	     landlock_add_rule, -1, 1, BAD, 0);
	SHOW("landlock_add_rule(77, 0x63 /* LANDLOCK_RULE_??? */, 0xbad, 0)",
	     landlock_add_rule, 77, 99, BAD, 0);
	SHOW("landlock_restrict_self(-1, 0)", landlock_restrict_self, -1);
	SHOW("landlock_restrict_self(77, 0)", landlock_restrict_self, 77);
	end();
}
