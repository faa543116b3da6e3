/* Calls that take a file descriptor.
 *
 * @steady
 */
#include "../guest.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/uio.h>

#define BAD_FD 99

static int file, directory;

static void reading_and_writing(void)
{
	static char buffer[64];
	struct iovec out[] = { { "abc", 3 }, { "de\n", 3 }, { NULL, 0 } };
	struct iovec in[] = { { buffer, 4 }, { buffer + 4, 60 } };
	static const char binary[] = "\1\2\0\377 text";

	CALL(syscall(SYS_write, file, "hello\n", 6), "write(%d, \"hello\\n\", 6)", file);
	CALL(syscall(SYS_write, file, binary, 9), "write(%d, \"\\1\\2\\0\\377 text\", 9)", file);
	CALL(syscall(SYS_write, file, "0123456789012345678901234567890123456789", 40),
	     "write(%d, \"01234567890123456789012345678901\"..., 40)", file);
	CALL(syscall(SYS_write, file, "", 0), "write(%d, \"\", 0)", file);
	CALL(syscall(SYS_write, file, NULL, 3), "write(%d, NULL, 3)", file);
	CALL(syscall(SYS_write, file, (void *)16, 3), "write(%d, 0x10, 3)", file);
	CALL(syscall(SYS_write, BAD_FD, "x", 1), "write(99, \"x\", 1)");
	CALL(syscall(SYS_write, -1, "x", 1), "write(-1, \"x\", 1)");
	CALL(syscall(SYS_lseek, file, 0, SEEK_SET), "lseek(%d, 0, SEEK_SET)", file);
	CALL(syscall(SYS_read, file, buffer, 6), "read(%d, \"hello\\n\", 6)", file);
	CALL(syscall(SYS_read, file, NULL, 6), "read(%d, NULL, 6)", file);
	CALL(syscall(SYS_read, BAD_FD, buffer, 6), "read(99, %p, 6)", (void *)buffer);
	CALL(syscall(SYS_pread64, file, buffer, 4, 1), "pread64(%d, \"ello\", 4, 1)", file);
	CALL(syscall(SYS_pread64, file, buffer, 4, 4096), "pread64(%d, \"\", 4, 4096)", file);
	CALL(syscall(SYS_pwrite64, file, "H", 1, 0), "pwrite64(%d, \"H\", 1, 0)", file);
	CALL(syscall(SYS_lseek, file, -1L, SEEK_CUR), "lseek(%d, -1, SEEK_CUR)", file);
	CALL(syscall(SYS_lseek, file, -100L, SEEK_SET), "lseek(%d, -100, SEEK_SET)", file);
	CALL(syscall(SYS_lseek, file, 0, 77), "lseek(%d, 0, 0x4d /* SEEK_??? */)", file);
	CALL(syscall(SYS_writev, file, out, 3),
	     "writev(%d, [{iov_base=\"abc\", iov_len=3}, {iov_base=\"de\\n\", iov_len=3}, "
	     "{iov_base=NULL, iov_len=0}], 3)",
	     file);
	CALL(syscall(SYS_writev, file, (void *)1, 2), "writev(%d, 0x1, 2)", file);
	CALL(syscall(SYS_lseek, file, 0, SEEK_SET), "lseek(%d, 0, SEEK_SET)", file);
	CALL(syscall(SYS_readv, file, in, 2),
	     "readv(%d, [{iov_base=\"Hell\", iov_len=4}, "
	     "{iov_base=\"oabcde\\ntext012345678901234567890\"..., iov_len=60}], 2)",
	     file);
	CALL(syscall(SYS_preadv, file, in, 1, 2, 0), "preadv(%d, [{iov_base=\"lloa\", iov_len=4}], 1, 2)",
	     file);
	CALL(syscall(SYS_sendfile, file, file, NULL, 5), "sendfile(%d, %d, NULL, 5)", file, file);
}

