/* Calls that start, await and describe processes. */
#include "../guest.h"
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void failing(void)
{
	char *argv[] = { "program", "quoted \"argument\"", NULL };
	char *envp[] = { "A=1", "B=2", NULL };
	struct clone_args args = { .flags = CLONE_FS | CLONE_NEWNS, .exit_signal = SIGCHLD };
	static int status;

	CALL(syscall(SYS_execve, "/nonexistent", argv, envp),
	     "execve(\"/nonexistent\", [\"program\", \"quoted \\\"argument\\\"\"], %p /* 2 vars */)", (void *)envp);
	CALL(syscall(SYS_execve, "/nonexistent", NULL, NULL), "execve(\"/nonexistent\", NULL, NULL)");
	CALL(syscall(SYS_execve, NULL, (void *)1, (void *)1), "execve(NULL, 0x1, 0x1)");
	CALL(syscall(SYS_execveat, -1, "", argv, envp, AT_EMPTY_PATH),
	     "execveat(-1, \"\", [\"program\", \"quoted \\\"argument\\\"\"], %p /* 2 vars */, AT_EMPTY_PATH)",
	     (void *)envp);
	CALL(syscall(SYS_clone, CLONE_THREAD | SIGCHLD, NULL, NULL, NULL, NULL),
	     "clone(child_stack=NULL, flags=CLONE_THREAD|SIGCHLD)");
	CALL(syscall(SYS_clone3, &args, sizeof args),
	     "clone3({flags=CLONE_FS|CLONE_NEWNS, exit_signal=SIGCHLD, stack=NULL, stack_size=0}, 88)");
	CALL(syscall(SYS_clone3, NULL, 88), "clone3(NULL, 88)");
	CALL(syscall(SYS_unshare, CLONE_THREAD | CLONE_NEWUTS), "unshare(CLONE_THREAD|CLONE_NEWUTS)");
	CALL(syscall(SYS_setns, -1, CLONE_NEWNET), "setns(-1, CLONE_NEWNET)");
	CALL(syscall(SYS_wait4, -1, &status, WNOHANG | WUNTRACED, NULL), "wait4(-1, %p, WNOHANG|WSTOPPED, NULL)",
	     (void *)&status);
	CALL(syscall(SYS_waitid, P_ALL, 0, NULL, WEXITED, NULL), "waitid(P_ALL, 0, NULL, WEXITED, NULL)");
	CALL(syscall(SYS_waitid, P_PID, 1, NULL, 0, NULL), "waitid(P_PID, 1, NULL, 0, NULL)");
}

/* Two children: one exits, one is killed. They start before begin(), and wait for a byte. Their
 * SIGCHLD stays blocked until they have been waited for, so that it comes at one place. */
static pid_t child(int wait_on)
{
	pid_t pid = fork();

	if (pid == 0) {
		char byte;

		if (read(wait_on, &byte, 1) < 0)
			_exit(1);
		_exit(7);
	}
	return pid;
}

static void take_signal(unsigned long child_signal)
{
	CALL(syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &child_signal, NULL, 8L),
	     "rt_sigprocmask(SIG_UNBLOCK, [CHLD], NULL, 8)");
}

static void awaiting(pid_t exits, int tell, pid_t killed, uid_t user)
{
	unsigned long child_signal = 1UL << (SIGCHLD - 1);
	static int status;

	CALL(syscall(SYS_wait4, exits, &status, WNOHANG, NULL), "wait4(" ID ", %p, WNOHANG, NULL)", exits,
	     (void *)&status);
	CALL(syscall(SYS_write, tell, "!", 1), "write(%d, \"!\", 1)", tell);
	CALL_VARIES(syscall(SYS_wait4, exits, &status, 0, NULL),
	     "wait4(" ID ", [{WIFEXITED(s) && WEXITSTATUS(s) == 7}], 0, NULL)", exits);
	take_signal(child_signal);
	LINE("--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=" ID ", si_uid=%d, si_status=7, "
	     "si_utime=0, si_stime=0} ---", exits, user);
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &child_signal, NULL, 8L),
	     "rt_sigprocmask(SIG_BLOCK, [CHLD], NULL, 8)");
	CALL(syscall(SYS_kill, killed, SIGKILL), "kill(" ID ", SIGKILL)", killed);
	CALL_VARIES(syscall(SYS_wait4, killed, &status, 0, NULL),
	     "wait4(" ID ", [{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}], 0, NULL)", killed);
	take_signal(child_signal);
	LINE("--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=" ID ", si_uid=%d, "
	     "si_status=SIGKILL, si_utime=0, si_stime=0} ---", killed, user);
	CALL(syscall(SYS_wait4, killed, &status, 0, NULL), "wait4(" ID ", %p, 0, NULL)", killed, (void *)&status);
}

