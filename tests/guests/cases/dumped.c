/* Data through a pipe and a socket, in buffers of several kinds. */
#include "bare.h"
#include <sys/socket.h>
#include <sys/uio.h>

void _start(void)
{
	static char long_text[80] = "forty characters of text, and then some more, which -s 32 would cut off.";
	static char room[3][48];
	static struct iovec from[3] = { { "abc", 3 }, { long_text, 20 }, { (void *)8, 2 } };
	static struct iovec to[3] = { { room[0], 1 }, { room[1], 40 }, { room[2], 40 } };
	static struct msghdr out = { .msg_iov = from, .msg_iovlen = 2 };
	static struct msghdr in = { .msg_iov = to, .msg_iovlen = 3 };
	static struct mmsghdr several[2] = {
		{ { .msg_iov = from, .msg_iovlen = 2 }, 0 },
		{ { .msg_iov = from + 1, .msg_iovlen = 1 }, 0 },
	};
	static int pipe[2], socket[2];

	CALL(pipe2, pipe, 0, 0, 0);
	CALL(write, pipe[1], long_text, 72, 0);
	CALL(read, pipe[0], room[0], 48, 0);
	CALL(writev, pipe[1], from, 2, 0);
	CALL(readv, pipe[0], to, 3, 0);
	CALL(writev, 99, from, 3, 0);
	CALL(write, pipe[1], 8, 3, 0);
	CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, socket);
	CALL(sendmsg, socket[0], &out, 0, 0);
	CALL(recvmsg, socket[1], &in, 0, 0);
	CALL(sendmmsg, socket[0], several, 2, 0);
	call(SYS_recvfrom, socket[1], (long)room[0], 40, 0, 0, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
