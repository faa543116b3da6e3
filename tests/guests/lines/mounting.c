/* File systems: the mount API, what is mounted where. Nothing here changes what is mounted. */
#include "../guest.h"
#include <linux/mount.h>

#define BAD 0xbadL

static void contexts(void)
{
	CALL(syscall(SYS_fsopen, "no such type", FSOPEN_CLOEXEC),
	     "fsopen(\"no such type\", FSOPEN_CLOEXEC)");
	CALL(syscall(SYS_fsopen, BAD, -1), "fsopen(0xbad, FSOPEN_CLOEXEC|0xfffffffe)");
	CALL(syscall(SYS_fsopen, NULL, 0), "fsopen(NULL, 0)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_FLAG, "ro", NULL, 0),
	     "fsconfig(-1, FSCONFIG_SET_FLAG, \"ro\", NULL, 0)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_FLAG, "ro", BAD, 1),
	     "fsconfig(-1, FSCONFIG_SET_FLAG, \"ro\", 0xbad, 1)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_STRING, "source", "disk", 0),
	     "fsconfig(-1, FSCONFIG_SET_STRING, \"source\", \"disk\", 0)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_BINARY, "key", "a\1b", 3),
	     "fsconfig(-1, FSCONFIG_SET_BINARY, \"key\", \"\\x61\\x01\\x62\", 3)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_PATH, "dir", "/path", AT_FDCWD),
	     "fsconfig(-1, FSCONFIG_SET_PATH, \"dir\", \"/path\", AT_FDCWD)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_PATH_EMPTY, "dir", "", 3),
	     "fsconfig(-1, FSCONFIG_SET_PATH_EMPTY, \"dir\", \"\", 3)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_SET_FD, "fd", NULL, 3),
	     "fsconfig(-1, FSCONFIG_SET_FD, \"fd\", NULL, 3)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_CMD_CREATE, NULL, NULL, 0),
	     "fsconfig(-1, FSCONFIG_CMD_CREATE, NULL, NULL, 0)");
	CALL(syscall(SYS_fsconfig, -1, FSCONFIG_CMD_RECONFIGURE, BAD, BAD, 1),
	     "fsconfig(-1, FSCONFIG_CMD_RECONFIGURE, 0xbad, 0xbad, 1)");
	CALL(syscall(SYS_fsconfig, 0, 99, BAD, BAD, 7),
	     "fsconfig(0, 0x63 /* FSCONFIG_??? */, 0xbad, 0xbad, 7)");
	CALL(syscall(SYS_fsmount, -1, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID),
	     "fsmount(-1, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY|MOUNT_ATTR_NOSUID)");
	CALL(syscall(SYS_fsmount, 0, -1, MOUNT_ATTR_NOATIME | MOUNT_ATTR_STRICTATIME),
	     "fsmount(0, FSMOUNT_CLOEXEC|0xfffffffe, MOUNT_ATTR_NOATIME|MOUNT_ATTR_STRICTATIME)");
	CALL(syscall(SYS_fspick, -1, "x", FSPICK_CLOEXEC | FSPICK_NO_AUTOMOUNT),
	     "fspick(-1, \"x\", FSPICK_CLOEXEC|FSPICK_NO_AUTOMOUNT)");
	CALL(syscall(SYS_fspick, AT_FDCWD, BAD, 0x100), "fspick(AT_FDCWD, 0xbad, 0x100 /* FSPICK_??? */)");
}

