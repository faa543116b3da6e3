/* What one process does to another: its memory, its descriptors, its end. */
#include "../guest.h"
#include <asm/unistd.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define BAD 0xbadL

static char word[] = "a\1word", room[16];

static void memory(pid_t other)
{
	static struct iovec ours[] = { { room, 6 } }, theirs[] = { { word, 4 }, { word + 4, 2 } };

	CALL(syscall(SYS_process_vm_readv, other, ours, 1L, theirs, 2L, 0L),
	     "process_vm_readv(" ID ", [{iov_base=\"a\\1word\", iov_len=6}], 1, [{iov_base=%p, iov_len=4}, "
	     "{iov_base=%p, iov_len=2}], 2, 0)", other, (void *)word, (void *)(word + 4));
	CALL(syscall(SYS_process_vm_writev, other, ours, 1L, theirs, 2L, 0L),
	     "process_vm_writev(" ID ", [{iov_base=\"a\\1word\", iov_len=6}], 1, [{iov_base=%p, iov_len=4}, "
	     "{iov_base=%p, iov_len=2}], 2, 0)", other, (void *)word, (void *)(word + 4));
	CALL(syscall(SYS_process_vm_readv, -1, BAD, 1L, BAD, 2L, 3L),
	     "process_vm_readv(-1, 0xbad, 1, 0xbad, 2, 3)");
	CALL(syscall(SYS_process_vm_readv, 0, NULL, 0L, NULL, 0L, 0L),
	     "process_vm_readv(0, NULL, 0, NULL, 0, 0)");
	CALL(syscall(SYS_process_vm_writev, -1, BAD, -1L, NULL, 1L, -1L),
	     "process_vm_writev(-1, 0xbad, 18446744073709551615, NULL, 1, 18446744073709551615)");
	CALL(syscall(SYS_process_vm_writev, 0, NULL, 0L, NULL, 0L, 0L),
	     "process_vm_writev(0, NULL, 0, NULL, 0, 0)");
	CALL(syscall(SYS_process_madvise, -1, BAD, 1L, 20, 0),
	     "process_madvise(-1, 0xbad, 1, MADV_COLD, 0)");
	CALL(syscall(SYS_process_madvise, -1, NULL, 0L, 99, -1),
	     "process_madvise(-1, NULL, 0, 0x63 /* MADV_??? */, 0xffffffff)");
	CALL(syscall(SYS_process_madvise, 0, BAD, 2L, 4, 1),
	     "process_madvise(0, 0xbad, 2, MADV_DONTNEED, 0x1)");
	CALL(syscall(__NR_process_mrelease, -1, 0), "process_mrelease(-1, 0)");
	CALL(syscall(__NR_process_mrelease, 0, -1), "process_mrelease(0, 0xffffffff)");
}

static void by_descriptor(pid_t other)
{
	CALL(syscall(SYS_pidfd_open, other, 0), "pidfd_open(" ID ", 0)", other);
	CALL(syscall(SYS_pidfd_send_signal, 3, 0, NULL, 0), "pidfd_send_signal(3, 0, NULL, 0)");
	CALL(syscall(SYS_pidfd_send_signal, -1, 12, NULL, 0), "pidfd_send_signal(-1, SIGUSR2, NULL, 0)");
	CALL(syscall(SYS_pidfd_send_signal, -1, 99, BAD, 0), "pidfd_send_signal(-1, 99, 0xbad, 0)");
	CALL(syscall(SYS_pidfd_send_signal, 3, SIGCONT, BAD, 0), "pidfd_send_signal(3, SIGCONT, 0xbad, 0)");
	CALL(syscall(SYS_pidfd_getfd, 3, -1, 0), "pidfd_getfd(3, -1, 0)");
	CALL(syscall(SYS_pidfd_getfd, -1, 0, 0), "pidfd_getfd(-1, 0, 0)");
	CALL(syscall(SYS_pidfd_getfd, 0, 77, -1), "pidfd_getfd(0, 77, 0xffffffff)");
	CALL(syscall(SYS_close, 3), "close(3)");
}

static void traced(void)
{
	CALL(syscall(SYS_ptrace, PTRACE_PEEKDATA, -1L, BAD, BAD),
	     "ptrace(PTRACE_PEEKDATA, -1, 0xbad, 0xbad)");
	CALL(syscall(SYS_ptrace, PTRACE_CONT, -1L, NULL, 10L), "ptrace(PTRACE_CONT, -1, NULL, SIGUSR1)");
	CALL(syscall(SYS_ptrace, PTRACE_SETOPTIONS, -1L, NULL, 0x100005L),
	     "ptrace(PTRACE_SETOPTIONS, -1, NULL, PTRACE_O_TRACESYSGOOD|PTRACE_O_TRACEVFORK|"
	     "PTRACE_O_EXITKILL)");
	CALL(syscall(SYS_ptrace, PTRACE_GETREGSET, -1L, 1L, BAD),
	     "ptrace(PTRACE_GETREGSET, -1, NT_PRSTATUS, 0xbad)");
	CALL(syscall(SYS_ptrace, PTRACE_SETSIGINFO, -1L, NULL, NULL),
	     "ptrace(PTRACE_SETSIGINFO, -1, NULL, NULL)");
	CALL(syscall(SYS_ptrace, 0x9999L, -1L, BAD, -1L),
	     "ptrace(0x9999 /* PTRACE_??? */, -1, 0xbad, 0xffffffffffffffff)");
}

static void ends(pid_t other)
{
	unsigned long none = 0;

	CALL(syscall(SYS_get_robust_list, other, BAD, BAD), "get_robust_list(" ID ", 0xbad, 0xbad)", other);
	CALL(syscall(SYS_get_robust_list, -1, BAD, NULL), "get_robust_list(-1, 0xbad, NULL)");
	CALL(syscall(SYS_pidfd_open, other, 0), "pidfd_open(" ID ", 0)", other);
	CALL(syscall(SYS_pidfd_send_signal, 3, SIGKILL, NULL, 0), "pidfd_send_signal(3, SIGKILL, NULL, 0)");
	CALL_VARIES(syscall(SYS_wait4, other, NULL, 0, NULL), "wait4(" ID ", NULL, 0, NULL)", other);
	/* The signal of its end is blocked and waits: nothing comes in here. */
	CALL(syscall(SYS_rt_sigsuspend, BAD, 8L), "rt_sigsuspend(0xbad, 8)");
	CALL(syscall(SYS_rt_sigsuspend, &none, 4L), "rt_sigsuspend(%p, 4)", (void *)&none);
	CALL(syscall(SYS_rt_sigsuspend, NULL, 8L), "rt_sigsuspend(NULL, 8)");
}

int main(void)
{
	sigset_t child_signal;
	pid_t other;

	sigemptyset(&child_signal);
	sigaddset(&child_signal, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_signal, NULL);
	other = fork();
	if (other == 0) {
		for (;;)
			pause();
	}
	begin();
	memory(other);
	by_descriptor(other);
	traced();
	ends(other);
	end();
	return 0;
}
