/* Extended attributes. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("setxattr(\"no/where\", \"no/where\", 0xbad, 5, 0)",
	     setxattr, P("no/where"), P("no/where"), BAD, 5);
	SHOW("setxattr(0xbad, 0xbad, 0xffffffff, 4294967295, 0)", setxattr, BAD, BAD, -1, -1);
	SHOW("lsetxattr(\"no/where\", \"no/where\", 0xbad, 5, 0)",
	     lsetxattr, P("no/where"), P("no/where"), BAD, 5);
	SHOW("lsetxattr(0xbad, 0xbad, 0xffffffff, 4294967295, 0)", lsetxattr, BAD, BAD, -1, -1);
	SHOW("fsetxattr(-1, \"no/where\", 0xbad, 5, 0)", fsetxattr, -1, P("no/where"), BAD, 5);
	SHOW("fsetxattr(77, 0xbad, 0xffffffff, 4294967295, 0)", fsetxattr, 77, BAD, -1, -1);
	SHOW("getxattr(\"no/where\", \"no/where\", 0xbad, 5)",
	     getxattr, P("no/where"), P("no/where"), BAD, 5);
	SHOW("getxattr(0xbad, 0xbad, 0xffffffff, 4294967295)", getxattr, BAD, BAD, -1, -1);
	SHOW("lgetxattr(\"no/where\", \"no/where\", 0xbad, 5)",
	     lgetxattr, P("no/where"), P("no/where"), BAD, 5);
	SHOW("lgetxattr(0xbad, 0xbad, 0xffffffff, 4294967295)", lgetxattr, BAD, BAD, -1, -1);
	SHOW("fgetxattr(-1, \"no/where\", 0xbad, 5)", fgetxattr, -1, P("no/where"), BAD, 5);
	SHOW("fgetxattr(77, 0xbad, 0xffffffff, 4294967295)", fgetxattr, 77, BAD, -1, -1);
	SHOW("listxattr(\"no/where\", NULL, 5)", listxattr, P("no/where"), 0, 5);
	SHOW("listxattr(0xbad, NULL, 4294967295)", listxattr, BAD, 0, -1);
	SHOW("llistxattr(\"no/where\", NULL, 5)", llistxattr, P("no/where"), 0, 5);
	SHOW("llistxattr(0xbad, NULL, 4294967295)", llistxattr, BAD, 0, -1);
	SHOW("flistxattr(-1, NULL, 5)", flistxattr, -1, 0, 5);
	SHOW("flistxattr(77, NULL, 4294967295)", flistxattr, 77, 0, -1);
	SHOW("removexattr(\"no/where\", \"no/where\")", removexattr, P("no/where"), P("no/where"));
	SHOW("removexattr(0xbad, 0xbad)", removexattr, BAD, BAD);
	SHOW("lremovexattr(\"no/where\", \"no/where\")", lremovexattr, P("no/where"), P("no/where"));
	SHOW("lremovexattr(0xbad, 0xbad)", lremovexattr, BAD, BAD);
	SHOW("fremovexattr(-1, \"no/where\")", fremovexattr, -1, P("no/where"));
	SHOW("fremovexattr(77, 0xbad)", fremovexattr, 77, BAD);
	end();
}
