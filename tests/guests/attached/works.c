/* Four threads that make calls and get signals for as long as lines come in. To each line it answers
 * when every thread has made some more rounds. Ends with the input; the status is 5. Of the letters of
 * its argument, with c they make children, with m their signal handler masks all signals, and with f
 * calls name memory that is not there. */
#include "../hard.h"
#include <spawn.h>
#include <stdatomic.h>
#include <sys/time.h>

#define THREADS 4

static atomic_long rounds[THREADS], taken;
static atomic_int over;
static int children, faults;

static void take(int signal)
{
	int saved = errno;

	(void)signal;
	taken++;
	MUST(syscall(SYS_getppid) > 0);
	errno = saved;
}

static void make_child(long round)
{
	char *args[] = { "true", NULL }, *none[] = { NULL };
	pid_t child;
	int calls, status;

	if (round % 2) {
		child = fork();
		MUST(child >= 0);
		if (child == 0) {
			for (calls = 0; calls < 20; calls++)
				if (syscall(SYS_getppid) < 0)
					_exit(1);
			_exit(0);
		}
	} else {
		MUST(posix_spawn(&child, "/bin/true", NULL, NULL, args, none) == 0);
	}
	status = await(child);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *work(void *argument)
{
	atomic_long *round = argument;
	struct timespec pause = { .tv_nsec = 500000 };
	sigset_t all, before;
	int ends[2];
	ssize_t got;
	char byte;

	sigfillset(&all);
	MUST(pipe(ends) == 0);
	for (; !over; ++*round) {
		MUST(write(ends[1], "x", 1) == 1);
		while ((got = read(ends[0], &byte, 1)) < 0)
			MUST(errno == EINTR);
		MUST(got == 1 && byte == 'x');
		MUST(syscall(SYS_getppid) > 0);
		MUST(!faults || (write(ends[1], (void *)8, 1) == -1 && errno == EFAULT));
		if (*round % 16 == 0)
			nanosleep(&pause, NULL);
		if (*round % 32 == 1) {
			MUST(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
			MUST(syscall(SYS_gettid) > 0);
			MUST(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
			MUST(!sigismember(&before, SIGSYS));
		}
		if (children && *round % 256 == 2)
			make_child(*round / 256);
	}
	return NULL;
}

int main(int count, char **args)
{
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } };
	struct sigaction action = { .sa_handler = take, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	long before[THREADS];
	char line[64];
	int index;

	children = count > 1 && strchr(args[1], 'c');
	faults = count > 1 && strchr(args[1], 'f');
	if (count > 1 && strchr(args[1], 'm'))
		sigfillset(&action.sa_mask);
	MUST(sigaction(SIGALRM, &action, NULL) == 0);
	for (index = 0; index < THREADS; index++)
		MUST(pthread_create(&threads[index], NULL, work, &rounds[index]) == 0);
	MUST(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	while (fgets(line, sizeof(line), stdin)) {
		for (index = 0; index < THREADS; index++)
			before[index] = rounds[index];
		for (index = 0; index < THREADS; index++)
			while (rounds[index] < before[index] + 300)
				sched_yield();
		fputs(line, stdout);
		fflush(stdout);
	}
	over = 1;
	for (index = 0; index < THREADS; index++)
		MUST(pthread_join(threads[index], NULL) == 0);
	MUST(taken > 0);
	return 5;
}
