/* @musl no
 * Programs that jump to where a tracer may have put code, with whatever is in their registers, or
 * have the kernel go there: what then becomes of them is their own affair, but nothing of it may be
 * seen by others. And other ways to the kernel than the usual one. */
#include "../hard.h"
#include <asm/prctl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/ucontext.h>

#define ROUNDS 30
#define IMAGE 0x70000000ul
#define IMAGE_LEN 0x3000ul
#define STEP 29
#define VSYSCALL_TIME 0xffffffffff600400ul

static void calls(void)
{
	for (int i = 0; i < ROUNDS; i++)
		MUST(getppid() > 0 && access("/", F_OK) == 0);
}

/* Whatever it does, it is over soon, and does not reach what its parent has open. */
static void alone(void (*does)(unsigned long), unsigned long argument)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct itimerval soon = { .it_value.tv_usec = 200000 };

		/* First of all: what a jump leads back behind one of these calls does not set it anew. */
		MUST(!setitimer(ITIMER_REAL, &soon, NULL));
		setpgid(0, 0);
		for (int fd = 0; fd < 10; fd++)
			close(fd);
		does(argument);
		_exit(0);
	}
	MUST(pid > 0);
	await(pid);
}

static void calls_at(unsigned long address)
{
	__asm__ volatile("sub $256, %%rsp\n\tcall *%1\n\tadd $256, %%rsp"
			 :
			 : "a"(SYS_getppid), "r"(address), "c"(IMAGE), "D"(-1l), "S"(8l), "d"(1l)
			 : "memory", "cc");
}

/* The handler returns to there. */
static volatile unsigned long back;

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)number, (void)info;
	user->uc_mcontext.gregs[REG_RIP] = back;
	user->uc_mcontext.gregs[REG_RAX] = SYS_getppid;
}

static void returns_to(unsigned long address)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	back = address;
	MUST(!sigaction(SIGUSR1, &action, NULL));
	raise(SIGUSR1);
}

static void jumps(void)
{
	calls();
	for (unsigned long at = 0; at < IMAGE_LEN; at += STEP) {
		alone(calls_at, IMAGE + at);
		calls();
	}
}

static void returns_from_handlers(void)
{
	calls();
	for (unsigned long at = 0; at < IMAGE_LEN; at += 8 * STEP) {
		alone(returns_to, IMAGE + at);
		calls();
	}
}

/* The kernel's own page of calls, which some systems do not have any more. */
static void asks_time(unsigned long address)
{
	((long (*)(long *))address)(NULL);
}

static void uses_vsyscalls(void)
{
	calls();
	for (int i = 0; i < 20; i++)
		alone(asks_time, VSYSCALL_TIME);
	calls();
}

static volatile char selector;
static volatile int dispatched;

static void on_dispatch(int number)
{
	(void)number;
	selector = 0;
	dispatched++;
}

/* Its own calls are signals. */
static void dispatches(void)
{
	struct sigaction action = { .sa_handler = on_dispatch };

	calls();
	MUST(!sigaction(SIGSYS, &action, NULL));
	if (syscall(SYS_prctl, 59, 1, 0, 0, &selector)) {
		printf("dispatched 20\n");
		return;
	}
	for (int i = 0; i < 20; i++) {
		calls();
		selector = 1;
		syscall(SYS_getppid);
	}
	selector = 0;
	printf("dispatched %d\n", dispatched);
	fflush(stdout);
}

/* Bases that a program cannot have, and one that nothing is mapped at. */
static void sets_gs(void)
{
	unsigned long bases[] = { ~0ul, 1ul << 47, 1ul << 63, 0x1234 };

	for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
		calls();
		printf("%ld ", syscall(SYS_arch_prctl, ARCH_SET_GS, bases[i]));
		fflush(stdout);
	}
	printf("\n");
	fflush(stdout);
	calls();
}

int main(void)
{
#define CHILD(does) in_child(#does, 100, does)
	CHILD(jumps);
	CHILD(returns_from_handlers);
	CHILD(uses_vsyscalls);
	CHILD(dispatches);
	CHILD(sets_gs);
	return 0;
}
