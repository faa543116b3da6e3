/* Who one is, with ids of 16 and of 32 bits. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("setuid(-1)", setuid, -1);
	SHOW_VARIES("getuid()", getuid);
	SHOW("setgid(-1)", setgid, -1);
	SHOW_VARIES("getgid()", getgid);
	SHOW_VARIES("geteuid()", geteuid);
	SHOW_VARIES("getegid()", getegid);
	SHOW("setreuid(-1, -1)", setreuid, -1, -1);
	SHOW("setregid(-1, -1)", setregid, -1, -1);
	SHOW("getgroups(-1, 0xbad)", getgroups, -1, BAD);
	SHOW("setgroups(5, NULL)", setgroups, 5);
	SHOW("setgroups(-1, NULL)", setgroups, -1);
	SHOW_VARIES("setfsuid(-1)", setfsuid, -1);
	SHOW_VARIES("setfsgid(-1)", setfsgid, -1);
	SHOW("setresuid(-1, -1, -1)", setresuid, -1, -1, -1);
	SHOW("getresuid(0xbad, 0xbad, 0xbad)", getresuid, BAD, BAD, BAD);
	SHOW("getresuid(0xffffffff, 0xffffffff, 0xffffffff)", getresuid, -1, -1, -1);
	SHOW("setresgid(-1, -1, -1)", setresgid, -1, -1, -1);
	SHOW("getresgid(0xbad, 0xbad, 0xbad)", getresgid, BAD, BAD, BAD);
	SHOW("getresgid(0xffffffff, 0xffffffff, 0xffffffff)", getresgid, -1, -1, -1);
	SHOW("capget(0xbad, 0xbad)", capget, BAD, BAD);
	SHOW("capset(0xbad, 0xbad)", capset, BAD, BAD);
	SHOW("lchown32(\"no/where\", -1, -1)", lchown32, P("no/where"), -1, -1);
	SHOW("lchown32(0xbad, -1, -1)", lchown32, BAD, -1, -1);
	SHOW_VARIES("getuid32()", getuid32);
	SHOW_VARIES("getgid32()", getgid32);
	SHOW_VARIES("geteuid32()", geteuid32);
	SHOW_VARIES("getegid32()", getegid32);
	SHOW("setreuid32(-1, -1)", setreuid32, -1, -1);
	SHOW("setregid32(-1, -1)", setregid32, -1, -1);
	SHOW("getgroups32(-1, 0xbad)", getgroups32, -1, BAD);
	SHOW("setgroups32(5, NULL)", setgroups32, 5);
	SHOW("setgroups32(-1, NULL)", setgroups32, -1);
	SHOW("fchown32(-1, -1, -1)", fchown32, -1, -1, -1);
	SHOW("fchown32(77, -1, -1)", fchown32, 77, -1, -1);
	SHOW("setresuid32(-1, -1, -1)", setresuid32, -1, -1, -1);
	SHOW("getresuid32(0xbad, 0xbad, 0xbad)", getresuid32, BAD, BAD, BAD);
	SHOW("getresuid32(0xffffffff, 0xffffffff, 0xffffffff)", getresuid32, -1, -1, -1);
	SHOW("setresgid32(-1, -1, -1)", setresgid32, -1, -1, -1);
	SHOW("getresgid32(0xbad, 0xbad, 0xbad)", getresgid32, BAD, BAD, BAD);
	SHOW("getresgid32(0xffffffff, 0xffffffff, 0xffffffff)", getresgid32, -1, -1, -1);
	SHOW("chown32(\"no/where\", -1, -1)", chown32, P("no/where"), -1, -1);
	SHOW("chown32(0xbad, -1, -1)", chown32, BAD, -1, -1);
	SHOW("setuid32(-1)", setuid32, -1);
	SHOW("setgid32(-1)", setgid32, -1);
	SHOW_VARIES("setfsuid32(-1)", setfsuid32, -1);
	SHOW_VARIES("setfsgid32(-1)", setfsgid32, -1);
	end();
}
