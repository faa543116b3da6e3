/* Descriptors that tell of something: of changed files, of counters, of signals, of other descriptors. */
#include "../guest.h"
#include <linux/fanotify.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <time.h>

#define BAD 0xbadL

static void files(void)
{
	CALL(syscall(SYS_inotify_init), "inotify_init()");
	CALL(syscall(SYS_inotify_add_watch, 3, "/", IN_CREATE | IN_ONLYDIR),
	     "inotify_add_watch(3, \"/\", IN_CREATE|IN_ONLYDIR)");
	CALL(syscall(SYS_inotify_add_watch, 3, "/nowhere", IN_ALL_EVENTS),
	     "inotify_add_watch(3, \"/nowhere\", IN_ACCESS|IN_MODIFY|IN_ATTRIB|IN_CLOSE_WRITE|"
	     "IN_CLOSE_NOWRITE|IN_OPEN|IN_MOVED_FROM|IN_MOVED_TO|IN_CREATE|IN_DELETE|IN_DELETE_SELF|"
	     "IN_MOVE_SELF)");
	CALL(syscall(SYS_inotify_add_watch, -1, BAD, 0x1000000),
	     "inotify_add_watch(-1, 0xbad, IN_ONLYDIR)");
	CALL(syscall(SYS_inotify_add_watch, 3, NULL, 0), "inotify_add_watch(3, NULL, 0)");
	CALL(syscall(SYS_inotify_rm_watch, 3, 1), "inotify_rm_watch(3, 1)");
	CALL(syscall(SYS_inotify_rm_watch, 3, -1), "inotify_rm_watch(3, -1)");
	CALL(syscall(SYS_inotify_rm_watch, -1, 99), "inotify_rm_watch(-1, 99)");
	CALL(syscall(SYS_close, 3), "close(3)");
	CALL(syscall(SYS_fanotify_init, 0x800000, O_RDONLY),
	     "fanotify_init(FAN_CLASS_NOTIF|0x800000 /* FAN_??? */, O_RDONLY)");
	CALL(syscall(SYS_fanotify_init, 12 | 0x1000, O_WRONLY | 3),
	     "fanotify_init(0xc /* FAN_CLASS_??? */|FAN_REPORT_TARGET_FID, O_ACCMODE)");
	CALL(syscall(SYS_fanotify_init, 4 | 8 | FAN_CLOEXEC | 0x4000000, O_WRONLY | O_CLOEXEC),
	     "fanotify_init(0xc /* FAN_CLASS_??? */|FAN_CLOEXEC|0x4000000, O_WRONLY|O_CLOEXEC)");
	CALL(syscall(SYS_fanotify_mark, -1, FAN_MARK_ADD | FAN_MARK_MOUNT, 2L | 8, AT_FDCWD, "/"),
	     "fanotify_mark(-1, FAN_MARK_ADD|FAN_MARK_MOUNT, FAN_MODIFY|FAN_CLOSE_WRITE, AT_FDCWD, "
	     "\"/\")");
	CALL(syscall(SYS_fanotify_mark, -1, FAN_MARK_FLUSH, 0L, -1, NULL),
	     "fanotify_mark(-1, FAN_MARK_FLUSH, 0, FAN_NOFD, NULL)");
	CALL(syscall(SYS_fanotify_mark, 0, 0x1000, 0x40000000L, 5, BAD),
	     "fanotify_mark(0, 0x1000 /* FAN_MARK_??? */, FAN_ONDIR, 5, 0xbad)");
}

static void counters(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	CALL(syscall(SYS_eventfd, 7), "eventfd(7)");
	CALL(syscall(SYS_eventfd, -1), "eventfd(4294967295)");
	CALL(syscall(SYS_close, 3), "close(3)");
	CALL(syscall(SYS_close, 4), "close(4)");
	CALL(syscall(SYS_signalfd, -1, &set, 8L), "signalfd(-1, [USR1 CHLD], 8)");
	CALL(syscall(SYS_signalfd, 3, &set, 8L), "signalfd(3, [USR1 CHLD], 8)");
	CALL(syscall(SYS_signalfd, 0, &set, 8L), "signalfd(0, [USR1 CHLD], 8)");
	CALL(syscall(SYS_signalfd, -1, BAD, 8L), "signalfd(-1, 0xbad, 8)");
	CALL(syscall(SYS_signalfd, -1, NULL, 1L), "signalfd(-1, NULL, 1)");
	CALL(syscall(SYS_close, 3), "close(3)");
}

