/* Messages of netlink(7). Most are sent out of band, which netlink refuses: they change nothing. */
#include "../guest.h"
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* A message that is being put together. */
static struct {
	struct nlmsghdr head;
	char rest[512];
} message;

static void begin_message(int type, int flags)
{
	memset(&message, 0, sizeof message);
	message.head = (struct nlmsghdr){ .nlmsg_len = NLMSG_HDRLEN, .nlmsg_type = type, .nlmsg_flags = flags };
}

static void add(const void *bytes, int len)
{
	memcpy((char *)&message + message.head.nlmsg_len, bytes, len);
	message.head.nlmsg_len = NLMSG_ALIGN(message.head.nlmsg_len + len);
}

static void attribute(int type, const void *bytes, int len)
{
	struct nlattr head = { NLA_HDRLEN + len, type };

	add(&head, sizeof head);
	add(bytes, len);
}

/* A socket of this protocol. Only that of a bound one is known. */
static int bound(int protocol, const char *name)
{
	static struct sockaddr_nl own = { .nl_family = AF_NETLINK };
	int socket = syscall(SYS_socket, AF_NETLINK, SOCK_RAW, protocol);

	LINE("socket(AF_NETLINK, SOCK_RAW, %s) = %d", name, socket);
	CALL(syscall(SYS_bind, socket, &own, sizeof own),
	     "bind(%d, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12)", socket);
	return socket;
}

static long refused(int socket)
{
	return syscall(SYS_sendto, socket, &message, (long)message.head.nlmsg_len, MSG_OOB, NULL, 0);
}

#define HEAD(type, flags) "{nlmsg_len=%d, nlmsg_type=" type ", nlmsg_flags=" flags ", nlmsg_seq=0, nlmsg_pid=0}"
#define REFUSED(text) \
	CALL(refused(socket), "sendto(%d, " text ", %d, MSG_OOB, NULL, 0)", socket, message.head.nlmsg_len, \
	     message.head.nlmsg_len)

static void headers(void)
{
	int unbound = syscall(SYS_socket, AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE);

	LINE("socket(AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE) = %d", unbound);
	begin_message(RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP);
	CALL(refused(unbound),
	     "sendto(%d, " HEAD("0x12 /* NLMSG_??? */", "NLM_F_REQUEST|0x300") ", 16, MSG_OOB, NULL, 0)", unbound, 16);
	int socket = bound(NETLINK_ROUTE, "NETLINK_ROUTE");

	REFUSED(HEAD("RTM_GETLINK", "NLM_F_REQUEST|NLM_F_DUMP"));
	CALL(syscall(SYS_sendto, socket, &message, 5L, MSG_OOB, NULL, 0),
	     "sendto(%d, \"\\x10\\x00\\x00\\x00\\x12\", 5, MSG_OOB, NULL, 0)", socket);
	CALL(syscall(SYS_sendto, socket, (void *)1, 16L, MSG_OOB, NULL, 0), "sendto(%d, 0x1, 16, MSG_OOB, NULL, 0)", socket);
	begin_message(RTM_DELROUTE, NLM_F_REQUEST | NLM_F_ACK | 0x100);
	add("\2", 1);
	REFUSED("[" HEAD("RTM_DELROUTE", "NLM_F_REQUEST|NLM_F_ACK|NLM_F_NONREC") ", {rtm_family=AF_INET, ...}]");
	begin_message(NLMSG_ERROR, 0);
	add(&(struct nlmsgerr){ -EPERM, { 16, RTM_NEWADDR, NLM_F_REQUEST | NLM_F_CREATE, 7, 8 } }, sizeof(struct nlmsgerr));
	REFUSED("[" HEAD("NLMSG_ERROR", "0") ", {error=-EPERM, msg={nlmsg_len=16, nlmsg_type=RTM_NEWADDR, "
					     "nlmsg_flags=NLM_F_REQUEST|NLM_F_CREATE, nlmsg_seq=7, nlmsg_pid=8}}]");
	/* What is capped is a header, whatever it says; else there is as much as it says, or all that there is. */
	begin_message(NLMSG_ERROR, NLM_F_CAPPED);
	add(&(struct nlmsgerr){ 0, { 40, RTM_NEWADDR, NLM_F_REQUEST, 7, 8 } }, sizeof(struct nlmsgerr));
	add(&(struct nlattr){ 4, NLMSGERR_ATTR_COOKIE }, 4);
	REFUSED("[" HEAD("NLMSG_ERROR", "NLM_F_CAPPED") ", [{error=0, msg={nlmsg_len=40, nlmsg_type=RTM_NEWADDR, "
					     "nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=7, nlmsg_pid=8}}, "
					     "{nla_len=4, nla_type=NLMSGERR_ATTR_COOKIE}]]");
	begin_message(NLMSG_ERROR, 0);
	add(&(struct nlmsgerr){ -EPERM, { 60, NLMSG_NOOP, 0, 7, 8 } }, sizeof(struct nlmsgerr));
	add("\1\2\3", 4);
	REFUSED("[" HEAD("NLMSG_ERROR", "0") ", {error=-EPERM, msg=[{nlmsg_len=60, nlmsg_type=NLMSG_NOOP, nlmsg_flags=0, "
					     "nlmsg_seq=7, nlmsg_pid=8}, \"\\x01\\x02\\x03\\x00\"]}]");
	begin_message(NLMSG_DONE, NLM_F_MULTI);
	add(&(int){ 0 }, 4);
	REFUSED("[" HEAD("NLMSG_DONE", "NLM_F_MULTI") ", 0]");
}

