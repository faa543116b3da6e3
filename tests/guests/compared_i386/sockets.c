/* Sockets by socketcall and directly. */
#include "i386.h"

#define SOCKETCALL(number, ...) CALL(socketcall, number, LONGS(__VA_ARGS__, 0, 0, 0, 0, 0))

static void guest(void)
{
	static long length = 110, pair[2];
	static long control[] = { 16, 1, 1, 1 };
	const char *address = "\1\0\0abc";

	SOCKETCALL(8, 1, 1, 0, P(pair));
	SOCKETCALL(1, 1, 1, 0);
	SOCKETCALL(1, -1, -1, -1);
	SOCKETCALL(2, 9, P(address), 7);
	SOCKETCALL(3, 9, P(address), 7);
	SOCKETCALL(4, 9, 5);
	SOCKETCALL(5, 9, P(buffer), P(&length));
	SOCKETCALL(5, 9, 0, 0);
	SOCKETCALL(6, pair[0], P(buffer), P(&length));
	length = 110;
	SOCKETCALL(7, 9, P(buffer), P(&length));
	SOCKETCALL(9, pair[0], P("hello"), 5, 0);
	SOCKETCALL(10, pair[1], P(buffer), 10, 0x40);
	SOCKETCALL(11, pair[0], P("hello"), 5, 0, 0, 0);
	SOCKETCALL(12, pair[1], P(buffer), 100, 0, P(buffer + 200), P(&length));
	length = 4;
	SOCKETCALL(14, pair[0], 1, 6, P(&length), 4);
	SOCKETCALL(15, pair[0], 1, 7, P(buffer), P(&length));
	SOCKETCALL(16, pair[1], LONGS(0, 0, LONGS(P("abc"), 3, P("de"), 2), 2, 0, 0, 0), 0);
	SOCKETCALL(17, pair[0], LONGS(0, 0, LONGS(P(buffer), 2, P(buffer + 9), 9), 2, 0, 0, 0), 0);
	SOCKETCALL(16, pair[1], LONGS(0, 0, LONGS(P("abc"), 3), 1, P(control), 16, 0), 0);
	SOCKETCALL(17, pair[0], LONGS(P(buffer), 7, LONGS(P(buffer + 50), 20), 1, P(buffer + 99), 99, 0), 0);
	SOCKETCALL(20, pair[1], LONGS(0, 0, LONGS(P("abc"), 3), 1, 0, 0, 0, 0), 1, 0);
	SOCKETCALL(19, pair[0], LONGS(0, 0, LONGS(P(buffer), 9), 1, 0, 0, 0, 0), 1, 0x40, LONGS(1, 5));
	SOCKETCALL(13, pair[0], 1);
	SOCKETCALL(18, 9, P(buffer), P(&length), 0x800);
	SOCKETCALL(0, 1, 2, 3);
	SOCKETCALL(21, 1, 2, 3);
	SOCKETCALL(-1, 1, 2, 3);
	CALL(socketcall, 1, 0);
	CALL(socketcall, 1, BAD);
	CALL(socketcall, 17, BAD);
	CALL(socket, 1, 2, 0);
	CALL(connect, -1, P(address), 7);
	CALL(getsockopt, pair[0], 1, 7, P(buffer), P(&length));
	CALL(epoll_create1, 0);
	CALL(epoll_ctl, 99, 1, 0, LONGS(1, 7, 0));
}
