/* Descriptors of every kind that stands for more than a path. */
#include "bare.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

static int pair[2], pipes[2];
static unsigned long usr1 = 1UL << (SIGUSR1 - 1);
static struct sockaddr_un name = { AF_UNIX, "\0name<1>" };
static struct {
	unsigned short family, port;
	unsigned char address[4];
	long unused;
} local = { AF_INET, 0x409c, { 127, 77, 88, 99 }, 0 };

void _start(void)
{
	int file, server, events;

	/* Whoever started us may have left some open. */
	CALL(close_range, 3, ~0U, 0, 0);
	file = CALL(openat, AT_FDCWD, "deleted", O_CREAT | O_RDWR, 0600);
	CALL(unlink, "deleted", 0, 0, 0);
	CALL(lseek, file, 0, SEEK_SET, 0);
	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
	CALL(pipe2, pipes, O_NONBLOCK, 0, 0);
	events = CALL(eventfd2, 5, 0, 0, 0);
	struct pollfd ready[2] = { { pair[0], POLLOUT, 0 }, { events, POLLOUT, 0 } };
	CALL(poll, ready, 2, 0, 0);
	CALL(close, CALL(signalfd4, -1, &usr1, 8, 0), 0, 0, 0);
	CALL(close, CALL(pidfd_open, CALL(getpid, 0, 0, 0, 0), 0, 0, 0), 0, 0, 0);
	server = CALL(socket, AF_UNIX, SOCK_DGRAM, 0, 0);
	CALL(bind, server, &name, 2 + 8, 0);
	CALL(connect, CALL(socket, AF_UNIX, SOCK_DGRAM, 0, 0), &name, 2 + 8, 0);
	CALL(close, server, 0, 0, 0);
	server = CALL(socket, AF_INET, SOCK_DGRAM, 0, 0);
	CALL(bind, server, &local, 16, 0);
	CALL(connect, server, &local, 16, 0);
	CALL(close, server, 0, 0, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
