/* Requests of tracers: about a process that there is not, and the signals that wait for one. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned char buffer[4096];

/* What waits for a child that is stopped: one signal with a value, one without. */
static void waiting(void)
{
	static char infos[4 * 128];
	struct { unsigned long from; unsigned flags; int count; } wanted = { 0, 0, 3 };
	char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
			raise(SIGSTOP);
		_exit(0);
	}
	munmap(pages + 4096, 4096);
	waitpid(child, 0, 0);
	syscall(SYS_ptrace, 0x4209L, child, &wanted, infos);
	sigqueue(child, SIGUSR1, (union sigval){ 5 });
	kill(child, SIGUSR2);
	for (int flags = 0; flags < 3; flags++)
		for (int count = -1; count < 4; count++) {
			wanted.flags = flags;
			wanted.count = count;
			syscall(SYS_ptrace, 0x4209L, child, &wanted, infos);
			syscall(SYS_ptrace, 0x4209L, child, &wanted, pages + 4096 - 128);
		}
	wanted.flags = 1;
	syscall(SYS_ptrace, 0x4209L, child, &wanted, 0L);
	syscall(SYS_ptrace, 0x4209L, child, 0L, infos);
	syscall(SYS_ptrace, 0x4209L, child, pages + 4096 - 8, infos);
	kill(child, SIGKILL);
	waitpid(child, 0, 0);
}

int main(void)
{
	for (unsigned i = 0; i < sizeof buffer; i++)
		buffer[i] = i;
	for (long place = 1; place < 1000; place++)
		syscall(SYS_ptrace, 3L, -1L, place, buffer);
	for (long set = 0; set < 0x1000; set += set < 0x10 ? 1 : 0x3f)
		syscall(SYS_ptrace, 0x4204L, -1L, set, 0L);
	syscall(SYS_ptrace, 15L, -1L, 0L, buffer);
	for (long size = 0; size < 24; size += 4) {
		syscall(SYS_ptrace, 0x420aL, -1L, size, buffer);
		syscall(SYS_ptrace, 0x420bL, -1L, size, buffer);
		syscall(SYS_ptrace, 0x420eL, -1L, size, buffer);
	}
	syscall(SYS_ptrace, 0x420dL, -1L, 16L, buffer);
	buffer[8] = 1;
	buffer[9] = buffer[10] = buffer[11] = 0;
	syscall(SYS_ptrace, 0x4209L, -1L, buffer, buffer + 100);
	waiting();
	return 0;
}
