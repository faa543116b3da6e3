/* Processes whose threads are killed, stopped and continued, or die of a signal, in every phase of
 * their life: while they run, fork, make threads, execute programs, and end. */
#include "../hard.h"
#include <spawn.h>
#include <sys/resource.h>

extern char **environ;

static uint32_t state = 4711;

static void *ends(void *unused)
{
	syscall(SYS_getppid);
	return unused;
}

static void *makes_threads(void *unused)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, ends, NULL))
			pthread_join(thread, NULL);
	return unused;
}

static void *forks(void *unused)
{
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	return unused;
}

static void *spawns(void *unused)
{
	char *const arguments[] = { "true", NULL };
	pid_t child;

	for (;;)
		if (!posix_spawnp(&child, "true", NULL, NULL, arguments, environ))
			waitpid(child, NULL, 0);
	return unused;
}

static void *calls(void *unused)
{
	for (;;)
		syscall(SYS_getppid);
	return unused;
}

static void *executes(void *unused)
{
	/* From a thread that is not the first: all others end, and the process goes on as this. */
	execl("/proc/self/exe", "phases", "again", NULL);
	return unused;
}

static void *exits(void *unused)
{
	for (int i = pick(&state, 300); i; i--)
		syscall(SYS_getppid);
	_exit(7);
	return unused;
}

static void *(*const lives[])(void *) = { calls, makes_threads, forks, spawns, executes };
#define LIVES (sizeof lives / sizeof *lives)

/* A process with threads that do one of these, and with one that calls beside them. */
static _Noreturn void live(unsigned kind)
{
	struct rlimit none = { 0, 0 };
	pthread_t thread;

	/* Whatever it has made ends with it. */
	MUST(!setrlimit(RLIMIT_CORE, &none));
	pthread_create(&thread, NULL, calls, NULL);
	pthread_create(&thread, NULL, lives[kind], NULL);
	calls(NULL);
	_exit(1);
}

static pid_t start(unsigned kind)
{
	pid_t child = fork();

	MUST(child >= 0);
	if (child == 0)
		live(kind);
	return child;
}

/* SIGKILL, and signals that nobody handles; not those that execute a program: of a signal that a
 * tracer is told of by a thread which ends within another one's execve(2), the kernel knows nothing
 * any more (ptrace(2)). */
static void kill_each(void)
{
	static const int deadly[] = { SIGKILL, SIGTERM, SIGSEGV, SIGKILL, SIGUSR1 };
	int right = 0;

	for (unsigned i = 0; i < 100; i++) {
		int other = deadly[pick(&state, sizeof deadly / sizeof *deadly)];
		int number = lives[i % LIVES] == executes ? SIGKILL : other;
		pid_t child = start(i % LIVES);

		usleep(pick(&state, 2500));
		MUST(!kill(child, number));
		right += WTERMSIG(await(child)) == number;
	}
	printf("%d were killed by their signals\n", right);
}

/* Stopped and continued before it is killed; not those that execute a program. */
static void stop_each(void)
{
	int stops = 0;

	for (unsigned i = 0; i < 50; i++) {
		pid_t child = start(i % (LIVES - 1));
		int status;

		for (int j = 0; j < 4; j++) {
			usleep(pick(&state, 800));
			MUST(!kill(child, SIGSTOP));
			MUST(waitpid(child, &status, WUNTRACED) == child);
			MUST(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
			MUST(!kill(child, SIGCONT));
			MUST(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
			stops++;
		}
		MUST(!kill(child, SIGKILL));
		MUST(WTERMSIG(await(child)) == SIGKILL);
	}
	printf("%d stops, each continued\n", stops);
}

/* A thread ends the process while others make threads, processes and calls. */
static void exit_each(void)
{
	int right = 0;

	for (unsigned i = 0; i < 60; i++) {
		pid_t child = fork();

		MUST(child >= 0);
		if (child == 0) {
			pthread_t thread;

			state += i;
			pthread_create(&thread, NULL, lives[i % (LIVES - 1)], NULL);
			pthread_create(&thread, NULL, exits, NULL);
			calls(NULL);
		}
		right += WEXITSTATUS(await(child)) == 7;
	}
	printf("%d ended as one of their threads said\n", right);
}

int main(int count, char **arguments)
{
	(void)arguments;
	if (count > 1)
		live(0);
	kill_each();
	stop_each();
	exit_each();
	return 0;
}
