/* Several messages at once, and queues that tell of their messages. */
#include "../guest.h"
#include <mqueue.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#define BAD 0xbadL

static void at_once(void)
{
	static char first[4], second[8];
	struct iovec out[] = { { "one", 3 }, { "\1two", 4 } };
	struct iovec in[] = { { first, 4 }, { second, 8 } };
	struct mmsghdr sent[] = { { .msg_hdr = { .msg_iov = &out[0], .msg_iovlen = 1 } },
				  { .msg_hdr = { .msg_iov = &out[1], .msg_iovlen = 1 } } };
	struct mmsghdr received[] = { { .msg_hdr = { .msg_iov = &in[0], .msg_iovlen = 1 } },
				      { .msg_hdr = { .msg_iov = &in[1], .msg_iovlen = 1 } } };
	struct timespec soon = { 1, 0 }, bad = { -1, 5 };

	CALL(syscall(SYS_sendmmsg, 3, sent, 2, MSG_DONTWAIT),
	     "sendmmsg(3, [{msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"one\", "
	     "iov_len=3}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, msg_len=3}, "
	     "{msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"\\1two\", iov_len=4}], "
	     "msg_iovlen=1, msg_controllen=0, msg_flags=0}, msg_len=4}], 2, MSG_DONTWAIT)");
	CALL(syscall(SYS_sendmmsg, -1, sent, 1, MSG_NOSIGNAL),
	     "sendmmsg(-1, [{msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"one\", "
	     "iov_len=3}], msg_iovlen=1, msg_controllen=0, msg_flags=0}}], 1, MSG_NOSIGNAL)");
	CALL(syscall(SYS_sendmmsg, -1, BAD, 1, MSG_NOSIGNAL), "sendmmsg(-1, 0xbad, 1, MSG_NOSIGNAL)");
	CALL(syscall(SYS_sendmmsg, 3, BAD, 2, 0), "sendmmsg(3, 0xbad, 2, 0)");
	CALL(syscall(SYS_sendmmsg, 3, NULL, 0, MSG_OOB | MSG_MORE),
	     "sendmmsg(3, NULL, 0, MSG_OOB|MSG_MORE)");
	syscall(SYS_recvmmsg, 4, received, 2, MSG_DONTWAIT, &soon);
	LINE("recvmmsg(4, [{msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"one\", iov_len=4}], "
	     "msg_iovlen=1, msg_controllen=0, msg_flags=0}, msg_len=3}, {msg_hdr={msg_name=NULL, msg_namelen=0, "
	     "msg_iov=[{iov_base=\"\\1two\", iov_len=8}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, "
	     "msg_len=4}], 2, MSG_DONTWAIT, {tv_sec=1, tv_nsec=0}) = 2 (left {tv_sec=0, tv_nsec=" VARIES("%ld") "})",
	     soon.tv_nsec);
	CALL(syscall(SYS_recvmmsg, 4, received, 1, MSG_DONTWAIT, NULL),
	     "recvmmsg(4, %p, 1, MSG_DONTWAIT, NULL)", (void *)received);
	CALL(syscall(SYS_recvmmsg, -1, received, 1, 0, NULL),
	     "recvmmsg(-1, %p, 1, 0, NULL)", (void *)received);
	CALL(syscall(SYS_recvmmsg, 4, BAD, 2, MSG_TRUNC, &bad),
	     "recvmmsg(4, 0xbad, 2, MSG_TRUNC, {tv_sec=-1, tv_nsec=5})");
	CALL(syscall(SYS_recvmmsg, 4, NULL, 0, 0, BAD), "recvmmsg(4, NULL, 0, 0, 0xbad)");
}

static void told(void)
{
	struct sigevent by_signal = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct sigevent by_nothing = { .sigev_notify = SIGEV_NONE };
	struct sigevent unknown = { .sigev_notify = 77 };

	by_signal.sigev_value.sival_ptr = (void *)0x1234;
	CALL(syscall(SYS_mq_notify, -1, &by_signal),
	     "mq_notify(-1, {sigev_value={sival_int=4660, sival_ptr=0x1234}, sigev_signo=SIGUSR1, "
	     "sigev_notify=SIGEV_SIGNAL})");
	CALL(syscall(SYS_mq_notify, -1, &by_nothing),
	     "mq_notify(-1, {sigev_signo=0, sigev_notify=SIGEV_NONE})");
	CALL(syscall(SYS_mq_notify, 0, &unknown),
	     "mq_notify(0, {sigev_signo=0, sigev_notify=0x4d /* SIGEV_??? */})");
	CALL(syscall(SYS_mq_notify, -1, NULL), "mq_notify(-1, NULL)");
	CALL(syscall(SYS_mq_notify, 0, BAD), "mq_notify(0, 0xbad)");
}

static void timers(void)
{
	CALL(syscall(SYS_timer_gettime, -1, BAD), "timer_gettime(-1, 0xbad)");
	CALL(syscall(SYS_timer_gettime, 77, NULL), "timer_gettime(77, NULL)");
}

int main(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || pair[1] != 4)
		abort();
	begin();
	at_once();
	told();
	timers();
	end();
	return 0;
}
