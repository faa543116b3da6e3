/* Calls that last until a signal comes or a process ends, and what stands behind signal handlers. */
#include "../guest_i386.h"

enum {
	USR1 = 10,
	USR2 = 12,
	CHLD = 17,
};

static long self, user;

static void handler(int signal)
{
	(void)signal;
}

/* Waits until the process sleeps in a call, and sends it a signal. */
static __attribute__((noreturn)) void send_to_sleeper(long pid)
{
	static char path[32] = "/proc/", text[64];
	char *end = path + 6;

	expected_length = 0;
	say_number(pid, 10);
	for (unsigned long at = 0; at < expected_length; at++)
		*end++ = expected[at];
	for (const char *rest = "/stat"; *rest;)
		*end++ = *rest++;
	for (;;) {
		long file = CALL(open, P(path), 0);
		const char *state = text;

		if (file < 0 || CALL(read, file, P(text), sizeof text - 1) < 0)
			CALL(exit_group, 1);
		CALL(close, file);
		while (*state && *state != ')')
			state++;
		if (*state && state[2] == 'S')
			break;
	}
	CALL(kill, pid, USR1);
	for (;;)
		CALL(exit_group, 0);
}

static void say_varying(long number)
{
	say("<?");
	say_number(number, 10);
	say("?>");
}

static void say_signal(const char *name, long from)
{
	say("--- ");
	say(name);
	say(" {si_signo=");
	say(name);
	say(", si_code=SI_USER, si_pid=");
	say_varying(from);
	say(", si_uid=");
	say_number(user, 10);
	say("} ---\n");
}

static void say_kill(const char *name)
{
	say("kill(");
	say_varying(self);
	say(", ");
	say(name);
	say(") = 0\n");
}

static void signals(long sender)
{
	CALL(pause);
	say("pause() = ? ERESTARTNOHAND (To be restarted if no handler)\n");
	say_signal("SIGUSR1", sender);
	say("sigreturn({mask=[CHLD]}) = -1 EINTR (Interrupted system call)\n");
	CALL(kill, self, USR2);
	say_kill("SIGUSR2");
	say_signal("SIGUSR2", self);
	say("rt_sigreturn({mask=[CHLD]}) = 0\n");
	SHOW("sigprocmask(SIG_BLOCK, [USR1], NULL)", sigprocmask, 0, LONGS(1 << (USR1 - 1)));
	CALL(kill, self, USR1);
	say_kill("SIGUSR1");
	CALL(sigsuspend, 0, 0, 1 << (CHLD - 1));
	say("sigsuspend([CHLD]) = ? ERESTARTNOHAND (To be restarted if no handler)\n");
	say_signal("SIGUSR1", self);
	say("sigreturn({mask=[USR1 CHLD]}) = -1 EINTR (Interrupted system call)\n");
}

/* Its child has no stack of its own: it may not return from anywhere. */
static long vforked(void)
{
	long result;

	__asm__ volatile("int $0x80\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "mov %2, %%eax\n\t"
			 "mov $4, %%ebx\n\t"
			 "int $0x80\n"
			 "1:"
			 : "=a"(result)
			 : "0"(__NR_vfork), "i"(__NR_exit_group)
			 : "ebx", "memory");
	return result;
}

static void say_wait(long child, const char *status)
{
	say("waitpid(");
	say_varying(child);
	say(", [{WIFEXITED(s) && WEXITSTATUS(s) == ");
	say(status);
	say("}], 0) = ");
	say_varying(child);
	say("\n");
}

static void processes(void)
{
	long child = CALL(fork);

	if (child == 0)
		CALL(exit_group, 3);
	say("fork() = ");
	say_varying(child);
	say("\n");
	CALL(waitpid, child, P(buffer), 0);
	say_wait(child, "3");
	child = vforked();
	say("vfork() = ");
	say_varying(child);
	say("\n");
	CALL(waitpid, child, P(buffer), 0);
	say_wait(child, "4");
}

static void guest(void)
{
	long sender;

	self = CALL(getpid);
	user = CALL(getuid32);
	CALL(sigaction, USR1, LONGS(P(handler), 0, 0, 0));
	CALL(rt_sigaction, USR2, LONGS(P(handler), 4, 0, 0, 0), 0, 8);
	CALL(sigprocmask, 0, LONGS(1 << (CHLD - 1)));
	sender = CALL(fork);
	if (sender == 0)
		send_to_sleeper(CALL(getppid));
	begin();
	signals(sender);
	processes();
	SHOW("restart_syscall(<... resuming interrupted waitpid ...>)", restart_syscall);
	end();
}
