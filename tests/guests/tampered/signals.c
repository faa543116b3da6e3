/* Signals that come as calls are entered, as if the kernel had sent them.
 *
 * @options -e inject=pause,getppid,chdir:signal=USR1 -e inject=umask:signal=12:retval=1
 * @options -e inject=sync:signal=SIGRT_8
 */
#include "../hard.h"

static volatile sig_atomic_t count;
static siginfo_t last;

static void handler(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	last = *info;
	count++;
}

static void took(int signal)
{
	MUST(count == 1);
	MUST(last.si_signo == signal && last.si_code == SI_KERNEL && last.si_pid == 0);
	count = 0;
}

static void blocked(void)
{
	sigset_t set;

	/* One that is blocked waits. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	MUST(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	MUST(syscall(SYS_umask, 022) == 1);
	MUST(count == 0);
	MUST(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
	took(SIGUSR2);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };

	MUST(sigaction(SIGUSR1, &action, NULL) == 0);
	MUST(sigaction(SIGUSR2, &action, NULL) == 0);
	MUST(sigaction(40, &action, NULL) == 0);
	/* Else it would last for ever. */
	MUST(pause() == -1 && errno == EINTR);
	took(SIGUSR1);
	/* The call is made all the same. */
	MUST(chdir("/") == 0);
	took(SIGUSR1);
	for (int i = 0; i < 100; i++) {
		MUST(syscall(SYS_getppid) > 0);
		took(SIGUSR1);
	}
	sync();
	took(40);
	blocked();
	/* One that nobody sent for us looks as it is. */
	MUST(kill(getpid(), SIGUSR1) == 0);
	MUST(count == 1 && last.si_code == SI_USER && last.si_pid == getpid());
	return 0;
}
