/* Calls that are held up, before and behind them. Others go on meanwhile.
 *
 * @options -e inject=chdir:delay_enter=600ms -e inject=umask:delay_exit=0.6s
 * @options -e inject=rmdir:retval=5:delay_enter=300000:delay_exit=300000us
 */
#include "../hard.h"
#include <stdatomic.h>
#include <time.h>

static atomic_int rounds;

static long since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static void *others(void *unused)
{
	(void)unused;
	for (;;) {
		syscall(SYS_getppid);
		rounds++;
	}
	return NULL;
}

#define HELD_UP(expression)                                                                        \
	do {                                                                                       \
		int before = rounds;                                                               \
		struct timespec start;                                                             \
		clock_gettime(CLOCK_MONOTONIC, &start);                                            \
		MUST(expression);                                                                  \
		MUST(since(&start) >= 500);                                                        \
		MUST(rounds > before);                                                             \
	} while (0)

int main(void)
{
	pthread_t thread;
	pid_t child, stuck;
	int status;

	MUST(pthread_create(&thread, NULL, others, NULL) == 0);
	HELD_UP(chdir("/") == 0);
	HELD_UP(umask(022) >= 0);
	HELD_UP(rmdir("/nowhere") == 5);
	/* A child whose maker waits for it. */
	child = vfork();
	if (child == 0) {
		syscall(SYS_chdir, "/");
		_exit(0);
	}
	MUST(await(child) == 0);
	/* Two at once, and one that is killed while it is held up. */
	child = fork();
	if (child == 0)
		_exit(chdir("/"));
	stuck = fork();
	if (stuck == 0) {
		chdir("/");
		pause();
	}
	MUST(kill(stuck, SIGKILL) == 0);
	status = await(stuck);
	MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	MUST(await(child) == 0);
	return 0;
}
