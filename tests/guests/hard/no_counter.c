/* The processor's counter is taken away: calls go on in the thread, in its threads and children, and
 * in the next program, as far as it comes without: none of them may read it either. */
#include "../hard.h"
#include <sys/prctl.h>

#define ROUNDS 50

static void calls(void)
{
	for (int i = 0; i < ROUNDS; i++)
		MUST(getppid() > 0 && access("/", F_OK) == 0);
}

static void *calls_on(void *unused)
{
	calls();
	return unused;
}

static void say(const char *who)
{
	int mode;
	pthread_t thread;

	calls();
	MUST(!prctl(PR_GET_TSC, &mode));
	printf("%s: %s\n", who, mode == PR_TSC_SIGSEGV ? "has no counter" : "has it");
	fflush(stdout);
	MUST(!pthread_create(&thread, NULL, calls_on, NULL));
	MUST(!pthread_join(thread, NULL));
}

int main(int count, char **arguments)
{
	pid_t child;

	if (count > 1) {
		say("the next program");
		return 0;
	}
	say("at first");
	MUST(!prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
	say("then");
	child = fork();
	if (child == 0) {
		say("a child");
		execl("/proc/self/exe", arguments[0], "again", NULL);
		_exit(98);
	}
	say_end("the child", await(child));
	return 0;
}
