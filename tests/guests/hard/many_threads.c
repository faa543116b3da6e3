/* Hundreds of threads at the same time; then forks of a process that has some, with something mapped
 * where an agent might want to grow. */
#include "../hard.h"

enum { THREADS = 600, FEW = 40, CALLS = 20 };

static pthread_barrier_t barrier;

static void *call_a_few(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < CALLS; i++)
		MUST(syscall(SYS_getppid) == getppid());
	pthread_barrier_wait(&barrier);
	return unused;
}

static void run_threads(int count)
{
	pthread_t threads[THREADS];
	pthread_attr_t attributes;

	MUST(!pthread_attr_init(&attributes));
	MUST(!pthread_attr_setstacksize(&attributes, 1 << 16));
	MUST(!pthread_barrier_init(&barrier, NULL, count));
	for (int i = 0; i < count; i++)
		MUST(!pthread_create(&threads[i], &attributes, call_a_few, NULL));
	for (int i = 0; i < count; i++)
		MUST(!pthread_join(threads[i], NULL));
}

/* A child in which so many threads run; in it a page may be mapped first. */
static void run_child(int count, void *page)
{
	pid_t child = fork();

	MUST(child >= 0);
	if (!child) {
		if (page)
			MUST(mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				  -1, 0) == page);
		run_threads(count);
		_exit(0);
	}
	say_end("a child", await(child));
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	run_child(FEW, (void *)(0x2000000000 + 16 * 0x45000));
	run_child(FEW, NULL);
	run_threads(THREADS);
	run_child(FEW, NULL);
	printf("count getppid %d\n", 2 * CALLS * (THREADS + 3 * FEW));
	return 0;
}
