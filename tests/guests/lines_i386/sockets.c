/* Sockets, one by one and by `socketcall`. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("socket(AF_UNIX, SOCK_RAW|0x60 /* SOCK_??? */, 0)", socketcall, 1, LONGS(1, 99, 0));
	SHOW("bind(-1, 0xbad, 16)", socketcall, 2, LONGS(-1, BAD, 16));
	SHOW("connect(-1, 0xbad, 16)", socketcall, 3, LONGS(-1, BAD, 16));
	SHOW("listen(-1, 5)", socketcall, 4, LONGS(-1, 5));
	SHOW("accept(-1, 0xbad, 0xbad)", socketcall, 5, LONGS(-1, BAD, BAD));
	SHOW("getsockname(-1, 0xbad, 0xbad)", socketcall, 6, LONGS(-1, BAD, BAD));
	SHOW("getpeername(-1, 0xbad, 0xbad)", socketcall, 7, LONGS(-1, BAD, BAD));
	SHOW("socketpair(0x63 /* AF_??? */, SOCK_STREAM, 0, 0xbad)", socketcall, 8, LONGS(99, 1, 0, BAD));
	SHOW("send(-1, \"data\", 4, MSG_DONTWAIT)", socketcall, 9, LONGS(-1, P("data"), 4, 0x40));
	SHOW("recv(-1, 0xbad, 4, MSG_DONTWAIT)", socketcall, 10, LONGS(-1, BAD, 4, 0x40));
	SHOW("sendto(-1, \"data\", 4, 0, NULL, 0)", socketcall, 11, LONGS(-1, P("data"), 4, 0, 0, 0));
	SHOW("recvfrom(-1, 0xbad, 4, 0, 0xbad, 0xbad)", socketcall, 12, LONGS(-1, BAD, 4, 0, BAD, BAD));
	SHOW("shutdown(-1, SHUT_WR)", socketcall, 13, LONGS(-1, 1));
	SHOW("setsockopt(-1, SOL_SOCKET, SO_REUSEADDR, 0xbad, 4)", socketcall, 14, LONGS(-1, 1, 2, BAD, 4));
	SHOW("getsockopt(-1, SOL_SOCKET, SO_REUSEADDR, 0xbad, 0xbad)",
	     socketcall, 15, LONGS(-1, 1, 2, BAD, BAD));
	SHOW("sendmsg(-1, 0xbad, 0)", socketcall, 16, LONGS(-1, BAD, 0));
	SHOW("recvmsg(-1, 0xbad, 0)", socketcall, 17, LONGS(-1, BAD, 0));
	SHOW("accept4(-1, 0xbad, NULL, SOCK_CLOEXEC)", socketcall, 18, LONGS(-1, BAD, 0, 0x80000));
	SHOW("recvmmsg(-1, 0xbad, 1, 0, 0xbad)", socketcall, 19, LONGS(-1, BAD, 1, 0, BAD));
	SHOW("sendmmsg(-1, 0xbad, 1, 0)", socketcall, 20, LONGS(-1, BAD, 1, 0));
	SHOW("socketcall(SYS_SOCKET, 0xbad)", socketcall, 1, BAD);
	SHOW("socketcall(99, 0xbad)", socketcall, 99, BAD);
	SHOW("semop(-1, 0xbad, 1)", ipc, 1, -1, 1, 0, BAD);
	SHOW("semget(0x5, 6, 000)", ipc, 2, 5, 6, 0);
	SHOW("semctl(-1, 1, IPC_RMID, 0xbad)", ipc, 3, -1, 1, 0, BAD);
	SHOW("semtimedop(-1, 0xbad, 1, {tv_sec=0, tv_nsec=1})", ipc, 4, -1, 1, 0, BAD, LONGS(0, 1));
	SHOW("msgsnd(-1, 0xbad, 5, 0)", ipc, 11, -1, 5, 0, BAD);
	SHOW("msgrcv(-1, 0xbad, 5, 0)", ipc, 12, -1, 5, 0, BAD, 7);
	SHOW("msgget(0x5, 000)", ipc, 13, 5, 0);
	SHOW("msgctl(-1, IPC_STAT, 0xbad)", ipc, 14, -1, 2, 0, BAD);
	SHOW("shmat(-1, 0xbad, 0)", ipc, 21, -1, 0, BAD, BAD);
	SHOW("shmdt(0x1)", ipc, 22, 0, 0, 0, 1);
	SHOW("shmget(0x5, 0, 000)", ipc, 23, 5, 0, 0);
	SHOW("shmctl(-1, IPC_STAT, 0xbad)", ipc, 24, -1, 2, 0, BAD);
	SHOW("ipc(99, 0x1, 0x2, 0x3, 0x4, 0x5)", ipc, 99, 1, 2, 3, 4, 5);
	SHOW("recvmmsg(-1, 0xbad, 5, 0, 0xbad)", recvmmsg, -1, BAD, 5, 0, BAD);
	SHOW("recvmmsg(77, 0xffffffff, 4294967295, 0, 0xffffffff)", recvmmsg, 77, -1, -1, 0, -1);
	SHOW("sendmmsg(-1, 0xbad, 5, 0)", sendmmsg, -1, BAD, 5);
	SHOW("sendmmsg(77, 0xffffffff, 4294967295, 0)", sendmmsg, 77, -1, -1);
	SHOW("socket(0x63 /* AF_??? */, SOCK_STREAM, 0)", socket, 99, 1, 0);
	SHOW("socketpair(0x63 /* AF_??? */, SOCK_STREAM, 0, 0xbad)", socketpair, 99, 1, 0, BAD);
	SHOW("bind(-1, 0xbad, 5)", bind, -1, BAD, 5);
	SHOW("bind(77, 0xffffffff, -1)", bind, 77, -1, -1);
	SHOW("connect(-1, 0xbad, 5)", connect, -1, BAD, 5);
	SHOW("connect(77, 0xffffffff, -1)", connect, 77, -1, -1);
	SHOW("listen(-1, 5)", listen, -1, 5);
	SHOW("listen(77, -1)", listen, 77, -1);
	SHOW("accept4(-1, 0xbad, 0xbad, 0)", accept4, -1, BAD, BAD);
	SHOW("accept4(77, 0xffffffff, 0xffffffff, 0)", accept4, 77, -1, -1);
	SHOW("getsockopt(-1, SOL_IP, 0 /* IP_??? */, NULL, 0xbad)", getsockopt, -1, 0, 0, 0, BAD);
	SHOW("getsockopt(77, SOL_IP, 0 /* IP_??? */, NULL, 0xffffffff)", getsockopt, 77, 0, 0, 0, -1);
	SHOW("setsockopt(-1, SOL_IP, 0 /* IP_??? */, NULL, 5)", setsockopt, -1, 0, 0, 0, 5);
	SHOW("setsockopt(77, SOL_IP, 0 /* IP_??? */, NULL, -1)", setsockopt, 77, 0, 0, 0, -1);
	SHOW("getsockname(-1, 0xbad, 0xbad)", getsockname, -1, BAD, BAD);
	SHOW("getsockname(77, 0xffffffff, 0xffffffff)", getsockname, 77, -1, -1);
	SHOW("getpeername(-1, 0xbad, 0xbad)", getpeername, -1, BAD, BAD);
	SHOW("getpeername(77, 0xffffffff, 0xffffffff)", getpeername, 77, -1, -1);
	SHOW("sendto(-1, 0xbad, 5, 0, 0xbad, 5)", sendto, -1, BAD, 5, 0, BAD, 5);
	SHOW("sendto(77, 0xffffffff, 4294967295, 0, 0xffffffff, -1)", sendto, 77, -1, -1, 0, -1, -1);
	SHOW("sendmsg(-1, 0xbad, 0)", sendmsg, -1, BAD);
	SHOW("sendmsg(77, 0xffffffff, 0)", sendmsg, 77, -1);
	SHOW("recvfrom(-1, 0xbad, 5, 0, 0xbad, 0xbad)", recvfrom, -1, BAD, 5, 0, BAD, BAD);
	SHOW("recvfrom(77, 0xffffffff, 4294967295, 0, 0xffffffff, 0xffffffff)",
	     recvfrom, 77, -1, -1, 0, -1, -1);
	SHOW("recvmsg(-1, 0xbad, 0)", recvmsg, -1, BAD);
	SHOW("recvmsg(77, 0xffffffff, 0)", recvmsg, 77, -1);
	SHOW("shutdown(-1, SHUT_RD)", shutdown, -1);
	SHOW("shutdown(77, SHUT_RD)", shutdown, 77);
	end();
}
