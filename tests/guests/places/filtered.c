/* Forbids itself the calls by which descriptors are passed, and names files (O_PATH). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KILLED(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static void forbid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILLED(SYS_socketpair), KILLED(SYS_recvmsg), KILLED(SYS_dup3),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		perror("filter");
}

static void name(const char *path, int flags)
{
	struct stat data = { 0 };
	int fd = open(path, flags);

	printf("%s %x: %d %m\n", path, flags, fd);
	if (fd >= 0 && fstat(fd, &data) == 0)
		printf("%o, closed on exec: %d\n", data.st_mode, fcntl(fd, F_GETFD));
	close(fd);
	errno = 0;
}

int main(void)
{
	forbid();
	name("f", O_PATH);
	name("l/f", O_PATH | O_CLOEXEC);
	name("f", O_PATH | O_RDWR | O_TRUNC);
	name("f", O_PATH | O_DIRECTORY);
	name("a", O_PATH | O_DIRECTORY);
	name("none", O_PATH | O_CREAT);
	return 0;
}
