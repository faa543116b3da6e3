/* Calls that are not made, and return what was chosen: in the first thread, in eight others at once,
 * in children, behind an exec, and by `int 0x80`.
 *
 * strace 6.1 gives some of these calls -ENOSYS, and says so.
 *
 * @alone no
 * @strace no
 * @options -e inject=chdir:error=ENOENT:when=3 -e inject=umask:retval=0123:when=2..4+2
 * @options -e inject=rmdir:retval=0:syscall=getpid -e fault=sync -e fault=/^fsyn:error=EIO
 * @options -e inject=getppid:error=EPERM -e inject=getppid:retval=77:when=2+
 * @options -e inject=kill,exit_group,vfork,ptrace:error=EPERM:when=1
 */
#include "../hard.h"

#define FAILS(expression, error) MUST((expression) == -1 && errno == (error))

static long int80(long number, long a)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void third_chdir_fails(void)
{
	for (int i = 1; i <= 6; i++) {
		if (i == 3)
			FAILS(syscall(SYS_chdir, "/"), ENOENT);
		else
			MUST(syscall(SYS_chdir, "/") == 0);
	}
}

static void *in_thread(void *unused)
{
	(void)unused;
	third_chdir_fails();
	for (int i = 1; i <= 200; i++)
		MUST((syscall(SYS_getppid) == 77) == (i >= 2));
	return NULL;
}

/* By another ABI calls count apart. Its 38th is rename, its 12th chdir, its 40th rmdir. */
static void by_another_abi(void)
{
	static char *root;

	root = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	MUST(root != MAP_FAILED);
	root[0] = '/';
	MUST(int80(12, (long)root) == 0);
	MUST(int80(12, (long)root) == 0);
	MUST(int80(12, (long)root) == -ENOENT);
	MUST(int80(12, (long)root) == 0);
	MUST(int80(40, (long)root) == 0);
}

static void results(void)
{
	mode_t before = umask(022);

	MUST(umask(022) == 0123);
	MUST(umask(077) == 022);
	MUST(umask(011) == 0123);
	MUST(umask(before) == 077);
	MUST(rmdir("/proc/self") == 0);
	MUST(access("/proc/self", F_OK) == 0);
	FAILS(syscall(SYS_sync), ENOSYS);
	FAILS(fsync(0), EIO);
	/* Not made: it would end us, or change who we are. */
	FAILS(kill(getpid(), SIGKILL), EPERM);
	FAILS(syscall(SYS_exit_group, 3), EPERM);
	FAILS(syscall(SYS_vfork), EPERM);
	FAILS(syscall(SYS_ptrace, 0, 0, 0, 0), EPERM);
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	pid_t child;

	if (argc > 1) {
		/* The same thread goes on counting. */
		MUST(syscall(SYS_chdir, "/") == 0);
		FAILS(syscall(SYS_chdir, "/"), ENOENT);
		MUST(syscall(SYS_chdir, "/") == 0);
		return 0;
	}
	for (int i = 0; i < 8; i++)
		MUST(pthread_create(&threads[i], NULL, in_thread, NULL) == 0);
	for (int i = 0; i < 8; i++)
		MUST(pthread_join(threads[i], NULL) == 0);
	third_chdir_fails();
	by_another_abi();
	child = fork();
	if (child == 0) {
		third_chdir_fails();
		syscall(SYS_exit_group, 0);
		_exit(0);
	}
	MUST(await(child) == 0);
	child = fork();
	if (child == 0) {
		MUST(syscall(SYS_chdir, "/") == 0);
		execl("/proc/self/exe", argv[0], "again", NULL);
		_exit(98);
	}
	MUST(await(child) == 0);
	results();
	return 0;
}
