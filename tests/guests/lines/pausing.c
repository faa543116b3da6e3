/* Calls that last until a signal comes. */
#include "../guest.h"
#include <pthread.h>
#include <signal.h>

static pid_t waiter;
static uid_t user;

static void handler(int signal)
{
	(void)signal;
}

/* Sends a signal as soon as the first thread is in the call. */
static void *sender(void *unused)
{
	char path[64], number[8];
	ssize_t length;

	(void)unused;
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", waiter);
	do {
		int file = open(path, O_RDONLY);

		if (file < 0)
			abort();
		length = read(file, number, sizeof number);
		close(file);
	} while (length < 3 || strncmp(number, "34 ", 3));
	syscall(SYS_tgkill, waiter, waiter, SIGUSR1);
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	unsigned long mask = 1UL << (SIGUSR1 - 1), none = 0;
	pthread_t thread;

	waiter = getpid();
	user = getuid();
	if (sigaction(SIGUSR1, &action, NULL) || pthread_create(&thread, NULL, sender, NULL))
		abort();
	begin();
	syscall(SYS_pause);
	LINE("pause() = ? ERESTARTNOHAND (To be restarted if no handler)");
	LINE("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=" ID ", si_uid=%d} ---", waiter, user);
	LINE("rt_sigreturn({mask=[]}) = -1 EINTR (Interrupted system call)");
	CALL(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 8L), "rt_sigprocmask(SIG_BLOCK, [USR1], NULL, 8)");
	CALL(syscall(SYS_tgkill, waiter, waiter, SIGUSR1), "tgkill(" ID ", " ID ", SIGUSR1)", waiter, waiter);
	syscall(SYS_rt_sigsuspend, &none, 8L);
	LINE("rt_sigsuspend([], 8) = ? ERESTARTNOHAND (To be restarted if no handler)");
	LINE("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=" ID ", si_uid=%d} ---", waiter, user);
	LINE("rt_sigreturn({mask=[USR1]}) = -1 EINTR (Interrupted system call)");
	end();
	return 0;
}
