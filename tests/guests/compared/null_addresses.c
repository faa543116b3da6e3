/* Addresses of sockets that nobody asked for, counts with an upper half, messages that are not sent. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

int main(void)
{
	static char text[] = "message";
	struct iovec vector = { text, 7 };
	struct mmsghdr messages[3] = {
		{ { .msg_iov = &vector, .msg_iovlen = 1 }, 5 },
		{ { .msg_iov = &vector, .msg_iovlen = 1, .msg_name = (void *)-1L, .msg_namelen = 4 }, 6 },
	};
	long empty = 1L << 32;
	int length = 16, ends[2], groups[2];

	CALL(accept, -1, NULL, &length);
	CALL(accept4, -1, NULL, &length, 0x80800);
	CALL(getsockname, -1, NULL, &length);
	CALL(getpeername, -1, NULL, NULL);
	CALL(recvfrom, -1, text, 3L, 0, NULL, &length);
	CALL(recvfrom, -1, text, 3L, 0, text, -1L);
	CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, ends);
	CALL(recvfrom, ends[0], text, 3L, MSG_DONTWAIT, NULL, &length);
	CALL(sendmmsg, ends[0], messages, 2, 0);
	CALL(sendmmsg, ends[0], messages, 1, 0);
	CALL(sendmmsg, ends[0], -1L, empty, 0);
	CALL(sendmmsg, -1, messages, 2, MSG_DONTWAIT);
	CALL(recvmmsg, ends[1], messages, 0, MSG_DONTWAIT, NULL);
	CALL(recvmmsg, ends[1], messages, 3, MSG_DONTWAIT, NULL);
	CALL(recvmmsg, ends[1], messages, 3, MSG_DONTWAIT, NULL);
	CALL(recvmmsg, ends[1], -1L, 3, MSG_DONTWAIT, -1L);
	CALL(recvmmsg, -1, messages, -1, 0, &(long[2]){ 1, 2 });
	CALL(poll, -1L, empty, 0);
	CALL(ppoll, -1L, empty, &(long[2]){ 0 }, NULL, 8L);
	CALL(semop, -1, -1L, empty);
	CALL(semtimedop, -1, -1L, 1 + empty, NULL);
	CALL(setgroups, empty, -1L);
	CALL(getgroups, -1, groups);
	CALL(socket, AF_IPX, -1, -1L);
	CALL(socket, 100, 0x80001, 5);
	CALL(setsockopt, -1, AF_VSOCK, 0, &empty, 8);
	CALL(getsockopt, -1, AF_VSOCK, 5, &empty, &length);
	CALL(setsockopt, -1, 100, 1, &empty, 8);
	CALL(setsockopt, -1, 101, 1, &empty, 8);
	CALL(setsockopt, -1, 101, 77, &empty, 8);
	CALL(fcntl, -1, 0, 0xffffffff);
	CALL(fcntl, -1, 1030, -1L);
	CALL(fcntl, -1, 1031, 0xffffffff);
	return 0;
}
