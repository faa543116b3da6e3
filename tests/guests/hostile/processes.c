/* Other processes that could do it, and the supervisor itself. */
#include "hostile.h"
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

static char stack[1 << 16] __attribute__((aligned(16)));

static pid_t tracer(void)
{
	char line[128];
	int id = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof line, status))
		sscanf(line, "TracerPid: %d", &id);
	if (status)
		fclose(status);
	return id;
}

static int child(void *unused)
{
	(void)unused;
	_exit(tells_path("secret/file"));
}

static int program(void *unused)
{
	char *args[] = { "secret/program", "won", "program", NULL };

	(void)unused;
	execve(args[0], args, NULL);
	_exit(0);
}

static int by_clone(int (*body)(void *), int flags)
{
	int status = 0;
	pid_t made = clone(body, stack + sizeof stack, flags | SIGCHLD, NULL);

	if (made < 0)
		return 0;
	while (waitpid(made, &status, __WALL) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* A child that we trace, and whose call we change at its entry. */
static int by_tracing(void)
{
	struct user_regs_struct registers;
	int status = 0;
	pid_t traced = fork();

	if (traced == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(tells_path("secret/file"));
	}
	waitpid(traced, &status, WUNTRACED);
	while (WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, traced, 0, &registers);
		if (ptrace(PTRACE_SYSCALL, traced, 0, 0) < 0)
			kill(traced, SIGCONT);
		if (waitpid(traced, &status, WUNTRACED) < 0)
			break;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void *execute(void *unused)
{
	(void)unused;
	program(NULL);
	return NULL;
}

/* By a thread that is not its process's first one. */
static int from_thread(void)
{
	int status = 0;
	pid_t made = fork();

	if (made == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, execute, NULL);
		pthread_join(thread, NULL);
		_exit(0);
	}
	waitpid(made, &status, 0);
	return 0;
}

static int reads_memory(pid_t of)
{
	char name[64];
	int fd, got;
	unsigned long word = 0;
	struct iovec here = { &word, sizeof word }, there = { (void *)0x400000, sizeof word };

	if (of == 0)
		return 0;
	snprintf(name, sizeof name, "/proc/%d/mem", of);
	fd = open(name, O_RDWR);
	if (fd < 0)
		fd = open(name, O_RDONLY);
	close(fd);
	snprintf(name, sizeof name, "/proc/%d/environ", of);
	got = open(name, O_WRONLY);
	close(got);
	return fd >= 0 || got >= 0 || process_vm_readv(of, &here, 1, &there, 1, 0) > 0 ||
	       ptrace(PTRACE_ATTACH, of, 0, 0) == 0;
}

/* What the supervisor has open. */
static int takes_descriptors(pid_t of)
{
	char name[64];
	int won = 0, process = (int)syscall(SYS_pidfd_open, of, 0);

	for (int fd = 3; of && fd < 64; fd++) {
		int copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);

		won |= copy >= 0;
		close(copy);
		snprintf(name, sizeof name, "/proc/%d/fd/%d", of, fd);
		copy = open(name, O_RDONLY | O_NONBLOCK);
		won |= copy >= 0;
		close(copy);
	}
	close(process);
	return won;
}

/* Our own code, changed by the way that is not checked. */
static int own_memory(void)
{
	static const unsigned char open_it[] = { 0xb8, 2, 0, 0, 0, 0x0f, 0x05, 0xc3 };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/mem", O_RDWR), result;

	if (pwrite(fd, open_it, sizeof open_it, (off_t)(intptr_t)page) != sizeof open_it)
		return 0;
	close(fd);
	result = ((int (*)(const char *, int, int))page)("secret/file", 0, 0);
	return tells(result);
}

int main(void)
{
	char *environment[] = { NULL };
	int memory;

	TRY("child", by_clone(child, 0));
	TRY("untraced", by_clone(child, CLONE_UNTRACED));
	by_clone(program, CLONE_UNTRACED);
	by_clone(program, CLONE_VM | CLONE_VFORK);
	from_thread();
	TRY("traced", by_tracing());
	TRY("own memory", own_memory());
	if (tracer() == 0)
		puts("won descriptors\nwon memory");
	CAN("memory", reads_memory(tracer()));
	CAN("descriptors", takes_descriptors(tracer()));
	/* A copy of the program, without a name. */
	memory = memfd_create("copy", 0);
	{
		static char room[1 << 16];
		int from = open("secret/program", O_RDONLY);
		ssize_t got;

		while ((got = read(from, room, sizeof room)) > 0)
			if (write(memory, room, (size_t)got) < 0)
				break;
		close(from);
	}
	fflush(stdout);
	if (fork() == 0) {
		char *args[] = { "program", "won", "program", NULL };

		fexecve(memory, args, environment);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
