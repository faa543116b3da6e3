/* Signals into sleeping calls: reads, sleeps, futexes and polls are interrupted or go on, as the
 * handler's flags say; sigwaitinfo takes signals; a thread is cancelled in its read. */
#include "../hard.h"
#include <linux/futex.h>
#include <poll.h>
#include <sys/time.h>
#include <time.h>

#define ROUNDS 200

static volatile sig_atomic_t handled;
static int ends[2];
static uint32_t word;

static void on_signal(int number)
{
	(void)number;
	handled++;
}

static void on_signal_write(int number)
{
	handled++;
	if (handled % 8 == 0)
		MUST(write(ends[1], "x", 1) == 1);
	(void)number;
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	MUST(!sigaction(number, &action, NULL));
}

static void often(int microseconds)
{
	struct itimerval time = { { 0, microseconds }, { 0, microseconds } };

	MUST(!setitimer(ITIMER_REAL, &time, NULL));
}

static long waits_for_futex(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void *reads(void *unused)
{
	char byte;

	while (read(ends[0], &byte, 1) >= 0)
		;
	return unused;
}

int main(void)
{
	struct timespec hour = { 3600, 0 }, left;
	struct pollfd none;
	int reads_cut = 0, sleeps = 0, futexes = 0, polls = 0, whole = 0, taken = 0;
	char byte;
	sigset_t set;
	siginfo_t info;
	pthread_t thread;
	void *result;

	MUST(!pipe(ends));
	none = (struct pollfd){ ends[0], POLLIN, 0 };
	handle(SIGALRM, on_signal, 0);
	often(200);
	for (int i = 0; i < ROUNDS; i++) {
		reads_cut += read(ends[0], &byte, 1) < 0 && errno == EINTR;
		sleeps += nanosleep(&hour, &left) < 0 && errno == EINTR && left.tv_sec >= 3590;
		futexes += waits_for_futex() < 0 && errno == EINTR;
		polls += poll(&none, 1, 100000) < 0 && errno == EINTR;
	}
	printf("interrupted: %d reads, %d sleeps, %d futexes, %d polls\n", reads_cut, sleeps,
	       futexes, polls);

	handle(SIGALRM, on_signal_write, SA_RESTART);
	for (int i = 0; i < ROUNDS; i++)
		whole += read(ends[0], &byte, 1) == 1;
	often(0);
	printf("restarted reads: %d\n", whole);

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	MUST(!sigprocmask(SIG_BLOCK, &set, NULL));
	often(200);
	for (int i = 0; i < ROUNDS; i++)
		taken += sigwaitinfo(&set, &info) == SIGALRM && info.si_signo == SIGALRM;
	often(0);
	printf("taken by sigwaitinfo: %d\n", taken);

	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (read(ends[0], &byte, 1) > 0)
		;
	fcntl(ends[0], F_SETFL, 0);
	for (int i = 0; i < 50; i++) {
		MUST(!pthread_create(&thread, NULL, reads, NULL));
		if (i % 2)
			MUST(write(ends[1], "x", 1) == 1);
		MUST(!pthread_cancel(thread));
		MUST(!pthread_join(thread, &result));
		MUST(result == PTHREAD_CANCELED);
	}
	printf("cancelled\n");
	return 0;
}
