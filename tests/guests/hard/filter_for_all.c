/* A thread gives all threads a filter, which kills whoever asks for CPU time or reads a link, while
 * another one is in a call: that returns, and neither thread has asked for anything. */
#include "../hard.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static const char fifo[] = "filter_for_all.fifo";
static volatile pid_t reader;
static pthread_barrier_t opened;

static void *read_end(void *nothing)
{
	(void)nothing;
	pthread_barrier_wait(&opened);
	reader = syscall(SYS_gettid);
	int end = open(fifo, O_RDONLY);

	MUST(end >= 0);
	puts("the reader has its end");
	return NULL;
}

/* The letter of a thread's state in its `stat`. */
static char state(pid_t thread)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
	int file = open(path, O_RDONLY);

	MUST(file >= 0 && read(file, text, sizeof text - 1) > 0 && close(file) == 0);
	return strrchr(text, ')')[2];
}

int main(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_readlink, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
	pthread_t thread;

	MUST(mkfifo(fifo, 0600) == 0);
	MUST(pthread_barrier_init(&opened, NULL, 2) == 0);
	MUST(pthread_create(&thread, NULL, read_end, NULL) == 0);
	/* An agent makes a call that it has seen there. */
	for (int i = 0; i < 3; i++)
		MUST(state(getpid()) == 'R');
	pthread_barrier_wait(&opened);
	while (!reader || state(reader) != 'S')
		sched_yield();
	MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
	MUST(open(fifo, O_WRONLY) >= 0);
	MUST(pthread_join(thread, NULL) == 0);
	MUST(unlink(fifo) == 0);
	puts("both live");
	return 0;
}
