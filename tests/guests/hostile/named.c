/* A thread disturbs others that get descriptors which only name files (O_PATH): it changes the path, it takes
 * what is sent to them, and it puts other files in the places of their sockets. */
#include "hostile.h"

#include <sys/socket.h>

/* As many descriptors are disturbed, from the first that is free on. */
#define FIRST 3
#define LAST 12

static volatile int over;
static volatile long won;

/* Whether this names what is secret. */
static int names_secret(int fd)
{
	struct stat data;

	return fd >= 0 && fstat(fd, &data) == 0 && S_ISREG(data.st_mode) && data.st_size == 7;
}

static void *disturb(void *unused)
{
	(void)unused;
	for (long i = 0; !over; i++) {
		char byte, beside[64];
		struct iovec data = { &byte, 1 };
		struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = beside,
					  .msg_controllen = sizeof beside };
		int fd = FIRST + i % (LAST - FIRST), pair[2];

		if (recvmsg(fd, &message, MSG_DONTWAIT) > 0 && message.msg_controllen > 0) {
			int got = *(int *)CMSG_DATA(CMSG_FIRSTHDR(&message));

			won += names_secret(got);
			close(got);
		}
		if (i % 64 == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
			dup2(pair[0], fd);
			close(pair[0]);
			close(pair[1]);
		}
		if (i % 97 == 0)
			close(fd);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long most = rounds(argc, argv) / 20;
	pthread_t others[2];
	int fd;

	fd = open("secret/file", O_PATH);
	TRY("named", names_secret(fd));
	close(fd);
	fd = open("secret", O_PATH | O_NOFOLLOW);
	TRY("directory", fd >= 0);
	close(fd);
	fd = openat(AT_FDCWD, "/proc/self/cwd/secret/file", O_PATH | O_CLOEXEC);
	TRY("through /proc", names_secret(fd));
	close(fd);

	pthread_create(&others[0], NULL, swap_files, (void *)&over);
	pthread_create(&others[1], NULL, disturb, NULL);
	for (long i = 0; i < most; i++) {
		fd = open(swapped, i % 2 ? O_PATH : O_PATH | O_NOFOLLOW);
		won += names_secret(fd);
		if (fd >= 0)
			close(fd);
	}
	over = 1;
	pthread_join(others[0], NULL);
	pthread_join(others[1], NULL);
	TRY("race: named", won > 0);
	return 0;
}
