/* Calls on files with arguments that nobody gives: unknown flags, memory that ends too early. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

int main(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = page + 4096;
	struct timespec times[2] = { { 1, UTIME_NOW }, { 2, UTIME_OMIT } };
	long numbers[32] = { 0 };

	mprotect(end, 4096, PROT_NONE);
	memcpy(end - 3, "xyz", 3);
	CALL(open, end - 3, O_RDONLY);
	CALL(access, "/nonexistent", 8);
	CALL(access, "/nonexistent", -1);
	CALL(faccessat2, AT_FDCWD, "nonexistent", 7, 0x1300);
	CALL(mknod, "/nonexistent/x", 0020666, 0x101);
	CALL(mknod, "/nonexistent/x", 0010777, 5);
	CALL(mknod, "/nonexistent/x", 0177777, 5);
	CALL(mknod, "/nonexistent/x", -1, -1L);
	CALL(mknodat, AT_FDCWD, "/nonexistent/x", 0060600, 0xffffffffffL);
	CALL(chmod, "/nonexistent", 07777777);
	CALL(fchmodat, -5, "x", 0644, 9);
	CALL(umask, -1);
	CALL(mkdir, "/nonexistent/x", 012345);
	CALL(utimensat, AT_FDCWD, "nonexistent", times, AT_SYMLINK_NOFOLLOW);
	times[0].tv_nsec = -5;
	times[1].tv_nsec = 2000000000;
	CALL(utimensat, AT_FDCWD, "nonexistent", times, 0);
	CALL(utimensat, AT_FDCWD, NULL, end - 16, 0);
	CALL(utimes, "nonexistent", times);
	CALL(futimesat, -1, "nonexistent", times);
	CALL(renameat2, AT_FDCWD, "nonexistent", -1, "b", 9);
	CALL(linkat, AT_FDCWD, "nonexistent", 3, "b", 0x1400);
	CALL(unlinkat, AT_FDCWD, "nonexistent", 0x201);
	CALL(symlinkat, "nonexistent", -7, end - 3);
	CALL(readlink, "/nonexistent", page, -1L);
	CALL(fallocate, -1, 3, -1L, -2L);
	CALL(copy_file_range, -1, numbers, -1, NULL, 100L, 7);
	CALL(splice, -1, numbers, -1, NULL, 100L, 31);
	CALL(tee, -1, -1, 100L, -1);
	CALL(vmsplice, -1, numbers, 1L, 15);
	CALL(sync_file_range, -1, -1L, 5L, 9);
	CALL(fadvise64, -1, 1L, 2L, 9);
	CALL(flock, -1, 0xff);
	CALL(truncate, "/nonexistent", -1L);
	for (int command = 0; command < 18; command++)
		CALL(fcntl, -1, command, -1L);
	for (int command = 5; command < 8; command++)
		CALL(fcntl, -1, command, numbers);
	for (int command = 36; command < 40; command++)
		CALL(fcntl, -1, command, numbers);
	CALL(fcntl, -1, F_SETOWN_EX, numbers);
	CALL(fcntl, -1, F_SETLEASE, -1L);
	CALL(fcntl, -1, F_NOTIFY, -1L);
	CALL(fcntl, -1, F_DUPFD_CLOEXEC, 9);
	CALL(fcntl, -1, -1, 1L);
	CALL(dup3, -1, -2, -1);
	CALL(pipe2, numbers, -1);
	CALL(pipe, -1L);
	CALL(pipe, end - 4);
	numbers[0] = -1;
	numbers[1] = 5;
	CALL(epoll_ctl, -1, 1, -1, numbers);
	CALL(epoll_ctl, -1, 2, -1, numbers);
	CALL(epoll_ctl, -1, 3, -1, end - 8);
	CALL(epoll_ctl, -1, 9, -1, NULL);
	CALL(epoll_create1, -1);
	CALL(epoll_wait, -1, numbers, 10, -5);
	CALL(epoll_pwait, -1, numbers, 10, -5, numbers, 8L);
	CALL(epoll_pwait2, -1, numbers, 10, times, numbers, 8L);
	CALL(eventfd2, -1, -1);
	CALL(signalfd4, -1, numbers, 8L, -1);
	CALL(signalfd4, -1, numbers, 7L, 0);
	CALL(inotify_init1, -1);
	CALL(inotify_add_watch, -1, end - 3, 0xfff);
	CALL(inotify_rm_watch, -1, -1);
	CALL(timerfd_create, 9, -1);
	CALL(timerfd_settime, -1, 3, NULL, NULL);
	CALL(lseek, -1, -1L, 9);
	CALL(lseek, -1, -1L, -1);
	CALL(getcwd, page, 1L);
	CALL(getcwd, end - 2, 4096L);
	CALL(statfs, "/nonexistent", numbers);
	CALL(stat, "/", end - 4);
	CALL(fstat, -1, page);
	CALL(openat2, AT_FDCWD, "nonexistent", numbers, 24L);
	CALL(openat2, AT_FDCWD, "nonexistent", numbers, 8L);
	CALL(openat2, AT_FDCWD, end - 3, end - 8, 24L);
	memset(numbers, 0, sizeof numbers);
	CALL(openat2, AT_FDCWD, "nonexistent", numbers, 24L);
	numbers[0] = O_CREAT;
	CALL(openat2, AT_FDCWD, "/nonexistent/x", numbers, 24L);
	numbers[1] = 0644;
	numbers[2] = 0xff;
	CALL(openat2, AT_FDCWD, "/nonexistent/x", numbers, 24L);
	CALL(setxattr, "/nonexistent", "user.x", "val\0ue", 6L, -1);
	CALL(setxattr, "/nonexistent", "user.x", end - 3, 6L, 3);
	CALL(removexattr, "/nonexistent", end - 3);
	CALL(fsetxattr, -1, "a", NULL, -1L, 0);
	CALL(sendfile, -1, -1, numbers, 100L);
	CALL(sendfile, -1, -1, -1L, 100L);
	CALL(fchownat, AT_FDCWD, "nonexistent", 5, -1, 0x100);
	return 0;
}
