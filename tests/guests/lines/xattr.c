/* Extended attributes, by path, by link, by descriptor. */
#include "../guest.h"
#include <sys/xattr.h>

#define BAD 0xbadL

static void by_path(void)
{
	CALL(syscall(SYS_setxattr, "file", "none.x", "value", 5L, XATTR_CREATE),
	     "setxattr(\"file\", \"none.x\", \"value\", 5, XATTR_CREATE)");
	CALL(syscall(SYS_setxattr, "nonexistent", "user.x", "a\0b", 3L, XATTR_REPLACE),
	     "setxattr(\"nonexistent\", \"user.x\", \"a\\0b\", 3, XATTR_REPLACE)");
	CALL(syscall(SYS_setxattr, "file", "user.x", "value", 0L, 7),
	     "setxattr(\"file\", \"user.x\", \"\", 0, XATTR_CREATE|XATTR_REPLACE|0x4)");
	CALL(syscall(SYS_setxattr, BAD, -1L, BAD, 3L, XATTR_CREATE | XATTR_REPLACE),
	     "setxattr(0xbad, 0xffffffffffffffff, 0xbad, 3, XATTR_CREATE|XATTR_REPLACE)");
	CALL(syscall(SYS_setxattr, NULL, NULL, NULL, -1L, 0),
	     "setxattr(NULL, NULL, NULL, 18446744073709551615, 0)");
	CALL(syscall(SYS_getxattr, "nonexistent", "user.x", BAD, 16L),
	     "getxattr(\"nonexistent\", \"user.x\", 0xbad, 16)");
	CALL(syscall(SYS_getxattr, "file", "none.x", NULL, 0L), "getxattr(\"file\", \"none.x\", NULL, 0)");
	CALL(syscall(SYS_getxattr, BAD, BAD, BAD, 0L), "getxattr(0xbad, 0xbad, 0xbad, 0)");
	CALL(syscall(SYS_listxattr, "nonexistent", BAD, 16L), "listxattr(\"nonexistent\", 0xbad, 16)");
	CALL(syscall(SYS_listxattr, "file", NULL, -1L), "listxattr(\"file\", NULL, 18446744073709551615)");
	CALL(syscall(SYS_listxattr, BAD, BAD, 1L), "listxattr(0xbad, 0xbad, 1)");
	CALL(syscall(SYS_removexattr, "file", "none.x"), "removexattr(\"file\", \"none.x\")");
	CALL(syscall(SYS_removexattr, "nonexistent", "user.x"), "removexattr(\"nonexistent\", \"user.x\")");
	CALL(syscall(SYS_removexattr, BAD, -1L), "removexattr(0xbad, 0xffffffffffffffff)");
}

static void by_link(void)
{
	CALL(syscall(SYS_lsetxattr, "link", "none.x", "value", 5L, XATTR_CREATE),
	     "lsetxattr(\"link\", \"none.x\", \"value\", 5, XATTR_CREATE)");
	CALL(syscall(SYS_lsetxattr, "nonexistent", "user.x", NULL, 0L, 0),
	     "lsetxattr(\"nonexistent\", \"user.x\", NULL, 0, 0)");
	CALL(syscall(SYS_lsetxattr, BAD, BAD, -1L, 100L, -1),
	     "lsetxattr(0xbad, 0xbad, 0xffffffffffffffff, 100, XATTR_CREATE|XATTR_REPLACE|0xfffffffc)");
	CALL(syscall(SYS_lgetxattr, "link", "none.x", BAD, 7L),
	     "lgetxattr(\"link\", \"none.x\", 0xbad, 7)");
	CALL(syscall(SYS_lgetxattr, "nonexistent", "user.x", NULL, 0L),
	     "lgetxattr(\"nonexistent\", \"user.x\", NULL, 0)");
	CALL(syscall(SYS_lgetxattr, BAD, NULL, BAD, -1L),
	     "lgetxattr(0xbad, NULL, 0xbad, 18446744073709551615)");
	CALL(syscall(SYS_llistxattr, "nonexistent", NULL, 0L), "llistxattr(\"nonexistent\", NULL, 0)");
	CALL(syscall(SYS_llistxattr, BAD, BAD, 5L), "llistxattr(0xbad, 0xbad, 5)");
	CALL(syscall(SYS_lremovexattr, "link", "none.x"), "lremovexattr(\"link\", \"none.x\")");
	CALL(syscall(SYS_lremovexattr, NULL, BAD), "lremovexattr(NULL, 0xbad)");
}

