/* Programs that may not have what an agent needs, or whose state it must not disturb: they begin as
 * they do without. */
#include "../hard.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void ignore_traps(void)
{
	signal(SIGTRAP, SIG_IGN);
}

static void block_traps(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	MUST(!sigprocmask(SIG_BLOCK, &set, NULL));
}

static void leave_a_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	MUST(!sigprocmask(SIG_BLOCK, &set, NULL));
	raise(SIGUSR1);
}

static void limit_memory(void)
{
	struct rlimit limit = { 7 << 20, 7 << 20 };

	MUST(!setrlimit(RLIMIT_AS, &limit));
}

/* Nor even the first part of the agent. */
static void limit_memory_more(void)
{
	struct rlimit limit = { 4 << 20, 4 << 20 };

	MUST(!setrlimit(RLIMIT_AS, &limit));
}

static void forbid(int number, unsigned action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

static void forbid_files(void)
{
	forbid(SYS_memfd_create, SECCOMP_RET_ERRNO | EACCES);
}

static void trap_files(void)
{
	forbid(SYS_memfd_create, SECCOMP_RET_TRAP);
}

static const struct {
	const char *name;
	void (*prepare)(void);
} WAYS[] = {
	{ "ignored traps", ignore_traps },
	{ "blocked traps", block_traps },
	{ "a signal that waits", leave_a_signal },
	{ "little memory", limit_memory },
	{ "less memory", limit_memory_more },
	{ "no memory files", forbid_files },
	{ "trapped memory files", trap_files },
};

/* What the program that was executed finds. */
static int look(const char *name)
{
	sigset_t blocked, pending;
	struct sigaction trap;
	int open = 0;

	MUST(!sigprocmask(SIG_BLOCK, NULL, &blocked) && !sigpending(&pending));
	MUST(!sigaction(SIGTRAP, NULL, &trap));
	for (int fd = 0; fd < 100; fd++)
		open += fcntl(fd, F_GETFD) >= 0;
	printf("%s: ignored %d, blocked %d %d, pending %d %d, descriptors %d\n", name,
	       trap.sa_handler == SIG_IGN, sigismember(&blocked, SIGTRAP), sigismember(&blocked, SIGUSR1),
	       sigismember(&pending, SIGTRAP), sigismember(&pending, SIGUSR1), open);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1)
		return look(argv[1]);
	for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
		pid_t child = fork();

		MUST(child >= 0);
		if (!child) {
			WAYS[i].prepare();
			execl("/proc/self/exe", argv[0], WAYS[i].name, NULL);
			_exit(98);
		}
		say_end(WAYS[i].name, await(child));
	}
	printf("count getppid %zu\n", 100 * sizeof WAYS / sizeof *WAYS);
	return 0;
}