static void attributes(void)
{
	struct ifinfomsg link = { .ifi_family = AF_UNSPEC, .ifi_type = 1, .ifi_index = 1, .ifi_flags = IFF_UP };
	struct rtmsg route = { .rtm_family = AF_INET, .rtm_dst_len = 24, .rtm_table = RT_TABLE_MAIN, .rtm_type = RTN_UNICAST };

	int socket = bound(NETLINK_ROUTE, "NETLINK_ROUTE");

	begin_message(RTM_NEWLINK, NLM_F_REQUEST);
	add(&link, sizeof link);
	attribute(IFLA_IFNAME, "none", 5);
	attribute(IFLA_MTU | NLA_F_NESTED, &(int){ 1500 }, 4);
	attribute(IFLA_ADDRESS, "\2\0\0\0\0\1", 6);
	attribute(999, "\1\2", 2);
	attribute(IFLA_GROUP, NULL, 0);
	REFUSED("[" HEAD("RTM_NEWLINK", "NLM_F_REQUEST") ", {ifi_family=AF_UNSPEC, ifi_type=ARPHRD_ETHER, "
		"ifi_index=if_nametoindex(\"lo\"), ifi_flags=IFF_UP, ifi_change=0}, "
		"[[{nla_len=9, nla_type=IFLA_IFNAME}, \"none\"], [{nla_len=8, nla_type=NLA_F_NESTED|IFLA_MTU}, 1500], "
		"[{nla_len=10, nla_type=IFLA_ADDRESS}, 02:00:00:00:00:01], "
		"[{nla_len=6, nla_type=0x3e7 /* IFLA_??? */}, \"\\x01\\x02\"], {nla_len=4, nla_type=IFLA_GROUP}]]");
	begin_message(RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
	add(&route, sizeof route);
	attribute(RTA_DST, "\12\1\2\0", 4);
	attribute(RTA_OIF, &(int){ 1 }, 4);
	REFUSED("[" HEAD("RTM_NEWROUTE", "NLM_F_REQUEST|NLM_F_EXCL|NLM_F_CREATE") ", {rtm_family=AF_INET, rtm_dst_len=24, "
		"rtm_src_len=0, rtm_tos=0, rtm_table=RT_TABLE_MAIN, rtm_protocol=RTPROT_UNSPEC, "
		"rtm_scope=RT_SCOPE_UNIVERSE, rtm_type=RTN_UNICAST, rtm_flags=0}, "
		"[[{nla_len=8, nla_type=RTA_DST}, inet_addr(\"10.1.2.0\")], "
		"[{nla_len=8, nla_type=RTA_OIF}, if_nametoindex(\"lo\")]]]");
}

static void protocols(void)
{
	struct inet_diag_req_v2 wanted = { .sdiag_family = AF_INET, .sdiag_protocol = 6, .idiag_states = 1 << 10 };
	struct nfgenmsg filter = { .nfgen_family = AF_INET };

	int socket = bound(NETLINK_SOCK_DIAG, "NETLINK_SOCK_DIAG");

	begin_message(SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP);
	add(&wanted, sizeof wanted);
	REFUSED("[" HEAD("SOCK_DIAG_BY_FAMILY", "NLM_F_REQUEST|NLM_F_DUMP") ", {sdiag_family=AF_INET, "
		"sdiag_protocol=IPPROTO_TCP, idiag_ext=0, idiag_states=1<<TCP_LISTEN, id={idiag_sport=htons(0), "
		"idiag_dport=htons(0), idiag_src=inet_addr(\"0.0.0.0\"), idiag_dst=inet_addr(\"0.0.0.0\"), idiag_if=0, "
		"idiag_cookie=[0, 0]}}]");
	socket = bound(NETLINK_GENERIC, "NETLINK_GENERIC");
	begin_message(GENL_ID_CTRL, NLM_F_REQUEST);
	REFUSED(HEAD("nlctrl", "NLM_F_REQUEST"));
	socket = bound(NETLINK_NETFILTER, "NETLINK_NETFILTER");
	begin_message(NFNL_SUBSYS_CTNETLINK << 8 | 1, NLM_F_REQUEST | NLM_F_DUMP);
	add(&filter, sizeof filter);
	REFUSED("[" HEAD("NFNL_SUBSYS_CTNETLINK<<8|IPCTNL_MSG_CT_GET", "NLM_F_REQUEST|NLM_F_DUMP")
		", {nfgen_family=AF_INET, version=NFNETLINK_V0, res_id=htons(0)}]");
	socket = bound(NETLINK_KOBJECT_UEVENT, "NETLINK_KOBJECT_UEVENT");
	CALL(syscall(SYS_sendto, socket, "add@/x", 6L, MSG_OOB, NULL, 0), "sendto(%d, \"add@/x\", 6, MSG_OOB, NULL, 0)", socket);
}

/* What the kernel answers comes back whole, also in several parts. */
static void answers(void)
{
	static char room[256];
	struct iovec part = { &message, 0 }, space = { room, sizeof room };
	static struct sockaddr_nl kernel = { .nl_family = AF_NETLINK }, from;
	struct msghdr out = { &kernel, sizeof kernel, &part, 1 }, in = { &from, sizeof from, &space, 1 };
	struct msghdr nameless = { .msg_iov = &part, .msg_iovlen = 1 };

	int socket = bound(NETLINK_ROUTE, "NETLINK_ROUTE");

	begin_message(RTM_SETLINK, NLM_F_REQUEST);
	add(&(struct ifinfomsg){ .ifi_index = 0x7fffffff }, sizeof(struct ifinfomsg));
	part.iov_len = message.head.nlmsg_len;
#define KERNEL "{sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}"
#define SENT                                                                                                        \
	"{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=2147483647, ifi_flags=0, ifi_change=0}"
	CALL(syscall(SYS_sendmsg, socket, &out, 0),
	     "sendmsg(%d, {msg_name=" KERNEL ", msg_namelen=12, msg_iov=[{iov_base=[" HEAD("RTM_SETLINK", "NLM_F_REQUEST") ", " SENT
	     "], iov_len=32}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0)",
	     socket, 32);
	CALL(syscall(SYS_recvmsg, socket, &in, 0),
	     "recvmsg(%d, {msg_name=" KERNEL ", msg_namelen=12, msg_iov=[{iov_base=[{nlmsg_len=52, nlmsg_type=NLMSG_ERROR, "
	     "nlmsg_flags=0, nlmsg_seq=0, nlmsg_pid=" ID "}, {error=-ENODEV, msg=[{nlmsg_len=32, nlmsg_type=RTM_SETLINK, "
	     "nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=0, nlmsg_pid=0}, " SENT
	     "]}], iov_len=256}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0)",
	     socket, ((struct nlmsghdr *)room)->nlmsg_pid);
	part.iov_len = 4;
	CALL(syscall(SYS_sendmsg, socket, &nameless, MSG_OOB),
	     "sendmsg(%d, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\" \\0\\0\\0\", iov_len=4}], msg_iovlen=1, "
	     "msg_controllen=0, msg_flags=0}, MSG_OOB)",
	     socket);
	CALL(syscall(SYS_sendto, socket, &message, 32L, 0, NULL, 0),
	     "sendto(%d, [" HEAD("RTM_SETLINK", "NLM_F_REQUEST") ", " SENT "], 32, 0, NULL, 0)", socket, 32);
	CALL(syscall(SYS_recvfrom, socket, room, 256L, 0, NULL, NULL),
	     "recvfrom(%d, [{nlmsg_len=52, nlmsg_type=NLMSG_ERROR, nlmsg_flags=0, nlmsg_seq=0, nlmsg_pid=" ID
	     "}, {error=-ENODEV, msg=[{nlmsg_len=32, nlmsg_type=RTM_SETLINK, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=0, "
	     "nlmsg_pid=0}, " SENT "]}], 256, 0, NULL, NULL)",
	     socket, ((struct nlmsghdr *)room)->nlmsg_pid);
	CALL(syscall(SYS_recvfrom, socket, room, 256L, MSG_DONTWAIT, NULL, NULL),
	     "recvfrom(%d, %p, 256, MSG_DONTWAIT, NULL, NULL)", socket, (void *)room);
}

int main(void)
{
	begin();
	/* The first socket that is bound has the process's id. */
	answers();
	headers();
	attributes();
	protocols();
	end();
}
