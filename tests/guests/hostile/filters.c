/* Filters of the guest's own, which are asked before others: what they say must not permit anything. */
#include "hostile.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

/* This becomes of calls of this number, nothing of others. */
static int install(unsigned number, unsigned action, unsigned flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static int with(unsigned number, unsigned action)
{
	char *args[] = { "program", "won", "program", NULL };
	struct stat data;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		install(number, action, 0);
		if (number == SYS_execve)
			execve("secret/program", args, NULL);
		else if (number == SYS_stat)
			_exit(syscall(SYS_stat, "secret/file", &data) == 0 && data.st_size == 7);
		else
			_exit(tells((int)syscall(number, AT_FDCWD, "secret/file", O_RDONLY)));
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* A listener of our own, by which our calls go on. */
static int by_listener(void)
{
	struct seccomp_notif asked = { 0 };
	struct seccomp_notif_resp answer = { 0 };
	int pair[2], status = 0, listener;
	pid_t child;
	char byte = 0;

	if (pipe(pair) < 0)
		return 0;
	listener = install(SYS_openat, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	if (listener < 0)
		return 0;
	child = fork();
	if (child == 0) {
		if (read(pair[0], &byte, 1) != 1)
			_exit(0);
		_exit(tells((int)syscall(SYS_openat, AT_FDCWD, "secret/file", O_RDONLY)));
	}
	if (write(pair[1], &byte, 1) == 1 && ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0) {
		answer.id = asked.id;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

int main(void)
{
	static const struct {
		const char *name;
		unsigned action;
	} actions[] = {
		{ "allow", SECCOMP_RET_ALLOW },
		{ "log", SECCOMP_RET_LOG },
		{ "trace", SECCOMP_RET_TRACE },
		/* The message that the supervisor's own filters have. */
		{ "trace with a message", SECCOMP_RET_TRACE | 0x5348 },
		{ "listener of nobody", SECCOMP_RET_USER_NOTIF },
	};
	static const struct {
		const char *name;
		unsigned number;
	} calls[] = { { "openat", SYS_openat }, { "stat", SYS_stat }, { "execve", SYS_execve } };
	char name[64];

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		for (size_t j = 0; j < sizeof calls / sizeof *calls; j++) {
			int won = with(calls[j].number, actions[i].action);

			snprintf(name, sizeof name, "%s, %s", calls[j].name, actions[i].name);
			/* Nobody traces us natively, or listens; of a program it says so itself. */
			if (actions[i].action < SECCOMP_RET_LOG || calls[j].number == SYS_execve)
				CAN(name, won);
			else
				TRY(name, won);
		}
	CAN("own listener", by_listener());
	return 0;
}
