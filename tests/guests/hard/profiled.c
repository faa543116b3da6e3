/* @musl no
 * A profiler: SIGPROF handlers that unwind the stack find their way from every call to main. */
#include "../hard.h"
#include <execinfo.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t samples, lost;

static void on_sample(int number)
{
	void *frames[64];
	int found = backtrace(frames, 64);

	(void)number;
	samples++;
	/* This handler, the signal's frame, a call's function, its callers, main and what is before. */
	if (found < 5)
		lost++;
}

static __attribute__((noinline)) void calls(int file)
{
	char byte;

	syscall(SYS_getppid);
	MUST(pread(file, &byte, 1, 0) == 1);
	MUST(lseek(file, 0, SEEK_SET) == 0);
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	struct itimerspec often = { { 0, 150000 }, { 0, 150000 } };
	struct sigaction action = { .sa_handler = on_sample, .sa_flags = SA_RESTART };
	int file = open("/proc/self/exe", O_RDONLY);
	void *frames[4];
	timer_t timer;
	long rounds = 0;

	MUST(file >= 0 && backtrace(frames, 4) > 0);
	MUST(!sigaction(SIGPROF, &action, NULL));
	MUST(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	MUST(!timer_settime(timer, 0, &often, NULL));
	while (samples < 600) {
		calls(file);
		rounds++;
	}
	MUST(!timer_delete(timer));
	printf("stacks cut short: %d\n", lost);
	printf("count lseek %ld\n", rounds);
	return 0;
}
