/* Processes that a process makes, and what it learns about itself. */
#include "../guest.h"
#include <asm/unistd.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define BAD 0xbadL

/* Its child has no stack of its own: it may not return from anywhere. */
static long vforked(void)
{
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "mov %2, %%eax\n\t"
			 "mov $4, %%edi\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(result)
			 : "0"((long)SYS_vfork), "i"(SYS_exit_group)
			 : "rcx", "r11", "rdi", "memory");
	return result;
}

/* Children end at once. The signals of their ends are blocked. */
static void made(void)
{
	static int status;
	long child;

	child = syscall(SYS_fork);
	if (child == 0)
		syscall(SYS_exit, 3);
	LINE("fork() = " ID, (int)child);
	CALL_VARIES(syscall(SYS_wait4, child, &status, 0, NULL),
		    "wait4(" ID ", [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL)", (int)child);
	child = vforked();
	LINE("vfork() = " ID, (int)child);
	CALL_VARIES(syscall(SYS_wait4, child, &status, __WALL, NULL),
		    "wait4(" ID ", [{WIFEXITED(s) && WEXITSTATUS(s) == 4}], __WALL, NULL)", (int)child);
}

static void itself(void)
{
	CALL_VARIES(syscall(SYS_getppid), "getppid()");
	CALL_VARIES(syscall(SYS_set_tid_address, BAD), "set_tid_address(0xbad)");
	CALL_AS("%ld (PER_LINUX)", syscall(SYS_personality, 0x400000L),
	     "personality(PER_LINUX|READ_IMPLIES_EXEC)");
	CALL_AS("%#lx (PER_LINUX|READ_IMPLIES_EXEC)", syscall(SYS_personality, 0xffffffffL),
	     "personality(0xffffffff)");
	CALL_AS("%#lx (PER_LINUX|READ_IMPLIES_EXEC)", syscall(SYS_personality, 0L),
	     "personality(PER_LINUX)");
	CALL_AS("%ld (PER_LINUX)", syscall(SYS_personality, 0x99L), "personality(0x99 /* PER_??? */)");
	CALL_AS("%#lx (0x99 /* PER_??? */)", syscall(SYS_personality, 0L), "personality(PER_LINUX)");
	CALL(syscall(SYS_modify_ldt, 0, BAD, 16L), "modify_ldt(0, 0xbad, 16)");
	CALL(syscall(SYS_rseq, BAD, 32, 0, 0x53053053), "rseq(0xbad, 0x20, 0, 0x53053053)");
	CALL(syscall(SYS_rseq, BAD, 1, 9, 0), "rseq(0xbad, 0x1, 0x9, 0)");
	CALL(syscall(SYS_arch_prctl, 0x9999, BAD), "arch_prctl(0x9999 /* ARCH_??? */, 0xbad)");
	CALL(syscall(SYS_restart_syscall), "restart_syscall(<... resuming interrupted arch_prctl ...>)");
}

/* Who leads a group cannot begin a session. */
static void sessions(void)
{
	CALL(syscall(SYS_setsid), "setsid()");
}

/* What waits may be told to go on; nothing has waited. */
static void waiting(void)
{
	struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} waiters[] = { { 1, BAD, 2, 0 }, { 2, 0, 0x80, 5 } };

	CALL(syscall(__NR_futex_waitv, waiters, 2, 0, BAD, 1),
	     "futex_waitv([{val=0x1, uaddr=0xbad, flags=FUTEX_32}, {val=0x2, uaddr=NULL, "
	     "flags=FUTEX_PRIVATE_FLAG, __reserved=0x5}], 2, 0, 0xbad, CLOCK_MONOTONIC)");
	CALL(syscall(__NR_futex_waitv, BAD, 1, 0, NULL, 0),
	     "futex_waitv(0xbad, 1, 0, NULL, CLOCK_REALTIME)");
	CALL(syscall(__NR_futex_waitv, NULL, 0, 7, BAD, 99),
	     "futex_waitv(NULL, 0, 0x7, 0xbad, 0x63 /* CLOCK_??? */)");
	CALL(syscall(SYS_rt_tgsigqueueinfo, -1, -1, SIGUSR1, BAD),
	     "rt_tgsigqueueinfo(-1, -1, SIGUSR1, 0xbad)");
	CALL(syscall(SYS_rt_tgsigqueueinfo, 0, 0, 99, NULL), "rt_tgsigqueueinfo(0, 0, 99, NULL)");
	CALL(syscall(SYS_rt_tgsigqueueinfo, -1, -1, 0, &(siginfo_t){ .si_signo = 5, .si_code = -1 }),
	     "rt_tgsigqueueinfo(-1, -1, 0, {si_signo=SIGTRAP, si_code=SI_QUEUE, si_pid=0, si_uid=0})");
}

static void protection(void)
{
	CALL(syscall(SYS_pkey_alloc, 1L, 0L), "pkey_alloc(0x1, 0)");
	CALL(syscall(SYS_pkey_alloc, 0L, 8L), "pkey_alloc(0, 0x8 /* PKEY_??? */)");
	CALL(syscall(SYS_pkey_alloc, -1L, 3L),
	     "pkey_alloc(0xffffffffffffffff, PKEY_DISABLE_ACCESS|PKEY_DISABLE_WRITE)");
	CALL(syscall(SYS_pkey_free, -1), "pkey_free(-1)");
	CALL(syscall(SYS_pkey_free, 99), "pkey_free(99)");
	CALL(syscall(SYS_pkey_mprotect, BAD, 4096L, 3L, -1),
	     "pkey_mprotect(0xbad, 4096, PROT_READ|PROT_WRITE, -1)");
	CALL(syscall(SYS_pkey_mprotect, 0x1000L, 4096L, 0x10L, 99),
	     "pkey_mprotect(0x1000, 4096, 0x10 /* PROT_??? */, 99)");
	CALL(syscall(SYS_pkey_mprotect, 0L, 0L, 0x4L, -1), "pkey_mprotect(NULL, 0, PROT_EXEC, -1)");
	CALL(syscall(__NR_memfd_secret, 0x80), "memfd_secret(0x80)");
	CALL(syscall(__NR_memfd_secret, 0x80001), "memfd_secret(O_CLOEXEC|0x1)");
}

int main(void)
{
	sigset_t child_signal;

	sigemptyset(&child_signal);
	sigaddset(&child_signal, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_signal, NULL);
	setpgid(0, 0);
	begin();
	made();
	itself();
	sessions();
	waiting();
	protection();
	end();
	return 0;
}
