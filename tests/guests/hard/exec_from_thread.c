/* exec by a thread that is not the leader, while the leader and others are in calls: the others
 * vanish, and the thread takes the leader's id. */
#include "../hard.h"

static char **arguments;
static pthread_barrier_t all_run;

static void *block(void *unused)
{
	pthread_barrier_wait(&all_run);
	pause();
	return unused;
}

static void *execute(void *unused)
{
	pthread_barrier_wait(&all_run);
	MUST(gettid() != getpid());
	execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
	MUST(!"exec works");
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1) {
		MUST(gettid() == getpid());
		printf("after exec\n");
		return 4;
	}
	arguments = argv;
	MUST(!pthread_barrier_init(&all_run, NULL, 5));
	for (int i = 0; i < 4; i++)
		MUST(!pthread_create(&thread, NULL, i == 2 ? execute : block, NULL));
	block(NULL);
	return 1;
}