static void trees(void)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY, .attr_clr = MOUNT_ATTR__ATIME,
				   .propagation = 1 << 18, .userns_fd = 3 };

	CALL(syscall(SYS_open_tree, -1, "nowhere", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE),
	     "open_tree(-1, \"nowhere\", OPEN_TREE_CLONE|OPEN_TREE_CLOEXEC|AT_RECURSIVE)");
	CALL(syscall(SYS_open_tree, AT_FDCWD, BAD, -1),
	     "open_tree(AT_FDCWD, 0xbad, OPEN_TREE_CLONE|OPEN_TREE_CLOEXEC|AT_SYMLINK_NOFOLLOW|"
	     "AT_REMOVEDIR|AT_SYMLINK_FOLLOW|AT_NO_AUTOMOUNT|AT_EMPTY_PATH|AT_RECURSIVE|0xfff760fe)");
	CALL(syscall(SYS_open_tree, AT_FDCWD, NULL, 0), "open_tree(AT_FDCWD, NULL, 0)");
	CALL(syscall(SYS_move_mount, -1, "", AT_FDCWD, "/nowhere", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS),
	     "move_mount(-1, \"\", AT_FDCWD, \"/nowhere\", MOVE_MOUNT_F_EMPTY_PATH|"
	     "MOVE_MOUNT_T_SYMLINKS)");
	CALL(syscall(SYS_move_mount, AT_FDCWD, BAD, -1, BAD, 0x8000),
	     "move_mount(AT_FDCWD, 0xbad, -1, 0xbad, 0x8000 /* MOVE_MOUNT_??? */)");
	CALL(syscall(SYS_mount_setattr, -1, "nowhere", AT_RECURSIVE | AT_EMPTY_PATH, &attr, sizeof attr),
	     "mount_setattr(-1, \"nowhere\", AT_EMPTY_PATH|AT_RECURSIVE, "
	     "{attr_set=MOUNT_ATTR_RDONLY, attr_clr=MOUNT_ATTR_NOATIME|MOUNT_ATTR_STRICTATIME|0x40, "
	     "propagation=MS_PRIVATE, userns_fd=3}, 32)");
	CALL(syscall(SYS_mount_setattr, -1, "nowhere", 0, BAD, 8L),
	     "mount_setattr(-1, \"nowhere\", 0, 0xbad, 8)");
	CALL(syscall(SYS_mount_setattr, -1, BAD, 0x2, BAD, 32L),
	     "mount_setattr(-1, 0xbad, 0x2 /* AT_??? */, 0xbad, 32)");
	CALL(syscall(SYS_mount_setattr, -1, NULL, 0, NULL, 0L), "mount_setattr(-1, NULL, 0, NULL, 0)");
	CALL(syscall(SYS_pivot_root, "/nowhere", "/no/where"), "pivot_root(\"/nowhere\", \"/no/where\")");
	CALL(syscall(SYS_pivot_root, BAD, -1L), "pivot_root(0xbad, 0xffffffffffffffff)");
	CALL(syscall(SYS_pivot_root, NULL, NULL), "pivot_root(NULL, NULL)");
	CALL(syscall(SYS_swapon, "/nowhere", 0x18005),
	     "swapon(\"/nowhere\", SWAP_FLAG_PREFER|SWAP_FLAG_DISCARD|5)");
	CALL(syscall(SYS_swapon, BAD, 0x20000), "swapon(0xbad, SWAP_FLAG_DISCARD_ONCE|0)");
	CALL(syscall(SYS_swapon, NULL, -1),
	     "swapon(NULL, SWAP_FLAG_PREFER|SWAP_FLAG_DISCARD|SWAP_FLAG_DISCARD_ONCE|"
	     "SWAP_FLAG_DISCARD_PAGES|0xfff80000|32767)");
}

static void types(void)
{
	CALL(syscall(SYS_sysfs, 1, BAD, 0L), "sysfs(0x1, 0xbad, 0)");
	CALL(syscall(SYS_sysfs, 1, NULL, 0L), "sysfs(0x1, 0, 0)");
	CALL(syscall(SYS_sysfs, 2, 100000L, BAD), "sysfs(0x2, 0x186a0, 0xbad)");
	CALL(syscall(SYS_sysfs, 4, 0L, 0L), "sysfs(0x4, 0, 0)");
	CALL(syscall(SYS_sysfs, -1, -1L, -1L), "sysfs(0xffffffff, 0xffffffffffffffff, 0xffffffffffffffff)");
	CALL(syscall(SYS_ustat, 0xffff, BAD), "ustat(makedev(0xff, 0xff), 0xbad)");
	CALL(syscall(SYS_ustat, -1, NULL), "ustat(makedev(0xfff, 0xfffff), NULL)");
}

int main(void)
{
	begin();
	contexts();
	trees();
	types();
	end();
	return 0;
}
