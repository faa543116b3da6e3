/* Processes: made, awaited, traced, scheduled. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("execve(\"no/where\", 0xbad, 0xbad)", execve, P("no/where"), BAD, BAD);
	SHOW("execve(0xbad, 0xffffffff, 0xffffffff)", execve, BAD, -1, -1);
	SHOW_VARIES("getpid()", getpid);
	SHOW("ptrace(PTRACE_PEEKTEXT, 2147483647, 0xbad, 0xbad)", ptrace, 1, 0x7fffffff, BAD, BAD);
	SHOW("ptrace(PTRACE_SETOPTIONS, 2147483647, NULL, PTRACE_O_TRACESYSGOOD|"
	     "PTRACE_O_TRACEVFORK|PTRACE_O_TRACEEXEC)",
	     ptrace, 0x4200, 0x7fffffff, 0, 0x15);
	SHOW("ptrace(0x9999 /* PTRACE_??? */, 2147483647, 0xbad, 0xffffffff)",
	     ptrace, 0x9999, 0x7fffffff, BAD, -1);
	SHOW("setpgid(2147483647, 5)", setpgid, 0x7fffffff, 5);
	SHOW("setpgid(2147483647, -1)", setpgid, 0x7fffffff, -1);
	SHOW_VARIES("getppid()", getppid);
	SHOW_VARIES("getpgrp()", getpgrp);
	SHOW("setsid()", setsid);
	SHOW("setrlimit(RLIMIT_CPU, 0xbad)", setrlimit, 0, BAD);
	SHOW("setrlimit(RLIMIT_CPU, 0xffffffff)", setrlimit, 0, -1);
	SHOW("getrlimit(RLIMIT_CPU, 0xbad)", getrlimit, 0, BAD);
	SHOW("getrlimit(RLIMIT_CPU, 0xffffffff)", getrlimit, 0, -1);
	SHOW("getrusage(0x63 /* RUSAGE_??? */, 0xbad)", getrusage, 99, BAD);
	SHOW("getpriority(0x63 /* PRIO_??? */, 5)", getpriority, 99, 5);
	SHOW("setpriority(0x63 /* PRIO_??? */, 5, 5)", setpriority, 99, 5, 5);
	SHOW("wait4(-1, 0xbad, WNOHANG, 0xbad)", wait4, -1, BAD, 1, BAD);
	SHOW("clone(child_stack=NULL, flags=CLONE_THREAD)", clone, 0x10000, 0, 0, 0, 0);
	SHOW("getpgid(2147483647)", getpgid, 0x7fffffff);
	SHOW("getsid(2147483647)", getsid, 0x7fffffff);
	SHOW("sched_setparam(2147483647, 0xbad)", sched_setparam, 0x7fffffff, BAD);
	SHOW("sched_setparam(2147483647, 0xffffffff)", sched_setparam, 0x7fffffff, -1);
	SHOW("sched_getparam(2147483647, 0xbad)", sched_getparam, 0x7fffffff, BAD);
	SHOW("sched_getparam(2147483647, 0xffffffff)", sched_getparam, 0x7fffffff, -1);
	SHOW("sched_setscheduler(0, 0x4d /* SCHED_??? */, 0xbad)", sched_setscheduler, 0, 77, BAD);
	SHOW("sched_getscheduler(2147483647)", sched_getscheduler, 0x7fffffff);
	SHOW("sched_yield()", sched_yield);
	SHOW("sched_get_priority_max(SCHED_OTHER)", sched_get_priority_max);
	SHOW("sched_get_priority_min(SCHED_OTHER)", sched_get_priority_min);
	SHOW("sched_rr_get_interval(2147483647, 0xbad)", sched_rr_get_interval, 0x7fffffff, BAD);
	SHOW("sched_rr_get_interval(2147483647, 0xffffffff)", sched_rr_get_interval, 0x7fffffff, -1);
	SHOW("prctl(PR_SET_NAME, 0xbad)", prctl, 15, BAD);
	SHOW("prctl(PR_GET_NAME, 0xbad)", prctl, 16, BAD);
	SHOW("prctl(0x63 /* PR_??? */, 0x1, 0x2, 0x3, 0x4)", prctl, 99, 1, 2, 3, 4);
	SHOW("prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0x1)", prctl, 38, 0, 0, 0, 1);
	SHOW_VARIES("gettid()", gettid);
	SHOW("sched_setaffinity(2147483647, 5, 0xbad)", sched_setaffinity, 0x7fffffff, 5, BAD);
	SHOW("sched_setaffinity(2147483647, 4294967295, 0xffffffff)",
	     sched_setaffinity, 0x7fffffff, -1, -1);
	SHOW("sched_getaffinity(2147483647, 5, 0xbad)", sched_getaffinity, 0x7fffffff, 5, BAD);
	SHOW("sched_getaffinity(2147483647, 4294967295, 0xffffffff)",
	     sched_getaffinity, 0x7fffffff, -1, -1);
	SHOW_VARIES("set_tid_address(0xbad)", set_tid_address, BAD);
	SHOW("waitid(0x63 /* P_??? */, -1, 0xbad, WNOHANG|WEXITED, 0xbad)", waitid, 99, -1, BAD, 5, BAD);
	SHOW("waitid(P_PID, 2147483647, NULL, WNOHANG|WEXITED, NULL)", waitid, 1, 0x7fffffff, 0, 5, 0);
	SHOW("ioprio_set(0x63 /* IOPRIO_WHO_??? */, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_NONE, 0))",
	     ioprio_set, 99, 0, 0);
	SHOW("ioprio_get(0x63 /* IOPRIO_WHO_??? */, 0)", ioprio_get, 99, 0);
	SHOW("unshare(CLONE_NEWTIME)", unshare, 0x80);
	SHOW("unshare(0x5 /* CLONE_??? */)", unshare, 5);
	SHOW("getcpu(0xbad, 0xbad, NULL)", getcpu, BAD, BAD, 0);
	SHOW("prlimit64(2147483647, RLIMIT_CPU, 0xbad, 0xbad)", prlimit64, 0x7fffffff, 0, BAD, BAD);
	SHOW("prlimit64(2147483647, RLIMIT_CPU, 0xffffffff, 0xffffffff)", prlimit64, 0x7fffffff, 0, -1, -1);
	SHOW("setns(-1, CLONE_NEWNET)", setns, -1, 0x40000000);
	SHOW("kcmp(2147483647, 2147483647, KCMP_FILE, 0, 0)", kcmp, 0x7fffffff, 0x7fffffff);
	SHOW("sched_setattr(2147483647, 0xbad, 5)", sched_setattr, 0x7fffffff, BAD, 5);
	SHOW("sched_setattr(2147483647, 0xffffffff, 4294967295)", sched_setattr, 0x7fffffff, -1, -1);
	SHOW("sched_getattr(2147483647, 0xbad, 5, 5)", sched_getattr, 0x7fffffff, BAD, 5, 5);
	SHOW("sched_getattr(2147483647, 0xffffffff, 4294967295, 4294967295)",
	     sched_getattr, 0x7fffffff, -1, -1, -1);
	SHOW("execveat(AT_FDCWD, \"no/where\", 0xbad, 0xbad, 0)", execveat, -100, P("no/where"), BAD, BAD);
	SHOW("execveat(-1, 0xbad, 0xffffffff, 0xffffffff, 0)", execveat, -1, BAD, -1, -1);
	SHOW("arch_prctl(0x9999 /* ARCH_??? */, 0xbad)", arch_prctl, 0x9999, BAD);
	SHOW("pidfd_open(2147483647, 0)", pidfd_open, 0x7fffffff);
	SHOW("clone3(0xbad, 64)", clone3, BAD, 64);
	SHOW("clone3(NULL, 5)", clone3, 0, 5);
	SHOW("pidfd_getfd(-1, 5, 0x5)", pidfd_getfd, -1, 5, 5);
	SHOW("pidfd_getfd(77, -1, 0xffffffff)", pidfd_getfd, 77, -1, -1);
	SHOW("process_mrelease(-1, 0x5)", process_mrelease, -1, 5);
	SHOW("process_mrelease(77, 0xffffffff)", process_mrelease, 77, -1);
	end();
}
