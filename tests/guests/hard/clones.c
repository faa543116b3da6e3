/* clone and clone3 with unusual flags. */
#include "../hard.h"
#include <linux/sched.h>

#define STACK (64 << 10)

static char stack[STACK] __attribute__((aligned(16)));
static volatile int shared;

static int child(void *argument)
{
	shared++;
	syscall(SYS_getppid);
	syscall(SYS_exit, (long)argument);
	return 0;
}

static void by_clone(const char *name, int flags)
{
	pid_t pid = clone(child, stack + STACK, flags, (void *)7);

	if (pid < 0)
		printf("%s: errno %d\n", name, errno);
	else
		say_end(name, await(pid));
}

static void by_clone3(const char *name, uint64_t flags)
{
	struct clone_args args = { .flags = flags, .exit_signal = SIGCHLD };
	pid_t pid = syscall(SYS_clone3, &args, sizeof args);

	if (pid == 0)
		child((void *)8);
	if (pid < 0)
		printf("%s: errno %d\n", name, errno);
	else
		say_end(name, await(pid));
}

int main(void)
{
	by_clone("CLONE_VM without CLONE_SETTLS", CLONE_VM | SIGCHLD);
	by_clone("CLONE_VM and CLONE_VFORK", CLONE_VM | CLONE_VFORK | SIGCHLD);
	by_clone("CLONE_UNTRACED", CLONE_UNTRACED | SIGCHLD);
	by_clone("CLONE_FILES and CLONE_FS", CLONE_FILES | CLONE_FS | SIGCHLD);
	by_clone("another signal", CLONE_VM | SIGUSR2);
	by_clone("no signal", CLONE_VM);
	by_clone("CLONE_THREAD without CLONE_SIGHAND", CLONE_THREAD | SIGCHLD);
	by_clone3("clone3", 0);
	by_clone3("clone3 with CLONE_VFORK", CLONE_VFORK);
	by_clone3("clone3 with CLONE_CLEAR_SIGHAND", CLONE_CLEAR_SIGHAND);
	by_clone3("clone3 with CLONE_DETACHED", CLONE_DETACHED);
	/* The parent's parent would be its waiter: only that it starts and ends counts. */
	if (fork() == 0) {
		pid_t pid = clone(child, stack + STACK, CLONE_PARENT | SIGCHLD, (void *)6);

		_exit(pid > 0 ? 3 : 4);
	}
	int sum = 0, status;

	for (int i = 0; i < 2; i++) {
		MUST(waitpid(-1, &status, __WALL) > 0);
		sum += WEXITSTATUS(status);
	}
	printf("CLONE_PARENT: statuses sum up to %d\n", sum);
	printf("shared: %d\n", shared);
	return 0;
}