static void by_descriptor(void)
{
	CALL(syscall(SYS_fsetxattr, -1, "user.x", "value", 5L, 0),
	     "fsetxattr(-1, \"user.x\", \"value\", 5, 0)");
	CALL(syscall(SYS_fsetxattr, 3, "none.x", "value", 5L, XATTR_REPLACE),
	     "fsetxattr(3, \"none.x\", \"value\", 5, XATTR_REPLACE)");
	CALL(syscall(SYS_fsetxattr, 3, BAD, BAD, 5L, 0), "fsetxattr(3, 0xbad, 0xbad, 5, 0)");
	CALL(syscall(SYS_fgetxattr, -1, "user.x", BAD, 5L), "fgetxattr(-1, \"user.x\", 0xbad, 5)");
	CALL(syscall(SYS_fgetxattr, 3, "none.x", BAD, 5L), "fgetxattr(3, \"none.x\", 0xbad, 5)");
	CALL(syscall(SYS_fgetxattr, 3, BAD, NULL, 0L), "fgetxattr(3, 0xbad, NULL, 0)");
	CALL(syscall(SYS_flistxattr, -1, BAD, 5L), "flistxattr(-1, 0xbad, 5)");
	CALL(syscall(SYS_flistxattr, -100, NULL, 0L), "flistxattr(-100, NULL, 0)");
	CALL(syscall(SYS_fremovexattr, -1, "user.x"), "fremovexattr(-1, \"user.x\")");
	CALL(syscall(SYS_fremovexattr, 3, "none.x"), "fremovexattr(3, \"none.x\")");
	CALL(syscall(SYS_fremovexattr, 3, BAD), "fremovexattr(3, 0xbad)");
}

/* Where the folder's file system keeps them for users. */
static void kept(int alone)
{
	static char value[16], names[1024];

	CALL(syscall(SYS_setxattr, "file", "user.name", "a\1value", 7L, XATTR_CREATE),
	     "setxattr(\"file\", \"user.name\", \"a\\1value\", 7, XATTR_CREATE)");
	CALL(syscall(SYS_getxattr, "file", "user.name", value, 16L),
	     "getxattr(\"file\", \"user.name\", \"a\\1value\", 16)");
	CALL(syscall(SYS_getxattr, "file", "user.name", value, 2L), "getxattr(\"file\", \"user.name\", %p, 2)",
	     (void *)value);
	CALL(syscall(SYS_getxattr, "file", "user.name", NULL, 0L), "getxattr(\"file\", \"user.name\", NULL, 0)");
	CALL(syscall(SYS_fgetxattr, 3, "user.name", value, 16L), "fgetxattr(3, \"user.name\", \"a\\1value\", 16)");
	CALL(syscall(SYS_lgetxattr, "file", "user.name", value, 16L),
	     "lgetxattr(\"file\", \"user.name\", \"a\\1value\", 16)");
	if (alone) {
		CALL(syscall(SYS_listxattr, "file", names, 1024L), "listxattr(\"file\", \"user.name\\0\", 1024)");
		CALL(syscall(SYS_flistxattr, 3, names, 1024L), "flistxattr(3, \"user.name\\0\", 1024)");
		CALL(syscall(SYS_llistxattr, "file", names, 1024L), "llistxattr(\"file\", \"user.name\\0\", 1024)");
	}
	CALL(syscall(SYS_removexattr, "file", "user.name"), "removexattr(\"file\", \"user.name\")");
}

int main(void)
{
	int file = open("file", O_RDWR | O_CREAT, 0600);
	int are_kept, length;

	if (file != 3 || symlink("file", "link"))
		abort();
	are_kept = setxattr("file", "user.name", "a\1value", 7, 0) == 0;
	length = listxattr("file", NULL, 0);
	begin();
	by_path();
	by_link();
	by_descriptor();
	if (are_kept)
		kept(length == 10);
	end();
	return 0;
}
