/* Bad pointers while SIGSEGV and SIGBUS are handled, blocked or ignored: each call fails with
 * EFAULT, and what becomes of the signals is as it was. */
#include "../hard.h"

#define ROUNDS 20

static char *volatile low = (char *)8, *volatile high = (char *)-4096;

static void on_fault(int number)
{
	(void)number;
	_exit(98);
}

static void say(const char *what)
{
	int wrong = 0;
	struct sigaction action;
	sigset_t blocked;

	for (int i = 0; i < ROUNDS; i++) {
		wrong += write(1, low, 5) != -1 || errno != EFAULT;
		wrong += open(low, O_RDONLY) != -1 || errno != EFAULT;
		wrong += access(high, R_OK) != -1 || errno != EFAULT;
	}
	MUST(!sigprocmask(SIG_BLOCK, NULL, &blocked));
	printf("%s: %d other than EFAULT;", what, wrong);
	for (int i = 0; i < 2; i++) {
		int number = i ? SIGBUS : SIGSEGV;
		const char *does = "is handled";

		MUST(!sigaction(number, NULL, &action));
		if (action.sa_handler == SIG_DFL)
			does = "kills";
		if (action.sa_handler == SIG_IGN)
			does = "is ignored";
		printf(" %s %s%s, flags %#x", i ? "SIGBUS" : "SIGSEGV", does,
		       sigismember(&blocked, number) ? ", is blocked" : "", action.sa_flags & SA_RESTART);
	}
	printf("\n");
	fflush(stdout);
}

static void both(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	MUST(!sigaction(SIGSEGV, &action, NULL) && !sigaction(SIGBUS, &action, NULL));
}

static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGBUS);
	MUST(!sigprocmask(how, &set, NULL));
}

static void probe(int number)
{
	(void)number;
	say("in a handler");
}

int main(void)
{
	say("default");
	both(on_fault, SA_RESTART);
	say("handled");
	block(SIG_BLOCK);
	say("handled and blocked");
	block(SIG_UNBLOCK);
	both(probe, SA_RESTART);
	raise(SIGSEGV);
	say("after the handler");
	both(SIG_IGN, SA_RESTART);
	say("ignored");
	both(probe, SA_RESETHAND | SA_NODEFER);
	block(SIG_BLOCK);
	say("handled once and blocked");
	block(SIG_UNBLOCK);
	raise(SIGSEGV);
	say("after the only time");
	return 0;
}