static void duplicating(void)
{
	static int ends[2];

	CALL(syscall(SYS_dup, file), "dup(%d)", file);
	CALL(syscall(SYS_dup2, file, 50), "dup2(%d, 50)", file);
	CALL(syscall(SYS_dup3, file, 51, O_CLOEXEC), "dup3(%d, 51, O_CLOEXEC)", file);
	CALL(syscall(SYS_dup3, file, file, 0), "dup3(%d, %d, 0)", file, file);
	CALL(syscall(SYS_close, 50), "close(50)");
	CALL(syscall(SYS_close, 50), "close(50)");
	CALL(syscall(SYS_close_range, 50, 60, 0), "close_range(50, 60, 0)");
	CALL(syscall(SYS_pipe2, ends, O_CLOEXEC), "pipe2([%d, %d], O_CLOEXEC)", ends[0], ends[1]);
	CALL(syscall(SYS_pipe, NULL), "pipe(NULL)");
	CALL(syscall(SYS_write, ends[1], "in a pipe", 9), "write(%d, \"in a pipe\", 9)", ends[1]);
	CALL(syscall(SYS_close, ends[1]), "close(%d)", ends[1]);
	CALL(syscall(SYS_close, ends[0]), "close(%d)", ends[0]);
}

static void controlling(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 10 };
	static int waiting;
	static struct winsize size;

	CALL(syscall(SYS_fcntl, file, F_GETFD), "fcntl(%d, F_GETFD)", file);
	CALL(syscall(SYS_fcntl, file, F_SETFD, FD_CLOEXEC), "fcntl(%d, F_SETFD, FD_CLOEXEC)", file);
	CALL_AS("%#lx (flags FD_CLOEXEC)", syscall(SYS_fcntl, file, F_GETFD), "fcntl(%d, F_GETFD)", file);
	CALL_AS("%#lx (flags O_RDWR|O_LARGEFILE)", syscall(SYS_fcntl, file, F_GETFL), "fcntl(%d, F_GETFL)",
		file);
	CALL(syscall(SYS_fcntl, file, F_SETFL, O_APPEND | O_NONBLOCK),
	     "fcntl(%d, F_SETFL, O_RDONLY|O_APPEND|O_NONBLOCK)", file);
	CALL(syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 70), "fcntl(%d, F_DUPFD_CLOEXEC, 70)", file);
	CALL(syscall(SYS_fcntl, file, F_SETLK, &lock),
	     "fcntl(%d, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=10})", file);
	CALL(syscall(SYS_fcntl, file, F_SETLK, NULL), "fcntl(%d, F_SETLK, NULL)", file);
	CALL(syscall(SYS_fcntl, file, 77, 5), "fcntl(%d, 0x4d /* F_??? */, 0x5)", file);
	CALL(syscall(SYS_fcntl, BAD_FD, F_GETFL), "fcntl(99, F_GETFL)");
	CALL(syscall(SYS_flock, file, LOCK_EX | LOCK_NB), "flock(%d, LOCK_EX|LOCK_NB)", file);
	CALL(syscall(SYS_ioctl, file, FIONREAD, &waiting), "ioctl(%d, FIONREAD, [%d])", file, waiting);
	CALL(syscall(SYS_ioctl, file, TIOCGWINSZ, &size), "ioctl(%d, TIOCGWINSZ, %p)", file, (void *)&size);
	CALL(syscall(SYS_ioctl, file, 0x5a5a5a5a, NULL),
	     "ioctl(%d, _IOC(_IOC_WRITE, 0x5a, 0x5a, 0x1a5a), 0)", file);
	CALL(syscall(SYS_ftruncate, file, 3), "ftruncate(%d, 3)", file);
	CALL(syscall(SYS_fallocate, file, 1, 0, 10), "fallocate(%d, FALLOC_FL_KEEP_SIZE, 0, 10)", file);
	CALL(syscall(SYS_fchmod, file, 0604), "fchmod(%d, 0604)", file);
	CALL(syscall(SYS_fchown, BAD_FD, 1, 2), "fchown(99, 1, 2)");
	CALL(syscall(SYS_fsync, BAD_FD), "fsync(99)");
	CALL(syscall(SYS_fdatasync, BAD_FD), "fdatasync(99)");
	CALL(syscall(SYS_fadvise64, file, 0, 0, 2), "fadvise64(%d, 0, 0, POSIX_FADV_SEQUENTIAL)", file);
	CALL(syscall(SYS_fchdir, file), "fchdir(%d)", file);
}