static void describing(void)
{
	static struct rlimit limit;
	struct rlimit wanted = { 64, 4096 };
	static cpu_set_t cpus;
	static char name[16];
	static int word;

	CALL_VARIES(syscall(SYS_getpid), "getpid()");
	CALL_VARIES(syscall(SYS_gettid), "gettid()");
	CALL_VARIES(syscall(SYS_getpgrp), "getpgrp()");
	CALL_VARIES(syscall(SYS_getpgid, 0), "getpgid(0)");
	CALL_VARIES(syscall(SYS_getsid, 0), "getsid(0)");
	CALL(syscall(SYS_setpgid, -1L, 0), "setpgid(-1, 0)");
	CALL(syscall(SYS_setrlimit, RLIMIT_NOFILE, &wanted), "setrlimit(RLIMIT_NOFILE, {rlim_cur=64, rlim_max=4*1024})");
	CALL(syscall(SYS_getrlimit, RLIMIT_NOFILE, &limit), "getrlimit(RLIMIT_NOFILE, {rlim_cur=64, rlim_max=4*1024})");
	CALL(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit),
	     "prlimit64(0, RLIMIT_NOFILE, NULL, {rlim_cur=64, rlim_max=4*1024})");
	CALL(syscall(SYS_getrlimit, 77, &limit), "getrlimit(0x4d /* RLIMIT_??? */, %p)", (void *)&limit);
	CALL(syscall(SYS_prctl, PR_SET_NAME, "guest name"), "prctl(PR_SET_NAME, \"guest name\")");
	CALL(syscall(SYS_prctl, PR_GET_NAME, name), "prctl(PR_GET_NAME, \"guest name\")");
	CALL(syscall(SYS_prctl, PR_SET_PDEATHSIG, 0L), "prctl(PR_SET_PDEATHSIG, 0)");
	CALL_AS("%ld (SUID_DUMP_USER)", syscall(SYS_prctl, PR_GET_DUMPABLE), "prctl(PR_GET_DUMPABLE)");
	CALL(syscall(SYS_prctl, PR_SET_TAGGED_ADDR_CTRL, 0x40000bL, 0L, 0L, 0L),
	     "prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE|PR_MTE_TCF_SYNC|0x1<<PR_MTE_TAG_SHIFT|0x400000, "
	     "0, 0, 0)");
	CALL(syscall(SYS_sched_getaffinity, 0, 1L, &cpus), "sched_getaffinity(0, 1, %p)", (void *)&cpus);
	CALL(syscall(SYS_sched_yield), "sched_yield()");
	CALL_AS("%ld (SCHED_OTHER)", syscall(SYS_sched_getscheduler, 0), "sched_getscheduler(0)");
	CALL(syscall(SYS_sched_get_priority_max, SCHED_FIFO), "sched_get_priority_max(SCHED_FIFO)");
	CALL(syscall(SYS_getpriority, PRIO_PROCESS, 0), "getpriority(PRIO_PROCESS, 0)");
	CALL(syscall(SYS_setpriority, PRIO_PROCESS, 0, 0), "setpriority(PRIO_PROCESS, 0, 0)");
	CALL(syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, NULL), "futex(%p, FUTEX_WAIT_PRIVATE, 1, NULL)",
	     (void *)&word);
	CALL(syscall(SYS_futex, &word, FUTEX_WAKE, 1), "futex(%p, FUTEX_WAKE, 1)", (void *)&word);
	CALL(syscall(SYS_set_robust_list, NULL, 1L), "set_robust_list(NULL, 1)");
	CALL(syscall(SYS_arch_prctl, 0x1003, NULL), "arch_prctl(ARCH_GET_FS, NULL)");
}

int main(void)
{
	int first[2], second[2];
	pid_t exits, killed;
	uid_t user = getuid();
	sigset_t child_signal;

	if (pipe(first) || pipe(second))
		abort();
	exits = child(first[0]);
	killed = child(second[0]);
	sigemptyset(&child_signal);
	sigaddset(&child_signal, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_signal, NULL);
	begin();
	awaiting(exits, first[1], killed, user);
	failing();
	describing();
	end();
	return 0;
}
