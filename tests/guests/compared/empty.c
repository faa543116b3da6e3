/* Lists without elements, and sets without members, at addresses that can be read. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static char there[64];

	syscall(SYS_writev, 1, there, 0L);
	syscall(SYS_readv, 1, there, 0L);
	syscall(SYS_poll, there, 0, 0);
	syscall(SYS_io_submit, 0L, 0L, there);
	syscall(SYS_io_getevents, 0L, 0L, 0L, there, NULL);
	syscall(SYS_getgroups, 0, there);
	syscall(SYS_setgroups, 1L, NULL);
	syscall(SYS_epoll_wait, -1, there, 0, 0);
	syscall(SYS_process_vm_readv, 0, there, 0L, there, 0L, 0L);
	syscall(SYS_select, 0, there, there, there, there);
	syscall(SYS_sched_getaffinity, 0, 0, there);
	syscall(SYS_mincore, NULL, 0L, there);
	syscall(SYS_mincore, there + 1, 0L, there);
	syscall(SYS_semop, -1, there, 0);
	syscall(SYS_recvmmsg, -1, there, 0, 0, NULL);
	syscall(SYS_move_pages, 0, 0L, there, there, there, 0);
	syscall(SYS_futex_waitv, there, 0, 0, NULL, 0);
	return 0;
}
