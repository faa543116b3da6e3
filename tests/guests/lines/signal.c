/* Signal set-up and delivery.
 *
 * @steady
 */
#include "../guest.h"
#include <signal.h>
#include <sys/signalfd.h>
#include <ucontext.h>

/* rt_sigaction's struct as the kernel wants it, and the return from a handler. */
struct kernel_sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

void return_from_handler(void);
__asm__("return_from_handler:\n\tmov $15, %eax\n\tsyscall\n");

static volatile int handled;
static int self, user;

static void handler(int number)
{
	handled = number;
}

static void masks(void)
{
	unsigned long mask = 1UL << (SIGUSR1 - 1) | 1UL << (SIGTERM - 1), all = -1UL, old = 0, few = 1UL << (SIGHUP - 1);

	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &old, 8L), "rt_sigprocmask(SIG_BLOCK, [USR1 TERM], [], 8)");
	CALL(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8L), "rt_sigprocmask(SIG_SETMASK, ~[], NULL, 8)");
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &old, 8L),
	     "rt_sigprocmask(SIG_BLOCK, NULL, ~[KILL STOP], 8)");
	CALL(syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &few, NULL, 8L), "rt_sigprocmask(SIG_UNBLOCK, [HUP], NULL, 8)");
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, (void *)1, NULL, 8L), "rt_sigprocmask(SIG_BLOCK, 0x1, NULL, 8)");
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 4L), "rt_sigprocmask(SIG_BLOCK, %p, NULL, 4)",
	     (void *)&mask);
	mask = 0;
	CALL(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8L), "rt_sigprocmask(SIG_SETMASK, [], NULL, 8)");
	CALL(syscall(SYS_rt_sigpending, &old, 8L), "rt_sigpending([], 8)");
}

static void actions(void)
{
	struct kernel_sigaction action = { handler, 0x04000000 | SA_RESTART, return_from_handler, 1UL << (SIGINT - 1) };
	struct kernel_sigaction ignore = { SIG_IGN, 0, NULL, 0 }, old;

	CALL(syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8L),
	     "rt_sigaction(SIGUSR1, {sa_handler=%p, sa_mask=[INT], sa_flags=SA_RESTORER|SA_RESTART, sa_restorer=%p}, NULL, 8)",
	     (void *)handler, (void *)return_from_handler);
	CALL(syscall(SYS_rt_sigaction, SIGUSR2, &ignore, &old, 8L),
	     "rt_sigaction(SIGUSR2, {sa_handler=SIG_IGN, sa_mask=[], sa_flags=0}, "
	     "{sa_handler=SIG_DFL, sa_mask=[], sa_flags=0}, 8)");
	CALL(syscall(SYS_rt_sigaction, SIGKILL, &ignore, NULL, 8L),
	     "rt_sigaction(SIGKILL, {sa_handler=SIG_IGN, sa_mask=[], sa_flags=0}, NULL, 8)");
	CALL(syscall(SYS_rt_sigaction, SIGHUP, NULL, NULL, 8L), "rt_sigaction(SIGHUP, NULL, NULL, 8)");
	CALL(syscall(SYS_rt_sigaction, 100, NULL, NULL, 8L), "rt_sigaction(100, NULL, NULL, 8)");
}

static void delivery(void)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	

	CALL(syscall(SYS_kill, self, SIGUSR1), "kill(" ID ", SIGUSR1)", self);
	LINE("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=" ID ", si_uid=%d} ---", self, user);
	LINE("rt_sigreturn({mask=[]}) = 0");
	CALL(syscall(SYS_tgkill, self, self, SIGUSR1), "tgkill(" ID ", " ID ", SIGUSR1)", self, self);
	LINE("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=" ID ", si_uid=%d} ---", self, user);
	LINE("rt_sigreturn({mask=[]}) = 0");
	info.si_pid = self;
	info.si_uid = 5;
	info.si_value.sival_ptr = (void *)0x1234;
	CALL(syscall(SYS_rt_sigqueueinfo, self, SIGUSR1, &info),
	     "rt_sigqueueinfo(" ID ", SIGUSR1, {si_signo=SIGUSR1, si_code=SI_QUEUE, si_pid=" ID ", si_uid=5, "
	     "si_int=4660, si_ptr=0x1234})",
	     self, self);
	LINE("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_QUEUE, si_pid=" ID ", si_uid=5, si_int=4660, si_ptr=0x1234} ---", self);
	LINE("rt_sigreturn({mask=[]}) = 0");
	CALL(syscall(SYS_kill, self, 0), "kill(" ID ", 0)", self);
	CALL(syscall(SYS_kill, 0x7fffffff, SIGTERM), "kill(2147483647, SIGTERM)");
	CALL(syscall(SYS_tkill, -1, SIGTERM), "tkill(-1, SIGTERM)");
	CALL(syscall(SYS_tgkill, self, self, 100), "tgkill(" ID ", " ID ", 100)", self, self);
}

static void waiting(void)
{
	unsigned long mask = 1UL << (SIGUSR1 - 1);
	struct timespec soon = { 0, 1000 };
	static siginfo_t info;
	stack_t stack = { .ss_flags = SS_DISABLE };
	

	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 8L), "rt_sigprocmask(SIG_BLOCK, [USR1], NULL, 8)");
	CALL(syscall(SYS_rt_sigtimedwait, &mask, &info, &soon, 8L),
	     "rt_sigtimedwait([USR1], %p, {tv_sec=0, tv_nsec=1000}, 8)", (void *)&info);
	CALL(syscall(SYS_kill, self, SIGUSR1), "kill(" ID ", SIGUSR1)", self);
	CALL(syscall(SYS_rt_sigpending, &mask, 8L), "rt_sigpending([USR1], 8)");
	CALL_AS("%ld (SIGUSR1)", syscall(SYS_rt_sigtimedwait, &mask, &info, NULL, 8L),
		"rt_sigtimedwait([USR1], {si_signo=SIGUSR1, si_code=SI_USER, si_pid=" ID ", si_uid=%d}, NULL, 8)", self, user);
	CALL(syscall(SYS_signalfd4, -1, &mask, 8L, SFD_CLOEXEC | SFD_NONBLOCK),
	     "signalfd4(-1, [USR1], 8, SFD_CLOEXEC|SFD_NONBLOCK)");
	CALL(syscall(SYS_sigaltstack, &stack, NULL),
	     "sigaltstack({ss_sp=NULL, ss_flags=SS_DISABLE, ss_size=0}, NULL)");
	CALL(syscall(SYS_sigaltstack, (void *)1, NULL), "sigaltstack(0x1, NULL)");
}

int main(void)
{
	self = getpid();
	user = getuid();
	begin();
	masks();
	actions();
	delivery();
	waiting();
	end();
	return handled == SIGUSR1 ? 0 : 1;
}
