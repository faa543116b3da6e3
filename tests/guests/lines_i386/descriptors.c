/* Descriptors that tell of others, and what is asked of a descriptor. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("close(-1)", close, -1);
	SHOW("close(77)", close, 77);
	SHOW("dup(-1)", dup, -1);
	SHOW("dup(77)", dup, 77);
	SHOW("pipe(0xbad)", pipe, BAD);
	SHOW("pipe(0xffffffff)", pipe, -1);
	SHOW("fcntl(-1, F_GETFD)", fcntl, -1, 1);
	SHOW("fcntl(-1, F_SETFD, FD_CLOEXEC)", fcntl, -1, 2, 1);
	SHOW("fcntl(-1, F_GETLK, 0xbad)", fcntl, -1, 5, BAD);
	SHOW("fcntl(-1, F_SETLKW64, 0xbad)", fcntl, -1, 14, BAD);
	SHOW("fcntl(-1, 0x63 /* F_??? */, 0x5)", fcntl, -1, 99, 5);
	SHOW("dup2(-1, -1)", dup2, -1, -1);
	SHOW("dup2(77, 77)", dup2, 77, 77);
	SHOW("select(0xbad)", select, BAD);
	SHOW_NOTE(" (Timeout)", "select(0, NULL, NULL, NULL, {tv_sec=0, tv_usec=0})",
	     select, LONGS(0, 0, 0, 0, LONGS(0, 0)));
	SHOW("flock(-1, 0)", flock, -1);
	SHOW("flock(77, 0)", flock, 77);
	SHOW("poll(0xbad, 1, 0)", poll, BAD, 1, 0);
	SHOW_NOTE(" (Timeout)", "poll(NULL, 0, 0)", poll, 0, 0, 0);
	SHOW_NOTE(" ([{fd=77, revents=POLLNVAL}])", "poll([{fd=-1}, {fd=77, events=POLLIN}], 2, 0)",
	     poll, P((struct { int fd; short in, out; }[]){ { -1, 5, 0 }, { 77, 1, 0 } }), 2, 0);
	SHOW("epoll_create(-1)", epoll_create, -1);
	SHOW("epoll_ctl(-1, 0 /* EPOLL_CTL_??? */, -1, NULL)", epoll_ctl, -1, 0, -1);
	SHOW("epoll_ctl(77, 0 /* EPOLL_CTL_??? */, 77, NULL)", epoll_ctl, 77, 0, 77);
	SHOW("epoll_wait(-1, 0xbad, 1, 0)", epoll_wait, -1, BAD, 1, 0);
	SHOW("pselect6(5, 0xbad, NULL, NULL, {tv_sec=0, tv_nsec=0}, NULL)",
	     pselect6, 5, BAD, 0, 0, LONGS(0, 0), 0);
	SHOW_NOTE(" (Timeout)", "pselect6(0, NULL, NULL, NULL, {tv_sec=0, tv_nsec=1}, NULL)",
	     pselect6, 0, 0, 0, 0, LONGS(0, 1), 0);
	SHOW("pselect6(-1, NULL, 0xbad, NULL, 0xbad, 0xbad)", pselect6, -1, 0, BAD, 0, BAD, BAD);
	SHOW("ppoll(0xbad, 1, 0xbad, NULL, 8)", ppoll, BAD, 1, BAD, 0, 8);
	SHOW_NOTE(" (Timeout)", "ppoll(NULL, 0, {tv_sec=0, tv_nsec=0}, NULL, 8)",
	     ppoll, 0, 0, LONGS(0, 0), 0, 8);
	SHOW("epoll_pwait(-1, 0xbad, 1, 0, 0xbad, 8)", epoll_pwait, -1, BAD, 1, 0, BAD, 8);
	SHOW("eventfd(5)", eventfd, 5);
	SHOW("close(3)", close, 3);
	SHOW("eventfd2(5, 0)", eventfd2, 5, 0);
	SHOW("close(3)", close, 3);
	SHOW("eventfd2(5, 0x80 /* EFD_??? */)", eventfd2, 5, 0x80);
	SHOW("epoll_create1(0x80 /* EPOLL_??? */)", epoll_create1, 0x80);
	SHOW("dup3(-1, -1, 0)", dup3, -1, -1);
	SHOW("dup3(77, 77, 0)", dup3, 77, 77);
	SHOW("pipe2(0xbad, 0)", pipe2, BAD);
	SHOW("pipe2(0xffffffff, 0)", pipe2, -1);
	SHOW("memfd_create(0xbad, MFD_CLOEXEC)", memfd_create, BAD, 1);
	SHOW("close_range(5, 5, 0)", close_range, 5, 5);
	SHOW("close_range(4294967295, 4294967295, 0)", close_range, -1, -1);
	SHOW("epoll_pwait2(-1, 0xbad, 5, 0xbad, NULL, 5)", epoll_pwait2, -1, BAD, 5, BAD, 0, 5);
	SHOW("epoll_pwait2(77, 0xffffffff, -1, 0xffffffff, NULL, 4294967295)",
	     epoll_pwait2, 77, -1, -1, -1, 0, -1);
	SHOW("memfd_secret(0x80)", memfd_secret, 0x80);
	end();
}
