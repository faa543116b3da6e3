/* File systems. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("mount(\"no/where\", \"no/where\", NULL, 0, 0xbad)",
	     mount, P("no/where"), P("no/where"), 0, 0, BAD);
	SHOW("mount(0xbad, 0xbad, NULL, 0, 0xffffffff)", mount, BAD, BAD, 0, 0, -1);
	SHOW("sync()", sync);
	SHOW("acct(\"no/where\")", acct, P("no/where"));
	SHOW("acct(0xbad)", acct, BAD);
	SHOW("umount2(\"no/where\", 0)", umount2, P("no/where"));
	SHOW("umount2(0xbad, 0)", umount2, BAD);
	SHOW("swapon(\"no/where\", 0)", swapon, P("no/where"));
	SHOW("swapon(0xbad, 0)", swapon, BAD);
	SHOW("swapoff(\"no/where\")", swapoff, P("no/where"));
	SHOW("swapoff(0xbad)", swapoff, BAD);
	SHOW("pivot_root(\"no/where\", \"no/where\")", pivot_root, P("no/where"), P("no/where"));
	SHOW("pivot_root(0xbad, 0xbad)", pivot_root, BAD, BAD);
	SHOW("syncfs(-1)", syncfs, -1);
	SHOW("syncfs(77)", syncfs, 77);
	SHOW("open_tree(AT_FDCWD, \"no/where\", 0)", open_tree, -100, P("no/where"));
	SHOW("open_tree(-1, 0xbad, 0)", open_tree, -1, BAD);
	SHOW("move_mount(AT_FDCWD, \"no/where\", AT_FDCWD, \"no/where\", 0)",
	     move_mount, -100, P("no/where"), -100, P("no/where"));
	SHOW("move_mount(-1, 0xbad, -1, 0xbad, 0)", move_mount, -1, BAD, -1, BAD);
	SHOW("fsopen(\"no/where\", 0)", fsopen, P("no/where"));
	SHOW("fsopen(0xbad, 0)", fsopen, BAD);
	SHOW("fsconfig(-1, FSCONFIG_SET_FLAG, NULL, NULL, 0)", fsconfig, -1);
	SHOW("fsconfig(77, FSCONFIG_SET_FLAG, NULL, NULL, 0)", fsconfig, 77);
	SHOW("fsmount(-1, 0, 0)", fsmount, -1);
	SHOW("fsmount(77, 0, 0)", fsmount, 77);
	SHOW("fspick(AT_FDCWD, \"no/where\", 0)", fspick, -100, P("no/where"));
	SHOW("fspick(-1, 0xbad, 0)", fspick, -1, BAD);
	SHOW("mount_setattr(AT_FDCWD, \"no/where\", 0, NULL, 5)",
	     mount_setattr, -100, P("no/where"), 0, 0, 5);
	SHOW("mount_setattr(-1, 0xbad, 0, NULL, 4294967295)", mount_setattr, -1, BAD, 0, 0, -1);
	end();
}
