/* Where the guest may run, by its own account, after it has made many calls: a tracer that moved
 * it must not show. */
#include "../hard.h"

static cpu_set_t natively;

/* Enough for a tracer to think about where this thread should run. */
static void many_calls(void)
{
	for (int i = 0; i < 200; i++)
		syscall(SYS_getppid);
}

static int everywhere(void)
{
	cpu_set_t now;

	many_calls();
	MUST(sched_getaffinity(0, sizeof now, &now) == 0);
	return CPU_EQUAL(&now, &natively);
}

/* The line of an open status file that says where its process may run. */
static void allowed(int fd, char line[4096])
{
	ssize_t length = pread(fd, line, 4095, 0);

	MUST(length > 0);
	line[length] = 0;
	char *from = strstr(line, "Cpus_allowed:");
	MUST(from);
	from[strcspn(from, "\n")] = 0;
	memmove(line, from, strlen(from) + 1);
}

static void *thread(void *name)
{
	printf("%s: %d\n", (char *)name, everywhere());
	return NULL;
}

int main(int argc, char **argv)
{
	char before[4096], now_allowed[4096];
	pthread_t other;

	MUST(sched_getaffinity(0, sizeof natively, &natively) == 0);
	if (argc == 2) {
		printf("after exec: %d, %d\n", CPU_COUNT(&natively) == atoi(argv[1]), everywhere());
		return 0;
	}
	int status = open("/proc/self/status", O_RDONLY);
	MUST(status >= 0);
	allowed(status, before);
	printf("main: %d\n", everywhere());
	many_calls();
	allowed(status, now_allowed);
	printf("its open status: %d\n", strcmp(before, now_allowed) == 0);
	close(status);

	many_calls();
	pid_t child = fork();
	if (child == 0) {
		cpu_set_t inherited;

		MUST(sched_getaffinity(0, sizeof inherited, &inherited) == 0);
		MUST(CPU_EQUAL(&inherited, &natively));
		_exit(everywhere());
	}
	say_end("the child", await(child));
	many_calls();
	MUST(pthread_create(&other, NULL, thread, "a thread") == 0);
	pthread_join(other, NULL);

	many_calls();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		char count[16];

		snprintf(count, sizeof count, "%d", CPU_COUNT(&natively));
		many_calls();
		execl(argv[0], argv[0], count, NULL);
		_exit(99);
	}
	say_end("the other program", await(child));

	/* One that binds itself stays where it has chosen to be. */
	cpu_set_t one, now;
	int last = CPU_SETSIZE - 1;

	while (!CPU_ISSET(last, &natively))
		last--;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	many_calls();
	MUST(sched_setaffinity(0, sizeof one, &one) == 0);
	many_calls();
	MUST(sched_getaffinity(0, sizeof now, &now) == 0);
	printf("where it wants to be: %d\n", CPU_EQUAL(&now, &one));
	printf("on that processor: %d\n", sched_getcpu() == last);
	return 0;
}
