/* Signals while calls block: restarted, interrupted, nested, and many of them. */
#include "../hard.h"
#include <sys/time.h>

static int ends[2];
static volatile sig_atomic_t handled, depth, deepest;

static void write_a_byte(int number)
{
	(void)number;
	handled++;
	MUST(write(ends[1], "x", 1) == 1);
}

static void only_count(int number)
{
	(void)number;
	handled++;
}

static void nested(int number)
{
	if (++depth > deepest)
		deepest = depth;
	if (number == SIGUSR1)
		raise(SIGUSR2);
	handled++;
	depth--;
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	MUST(!sigaction(number, &action, NULL));
}

/* A child that sends `number` when the parent sleeps in a call, again and again until killed. */
static pid_t sender(int number)
{
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		char state, line[256], path[64];

		sprintf(path, "/proc/%d/stat", parent);
		for (;;) {
			int file = open(path, O_RDONLY);
			ssize_t length = read(file, line, sizeof line - 1);

			close(file);
			if (length <= 0)
				_exit(1);
			line[length] = 0;
			state = strrchr(line, ')')[2];
			if (state == 'S')
				kill(parent, number);
			sched_yield();
		}
	}
	return child;
}

static void end(pid_t child)
{
	MUST(!kill(child, SIGKILL));
	await(child);
}

int main(void)
{
	char byte;
	pid_t child;
	ssize_t got;
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };

	MUST(!pipe(ends));
	handle(SIGUSR1, write_a_byte, SA_RESTART);
	child = sender(SIGUSR1);
	printf("a restarted read: %zd\n", read(ends[0], &byte, 1));
	handle(SIGUSR1, SIG_IGN, 0);
	end(child);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (read(ends[0], &byte, 1) > 0)
		;
	fcntl(ends[0], F_SETFL, 0);

	handle(SIGUSR2, only_count, 0);
	child = sender(SIGUSR2);
	got = read(ends[0], &byte, 1);
	printf("an interrupted read: %zd, errno is EINTR: %d\n", got, errno == EINTR);
	handle(SIGUSR2, SIG_IGN, 0);
	end(child);

	handled = 0;
	handle(SIGUSR1, nested, 0);
	handle(SIGUSR2, nested, 0);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	printf("nested: %d handled, %d deep\n", handled, deepest);

	handled = 0;
	handle(SIGALRM, only_count, SA_RESTART);
	MUST(!setitimer(ITIMER_REAL, &often, NULL));
	while (handled < 200)
		syscall(SYS_getppid);
	MUST(!setitimer(ITIMER_REAL, &never, NULL));
	printf("many alarms\n");
	return 0;
}
