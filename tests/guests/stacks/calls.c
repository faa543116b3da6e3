/* Calls from places whose callers are known: in main, in a signal handler (also on a stack of its own),
 * in a thread, after fork, in code made at run time. Before each the
 * program prints who has called it, the innermost first, with the lines where they go on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" ::: "memory")

APART static void leaf(const char *label)
{
	write(-1, label, strlen(label)); /* leaf */
	KEEP;
}

APART static void middle(const char *label)
{
	leaf(label); /* middle */
	KEEP;
}

APART static void handler(int signal)
{
	middle(signal == SIGUSR1 ? "signal" : "own"); /* handler */
	KEEP;
}

APART static void *thread(void *unused)
{
	middle("thread"); /* thread */
	KEEP;
	return unused;
}

/* A frame whose size is known only at run time. */
APART static void wide(int size)
{
	volatile char *room = __builtin_alloca(size);

	room[size - 1] = 1;
	middle("wide"); /* wide */
	KEEP;
}

APART static void deep(int left)
{
	if (left > 0)
		deep(left - 1); /* deep */
	else
		leaf("deep"); /* deepest */
	KEEP;
}

APART static int made(void)
{
	/* push %rbx; sub $24,%rsp; mov $110,%eax; syscall; add $24,%rsp; pop %rbx; ret */
	static const unsigned char code[] = { 0x53, 0x48, 0x83, 0xec, 24, 0xb8, 110, 0, 0, 0, 0x0f, 0x05,
					      0x48, 0x83, 0xc4, 24, 0x5b, 0xc3 };
	void *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*run)(void);
	int result;

	memcpy(page, code, sizeof code);
	memcpy(&run, &page, sizeof run);
	result = run(); /* made */

	KEEP;
	return result;
}

int main(void)
{
	static char room[1 << 16];
	stack_t own = { .ss_sp = room, .ss_size = sizeof room };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	pthread_t other;

	printf("plain: leaf middle main\n");
	printf("signal: leaf middle handler main\n");
	printf("own: leaf middle handler main\n");
	printf("thread: leaf middle thread\n");
	printf("wide: leaf middle wide main\n");
	printf("deep: leaf deepest deep deep deep main\n");
	printf("forked: leaf middle main\n");
	printf("getppid: made main\n");
	fflush(stdout);

	middle("plain"); /* main */
	signal(SIGUSR1, handler);
	raise(SIGUSR1); /* main */
	sigaltstack(&own, 0);
	sigaction(SIGUSR2, &action, 0);
	raise(SIGUSR2); /* main */
	pthread_create(&other, 0, thread, 0);
	pthread_join(other, 0);
	wide(3000); /* main */
	deep(3); /* main */
	if (fork() == 0) {
		middle("forked"); /* main */
		_exit(0);
	}
	wait(0);
	made(); /* main */
	return 0;
}
