/* Messages of netlink that nobody answers, since they do not say that they are requests: types between those
 * that there are, families with headers of their own, texts as long as what is told of them. */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static unsigned char message[256];
static struct nlmsghdr *const header = (void *)message;

static int opened(int protocol)
{
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, protocol);

	bind(fd, (struct sockaddr *)&any, sizeof any);
	return fd;
}

static void sends(int fd, int type, unsigned length)
{
	header->nlmsg_len = length;
	header->nlmsg_type = type;
	sendto(fd, message, length, 0, NULL, 0);
}

static void route(int fd)
{
	static const int types[] = {
		RTM_GETNEIGH, RTM_NEWNEIGH, RTM_NEWNEIGHTBL, RTM_NEWNEIGHTBL + 1, RTM_GETNEIGHTBL, RTM_SETNEIGHTBL,
		RTM_NEWSTATS, RTM_NEWSTATS + 1, RTM_GETSTATS, RTM_NEWCACHEREPORT, RTM_DELACTION,
	};

	for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
		for (unsigned length = 18; length < 44; length += 2) {
			memset(message, 0, sizeof message);
			message[16] = AF_BRIDGE;
			message[20] = 1;
			header->nlmsg_flags = NLM_F_ROOT | NLM_F_ACK;
			sends(fd, types[i], length);
		}
	}
	/* A set of bits of which none has a name. */
	message[26] = 1;
	sends(fd, RTM_GETSTATS, 28);
}

static void texts(int fd)
{
	for (unsigned length = 30; length < 35; length++) {
		memset(message, 0, sizeof message);
		memset(message + 36, 'a', length);
		message[32] = length + 5;
		message[34] = IFLA_IFALIAS;
		sends(fd, RTM_NEWLINK, (32 + 5 + length + 3) & ~3u);
	}
}

static void sockets(void)
{
	int fd = opened(NETLINK_SOCK_DIAG);

	for (int type = 0; type < 8; type++) {
		memset(message, 0, sizeof message);
		message[16] = type % 2 ? AF_UNIX : AF_PACKET;
		message[17] = type;
		sends(fd, 20, 16 + 24);
	}
}

int main(void)
{
	int fd = opened(NETLINK_ROUTE);

	route(fd);
	texts(fd);
	sockets();
	return 0;
}
