/* Signals, limits, schedules, memory and messages with arguments that nobody gives. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

static void signals(char *end)
{
	long v[16] = { -1 };

	CALL(kill, 0x7ffffff0, 0);
	CALL(kill, 0x7ffffff0, 99);
	CALL(kill, 0x7ffffff0, 64);
	CALL(kill, 0x7ffffff0, -1);
	CALL(tkill, -1, 5);
	CALL(tgkill, -1, -1, 34);
	CALL(rt_sigprocmask, 5, v, NULL, 8L);
	CALL(rt_sigprocmask, 0, v, NULL, 7L);
	CALL(rt_sigprocmask, 0, end - 4, v, 8L);
	v[0] = 0x7fffffff;
	CALL(rt_sigprocmask, 9, v, NULL, 8L);
	memcpy(v, (long[]){ 1, -1, 2, 0xff00 }, 4 * sizeof *v);
	CALL(rt_sigaction, 9, v, NULL, 8L);
	CALL(rt_sigaction, 99, v, NULL, 8L);
	CALL(rt_sigaction, 10, v, v + 8, 7L);
	CALL(rt_sigaction, -1, end - 8, NULL, 8L);
	CALL(rt_sigpending, -1L, 8L);
	CALL(rt_sigtimedwait, v, v + 8, v + 4, 9L);
	memcpy(v, (long[]){ 5, 0x80000007, 9 }, 3 * sizeof *v);
	CALL(sigaltstack, v, NULL);
	CALL(sigaltstack, end - 8, NULL);
}

static void processes(char *end)
{
	long v[16] = { 0 }, arguments[12] = { -1, 1, 2, 3, 0x99, 5, 6, 7, 8, 9, 10 };

	CALL(wait4, -1, v, -1, v);
	CALL(wait4, 1, NULL, 0x20000001, NULL);
	CALL(waitid, 9, -1, NULL, 5, NULL);
	CALL(waitid, 3, -1, v, 4, NULL);
	CALL(clone3, arguments, 0L);
	CALL(clone3, arguments, 63L);
	CALL(clone3, end - 8, 64L);
	CALL(setns, -1, -1);
	CALL(execve, end - 3, -1L, -1L);
	for (int resource = 0; resource < 18; resource++)
		CALL(prlimit64, -1, resource, NULL, v);
	v[0] = 1024;
	v[1] = -1;
	CALL(prlimit64, -1, 7, v, v);
	CALL(setrlimit, 99, v);
	CALL(getrusage, 9, v);
	CALL(getpriority, 9, -1);
	CALL(setpriority, 1, -1, 99);
	CALL(sched_setparam, -1, end - 2);
	CALL(sched_setaffinity, -1, 3L, "\5\1\2");
	CALL(sched_setaffinity, -1, 0L, v);
	CALL(sched_getaffinity, 0, 4L, v);
	CALL(sched_setattr, -1, (int[]){ 48, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, 0);
	CALL(sched_setattr, -1, (int[]){ 56, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 }, 5);
	CALL(getpgid, -1);
	CALL(setpgid, -1, -1);
	CALL(pidfd_getfd, -1, -1, -1);
	int process = (int)syscall(SYS_pidfd_open, getpid(), 0), root = open("/", O_RDONLY);
	CALL(pidfd_getfd, process, root, 0);
	CALL(pidfd_getfd, process, 99, 0);
	CALL(pidfd_getfd, root, root, 0);
	for (int type = 1; type < 7; type++)
		CALL(kcmp, -1, -1, type, 1L, 2L);
	CALL(setuid, -1);
	CALL(setfsgid, -1);
	CALL(getresgid, -1L, -1L, -1L);
	CALL(getgroups, -1, v);
}

static void memory(char *end)
{
	CALL(mmap, NULL, -1L, 15L, 0x120022L, -1L, 0L);
	CALL(mmap, 1L, 4096L, -1L, 0x12L, -1L, 1L);
	CALL(mprotect, 1L, -1L, 0x3000007L);
	CALL(mremap, 1L, 2L, 3L, 1L, 5L);
	CALL(mremap, 1L, 2L, 3L, 5L, 6L);
	CALL(madvise, NULL, 1L, 99);
	CALL(msync, 1L, 2L, -1);
	CALL(mlockall, 0);
	CALL(pkey_mprotect, 1L, 2L, 3L, -1);
	CALL(memfd_secret, -1);
	CALL(shmget, -1, -1L, 0x3fff);
	CALL(shmat, -1, -1L, -1);
	CALL(msgsnd, -1, end - 4, 8L, -1);
	CALL(msgrcv, -1, end, 8L, -5L, -1);
	CALL(semget, 5, -1, 0x3fff);
	CALL(semop, -1, (short[]){ 1, -1, 0x1800, 2, 3, 0 }, 2L);
	CALL(mq_unlink, "nonexistent");
	CALL(mq_timedsend, -1, "abc\0d", 5L, 6, NULL);
	for (int operation = 0; operation < 14; operation++)
		/* The sixth has an operation within its last argument. */
		if (operation != 5)
			CALL(futex, -1L, operation | 128, 1, NULL, NULL, 5);
	CALL(futex, -1L, 0x77, 1, NULL, NULL, 5);
	CALL(set_robust_list, -1L, 5L);
	CALL(rseq, 1L, 2, -1, 3);
	CALL(process_vm_writev, -1, -1L, 1L, end - 16, 1L, 0L);
}

static void times(char *end)
{
	struct itimerspec interval = { { 1, -1 }, { 2, 3 } };
	struct timespec when = { 0, -1 };
	long v[8] = { 0 };

	CALL(timer_create, -5, NULL, NULL);
	CALL(timer_settime, -1, -1, &interval, &interval);
	CALL(timer_gettime, -1, &interval);
	CALL(setitimer, 9, v, v + 4);
	CALL(nanosleep, &when, &when);
	CALL(nanosleep, -1L, &when);
	CALL(clock_nanosleep, 99, 3, &when, &when);
	CALL(clock_gettime, -7, &when);
	CALL(clock_getres, 6, NULL);
	CALL(clock_settime, 99, &when);
	CALL(settimeofday, end - 8, -1L);
	CALL(io_setup, -1, v);
	CALL(io_destroy, -1L);
	CALL(reboot, 1, 2, 3, 4L);
	CALL(sethostname, end - 3, -1);
}

int main(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(page + 4096, 4096, PROT_NONE);
	signals(page + 4096);
	processes(page + 4096);
	memory(page + 4096);
	times(page + 4096);
	return 0;
}
