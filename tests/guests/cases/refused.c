/* A connection is refused before anybody has asked for the socket's address. */
#include "bare.h"
#include <netinet/in.h>
#include <sys/socket.h>

void _start(void)
{
	struct sockaddr_in nobody = { AF_INET, 0x0100, { 0x0100007f } };
	int error, len = sizeof(error);
	long fd = CALL(socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0, 0);

	CALL(connect, fd, &nobody, sizeof(nobody), 0);
	call(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, (long)&error, (long)&len, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
