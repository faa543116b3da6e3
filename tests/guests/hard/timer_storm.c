/* @alone no: where each call of a handler stops, the next timer comes before it has returned.
 * Timers that fire into threads which do nothing but call. Handlers see the program only, never a
 * tracer's code; they call, they jump out, and each call is in the trace once. */
#include "../hard.h"
#include <setjmp.h>
#include <sys/time.h>
#include <ucontext.h>

#define ROUNDS 600
#define THREADS 2

/* A mapping of a file, in which code may lie that belongs to the program. */
struct text {
	unsigned long start, end;
};

static struct text texts[256];
static int text_count;
static volatile sig_atomic_t handled, strangers;
static _Atomic long getppids, getuids;
static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t may_jump;

static void read_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], name[256], rights[8];
	unsigned long start, end;

	MUST(maps);
	while (fgets(line, sizeof line, maps)) {
		name[0] = 0;
		MUST(sscanf(line, "%lx-%lx %7s %*s %*s %*s %255[^\n]", &start, &end, rights, name) >= 3);
		if (strchr(rights, 'x') && (strchr(name, '/') == name || strstr(name, "[v"))
		    && !strstr(name, "memfd") && text_count < 256)
			texts[text_count++] = (struct text){ start, end };
	}
	fclose(maps);
}

static void look(ucontext_t *context)
{
	unsigned long rip = context->uc_mcontext.gregs[REG_RIP];

	for (int i = 0; i < text_count; i++)
		if (rip >= texts[i].start && rip < texts[i].end)
			return;
	strangers++;
}

static void on_alarm(int number, siginfo_t *info, void *context)
{
	int error = errno;

	(void)number, (void)info;
	look(context);
	handled++;
	if (syscall(SYS_getuid) >= 0)
		getuids++;
	errno = error;
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void *calls(void *unused)
{
	while (handled < ROUNDS) {
		syscall(SYS_getppid);
		getppids++;
	}
	return unused;
}

static void often(int microseconds)
{
	struct itimerval time = { { 0, microseconds }, { 0, microseconds } };

	MUST(!setitimer(ITIMER_REAL, &time, NULL));
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t threads[THREADS];
	volatile int jumps = 0;

	read_mappings();
	MUST(!sigaction(SIGALRM, &action, NULL));
	often(250);
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_create(&threads[i], NULL, calls, NULL));
	for (int i = 0; i < THREADS; i++)
		MUST(!pthread_join(threads[i], NULL));
	printf("count getppid %ld\n", (long)getppids);

	/* Out of a handler, past whatever call was about to be made. */
	handled = 0;
	while (jumps < 400) {
		if (sigsetjmp(back, 1)) {
			jumps++;
			continue;
		}
		may_jump = 1;
		while (may_jump)
			syscall(SYS_getgid);
	}
	often(0);
	may_jump = 0;
	printf("jumped out of %d\n", jumps);
	printf("handlers found the program elsewhere: %d\n", strangers);
	printf("count getuid %ld\n", (long)getuids);
	return 0;
}
