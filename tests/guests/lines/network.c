/* Sockets. Everything stays on this machine: Unix sockets and the loopback interface. */
#include "../guest.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static void unix_sockets(void)
{
	static struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	static struct sockaddr_un hidden = { .sun_family = AF_UNIX, .sun_path = "\0hidden" };
	static struct sockaddr_un peer;
	static int pair[2], one = 1, type;
	static char buffer[16];
	struct iovec part = { "scattered", 9 }, room = { buffer, 16 };
	struct msghdr out = { .msg_iov = &part, .msg_iovlen = 1 };
	struct msghdr in = { .msg_iov = &room, .msg_iovlen = 1 };
	socklen_t length = sizeof type, peer_length = sizeof peer;
	socklen_t path_length = offsetof(struct sockaddr_un, sun_path) + 7;
	int server = syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	LINE("socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = %d", server);
	CALL(syscall(SYS_bind, server, &address, path_length), "bind(%d, {sa_family=AF_UNIX, sun_path=\"socket\"}, 9)", server);
	CALL(syscall(SYS_bind, server, &address, path_length), "bind(%d, {sa_family=AF_UNIX, sun_path=\"socket\"}, 9)", server);
	CALL(syscall(SYS_listen, server, 5), "listen(%d, 5)", server);
	CALL(syscall(SYS_getsockname, server, &peer, &peer_length),
	     "getsockname(%d, {sa_family=AF_UNIX, sun_path=\"socket\"}, [110 => 9])", server);
	CALL(syscall(SYS_getpeername, server, &peer, &peer_length), "getpeername(%d, %p, [9])", server, (void *)&peer);
	CALL(syscall(SYS_accept, -1, NULL, NULL), "accept(-1, NULL, NULL)");
	CALL(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair), "socketpair(AF_UNIX, SOCK_STREAM, 0, [%d, %d])",
	     pair[0], pair[1]);
	CALL(syscall(SYS_connect, pair[0], &hidden, path_length),
	     "connect(%d, {sa_family=AF_UNIX, sun_path=@\"hidden\"}, 9)", pair[0]);
	CALL(syscall(SYS_sendto, pair[0], "hello", 5L, MSG_NOSIGNAL, NULL, 0), "sendto(%d, \"hello\", 5, MSG_NOSIGNAL, NULL, 0)",
	     pair[0]);
	CALL(syscall(SYS_recvfrom, pair[1], buffer, 16L, MSG_PEEK, NULL, NULL),
	     "recvfrom(%d, \"hello\", 16, MSG_PEEK, NULL, NULL)", pair[1]);
	CALL(syscall(SYS_read, pair[1], buffer, 16L), "read(%d, \"hello\", 16)", pair[1]);
	CALL(syscall(SYS_recvfrom, pair[1], buffer, 16L, MSG_DONTWAIT, NULL, NULL),
	     "recvfrom(%d, %p, 16, MSG_DONTWAIT, NULL, NULL)", pair[1], (void *)buffer);
	CALL(syscall(SYS_sendmsg, pair[0], &out, 0),
	     "sendmsg(%d, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"scattered\", iov_len=9}], "
	     "msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0)",
	     pair[0]);
	CALL(syscall(SYS_recvmsg, pair[1], &in, 0),
	     "recvmsg(%d, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"scattered\", iov_len=16}], "
	     "msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0)",
	     pair[1]);
	CALL(syscall(SYS_sendmsg, pair[0], (void *)1, 0), "sendmsg(%d, 0x1, 0)", pair[0]);
	CALL(syscall(SYS_setsockopt, pair[0], SOL_SOCKET, SO_PASSCRED, &one, 4),
	     "setsockopt(%d, SOL_SOCKET, SO_PASSCRED, [1], 4)", pair[0]);
	CALL(syscall(SYS_getsockopt, pair[0], SOL_SOCKET, SO_TYPE, &type, &length),
	     "getsockopt(%d, SOL_SOCKET, SO_TYPE, [1], [4])", pair[0]);
	CALL(syscall(SYS_getsockopt, pair[0], SOL_SOCKET, SO_ERROR, NULL, NULL),
	     "getsockopt(%d, SOL_SOCKET, SO_ERROR, NULL, NULL)", pair[0]);
	CALL(syscall(SYS_shutdown, pair[0], SHUT_WR), "shutdown(%d, SHUT_WR)", pair[0]);
	CALL(syscall(SYS_recvfrom, pair[1], buffer, 16L, 0, NULL, NULL), "recvfrom(%d, \"\", 16, 0, NULL, NULL)", pair[1]);
}

static void internet_sockets(void)
{
	static struct sockaddr_in address = { .sin_family = AF_INET };
	static struct sockaddr_in6 address6 = { .sin6_family = AF_INET6 };
	static struct sockaddr_in bound;
	socklen_t length = sizeof bound;
	int one = 1;
	int datagram = syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP);
	int stream = syscall(SYS_socket, AF_INET, SOCK_STREAM, IPPROTO_IP);

	LINE("socket(AF_INET, SOCK_DGRAM|SOCK_NONBLOCK, IPPROTO_UDP) = %d", datagram);
	LINE("socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = %d", stream);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CALL(syscall(SYS_bind, datagram, &address, sizeof address),
	     "bind(%d, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr(\"127.0.0.1\")}, 16)", datagram);
	CALL(syscall(SYS_getsockname, datagram, &bound, &length),
	     "getsockname(%d, {sa_family=AF_INET, sin_port=htons(" ID "), sin_addr=inet_addr(\"127.0.0.1\")}, [16])",
	     datagram, ntohs(bound.sin_port));
	CALL(syscall(SYS_sendto, datagram, "to myself", 9L, 0, &bound, sizeof bound),
	     "sendto(%d, \"to myself\", 9, 0, {sa_family=AF_INET, sin_port=htons(" ID "), "
	     "sin_addr=inet_addr(\"127.0.0.1\")}, 16)",
	     datagram, ntohs(bound.sin_port));
	CALL(syscall(SYS_setsockopt, stream, SOL_SOCKET, SO_REUSEADDR, &one, 4),
	     "setsockopt(%d, SOL_SOCKET, SO_REUSEADDR, [1], 4)", stream);
	CALL(syscall(SYS_setsockopt, stream, SOL_TCP, TCP_NODELAY, &one, 4),
	     "setsockopt(%d, SOL_TCP, TCP_NODELAY, [1], 4)", stream);
	address.sin_port = htons(1);
	address.sin_addr.s_addr = 0;
	CALL(syscall(SYS_accept4, stream, NULL, NULL, SOCK_CLOEXEC), "accept4(%d, NULL, NULL, SOCK_CLOEXEC)", stream);
	address6.sin6_port = htons(80);
	CALL(syscall(SYS_connect, -1, &address6, sizeof address6),
	     "connect(-1, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), "
	     "inet_pton(AF_INET6, \"::\", &sin6_addr), sin6_scope_id=0}, 28)");
	CALL(syscall(SYS_connect, -1, (void *)1, 16), "connect(-1, 0x1, 16)");
	CALL(syscall(SYS_socket, AF_INET, SOCK_STREAM, 250), "socket(AF_INET, SOCK_STREAM, 0xfa /* IPPROTO_??? */)");
	CALL(syscall(SYS_socket, 1000, 77, 0), "socket(0x3e8 /* AF_??? */, 0x4d /* SOCK_??? */, 0)");
}

int main(void)
{
	begin();
	unix_sockets();
	internet_sockets();
	end();
	return 0;
}