static void descriptors(void)
{
	static struct epoll_event events[2];
	struct epoll_event event = { EPOLLIN | EPOLLOUT, { .u64 = 5 } };
	struct pollfd closed = { -1, POLLIN | POLLPRI, 0 }, one = { 4, POLLIN | POLLOUT, 0 }, wrong = { 77, 0, 0 };
	struct timespec none = { 0, 0 }, bad = { 0, -1 };
	unsigned long mask = 1L << (SIGINT - 1);

	CALL(syscall(SYS_epoll_create1, 0), "epoll_create1(0)");
	CALL(syscall(SYS_eventfd, 1), "eventfd(1)");
	CALL(syscall(SYS_epoll_ctl, 3, EPOLL_CTL_ADD, 4, &event),
	     "epoll_ctl(3, EPOLL_CTL_ADD, 4, {events=EPOLLIN|EPOLLOUT, data={u32=5, u64=5}})");
	CALL(syscall(SYS_epoll_pwait2, 3, events, 2, &none, &mask, 8L),
	     "epoll_pwait2(3, [{events=EPOLLIN|EPOLLOUT, data={u32=5, u64=5}}], 2, {tv_sec=0, tv_nsec=0}, [INT], 8)");
	CALL(syscall(SYS_epoll_pwait2, 3, BAD, 2, NULL, NULL, 8L),
	     "epoll_pwait2(3, 0xbad, 2, NULL, NULL, 8)");
	CALL(syscall(SYS_epoll_pwait2, 3, BAD, 2, &bad, NULL, 8L),
	     "epoll_pwait2(3, 0xbad, 2, %p, NULL, 8)", (void *)&bad);
	CALL(syscall(SYS_epoll_pwait2, -1, BAD, -1, BAD, BAD, 8L),
	     "epoll_pwait2(-1, 0xbad, -1, 0xbad, 0xbad, 8)");
	CALL(syscall(SYS_epoll_pwait2, 0, NULL, 0, &none, NULL, 0L),
	     "epoll_pwait2(0, NULL, 0, %p, NULL, 0)", (void *)&none);
	CALL_AS("%ld ([{fd=4, revents=POLLIN|POLLOUT}], left {tv_sec=0, tv_nsec=0})", syscall(SYS_ppoll, &one, 1, &none, &mask, 8L),
	     "ppoll([{fd=4, events=POLLIN|POLLOUT}], 1, {tv_sec=0, tv_nsec=0}, [INT], 8)");
	CALL_AS("%ld (Timeout)", syscall(SYS_ppoll, &closed, 1, &none, NULL, 8L),
	     "ppoll([{fd=-1}], 1, {tv_sec=0, tv_nsec=0}, NULL, 8)");
	CALL_AS("%ld ([{fd=77, revents=POLLNVAL}])", syscall(SYS_ppoll, &wrong, 1, NULL, &mask, 8L),
	     "ppoll([{fd=77, events=0}], 1, NULL, [INT], 8)");
	CALL(syscall(SYS_ppoll, BAD, 1, &bad, BAD, 8L),
	     "ppoll(0xbad, 1, {tv_sec=0, tv_nsec=18446744073709551615}, 0xbad, 8)");
	CALL(syscall(SYS_ppoll, NULL, 0, &none, &mask, 3L),
	     "ppoll(NULL, 0, {tv_sec=0, tv_nsec=0}, %p, 3)", (void *)&mask);
	CALL(syscall(SYS_ppoll, BAD, 2, NULL, NULL, 0L), "ppoll(0xbad, 2, NULL, NULL, 0)");
	CALL(syscall(SYS_ppoll, NULL, 1, BAD, NULL, 0L), "ppoll(NULL, 1, 0xbad, NULL, 0)");
}

int main(void)
{
	begin();
	files();
	counters();
	descriptors();
	end();
	return 0;
}