static void looking(void)
{
	static struct stat st;
	static char entries[1024];

	CALL(syscall(SYS_fstat, file, &st), "fstat(%d, {st_mode=S_IFREG|0604, st_size=3, ...})", file);
	CALL(syscall(SYS_fstat, BAD_FD, &st), "fstat(99, %p)", (void *)&st);
	CALL(syscall(SYS_fstatfs, BAD_FD, &st), "fstatfs(99, %p)", (void *)&st);
	CALL(syscall(SYS_getdents64, directory, entries, sizeof entries),
	     "getdents64(%d, %p /* 2 entries */, 1024)", directory, (void *)entries);
	CALL(syscall(SYS_getdents64, directory, entries, sizeof entries),
	     "getdents64(%d, %p /* 0 entries */, 1024)", directory, (void *)entries);
	CALL(syscall(SYS_getdents64, file, entries, sizeof entries), "getdents64(%d, %p, 1024)", file,
	     (void *)entries);
}

static void waiting(void)
{
	static struct pollfd polled[2];
	static struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = 7 }, events[2];
	static struct timeval none;
	static struct timespec no_time;
	static fd_set in, out;
	int ends[2], epoll;

	CALL(syscall(SYS_pipe, ends), "pipe([%d, %d])", ends[0], ends[1]);
	polled[0] = (struct pollfd){ .fd = ends[0], .events = POLLIN | POLLPRI };
	polled[1] = (struct pollfd){ .fd = ends[1], .events = POLLOUT };
	CALL_AS("%ld ([{fd=", syscall(SYS_poll, polled, 2, 0),
		"poll([{fd=%d, events=POLLIN|POLLPRI}, {fd=%d, events=POLLOUT}], 2, 0)", ends[0], ends[1]);
	expected_length--;
	LINE("%d, revents=POLLOUT}])", ends[1]);
	CALL_AS("%ld (Timeout)", syscall(SYS_poll, polled, 1, 1), "poll([{fd=%d, events=POLLIN|POLLPRI}], 1, 1)",
		ends[0]);
	CALL(syscall(SYS_poll, (void *)8, 1, 0), "poll(0x8, 1, 0)");
	FD_SET(ends[0], &in);
	FD_SET(ends[1], &out);
	CALL_AS("%ld (out [", syscall(SYS_select, ends[1] + 1, &in, &out, NULL, &none),
		"select(%d, [%d], [%d], NULL, {tv_sec=0, tv_usec=0})", ends[1] + 1, ends[0], ends[1]);
	expected_length--;
	LINE("%d], left {tv_sec=0, tv_usec=0})", ends[1]);
	FD_SET(ends[0], &in);
	CALL_AS("%ld (Timeout)", syscall(SYS_pselect6, ends[0] + 1, &in, NULL, NULL, &no_time, NULL),
		"pselect6(%d, [%d], NULL, NULL, {tv_sec=0, tv_nsec=0}, NULL)", ends[0] + 1, ends[0]);
	epoll = syscall(SYS_epoll_create1, EPOLL_CLOEXEC);
	LINE("epoll_create1(EPOLL_CLOEXEC) = %d", epoll);
	CALL(syscall(SYS_epoll_create, 0), "epoll_create(0)");
	CALL(syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ends[1], &event),
	     "epoll_ctl(%d, EPOLL_CTL_ADD, %d, {events=EPOLLIN|EPOLLET, data={u32=7, u64=7}})", epoll, ends[1]);
	event.events = EPOLLOUT;
	CALL(syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_MOD, ends[1], &event),
	     "epoll_ctl(%d, EPOLL_CTL_MOD, %d, {events=EPOLLOUT, data={u32=7, u64=7}})", epoll, ends[1]);
	CALL(syscall(SYS_epoll_wait, epoll, events, 2, 0),
	     "epoll_wait(%d, [{events=EPOLLOUT, data={u32=7, u64=7}}], 2, 0)", epoll);
	CALL(syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_DEL, ends[1], NULL), "epoll_ctl(%d, EPOLL_CTL_DEL, %d, NULL)",
	     epoll, ends[1]);
	CALL(syscall(SYS_epoll_pwait, epoll, events, 2, 0, NULL, 8), "epoll_pwait(%d, [], 2, 0, NULL, 8)", epoll);
	CALL(syscall(SYS_eventfd2, 5, O_CLOEXEC), "eventfd2(5, EFD_CLOEXEC)");
	CALL(syscall(SYS_inotify_init1, O_NONBLOCK), "inotify_init1(IN_NONBLOCK)");
}

int main(void)
{
	mkdir("empty", 0700);
	directory = open("empty", O_RDONLY | O_DIRECTORY);
	file = open("f", O_RDWR | O_CREAT | O_TRUNC, 0600);
	begin();
	reading_and_writing();
	duplicating();
	controlling();
	looking();
	waiting();
	end();
	return 0;
}
