/* A guest with its own seccomp filter: getppid fails with an errno of its choice, gettid raises
 * SIGSYS, getuid asks for a tracer, which there is none of, and everything else passes. It learns of
 * its own filter, and of no other one. */
#include "../hard.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static volatile int trapped;

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	trapped = info->si_syscall;
}

/* As often as a call is made before an agent makes it. */
static void say_modes(const char *when)
{
	printf("%s:", when);
	for (int i = 0; i < 4; i++)
		printf(" %d", prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
	puts("");
}

int main(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getuid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	say_modes("before");
	MUST(!sigaction(SIGSYS, &action, NULL));
	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
	say_modes("behind");
	errno = 0;
	printf("getppid: %ld, errno is EDOM: %d\n", syscall(SYS_getppid), errno == EDOM);
	errno = 0;
	printf("getuid: %ld, errno is ENOSYS: %d\n", syscall(SYS_getuid), errno == ENOSYS);
	syscall(SYS_gettid);
	printf("trapped: %d\n", trapped == SYS_gettid);
	say_end("a child that inherits it", await(fork() ?: (_exit(syscall(SYS_getppid) == -1 && errno == EDOM), 0)));
	return 0;
}
