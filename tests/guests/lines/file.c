/* Calls that take a path.
 *
 * @steady
 */
#include "../guest.h"
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#define AT "AT_FDCWD, "

static void opening(void)
{
	CALL(syscall(SYS_openat, AT_FDCWD, "/nonexistent", O_RDONLY | O_CLOEXEC),
	     "openat(" AT "\"/nonexistent\", O_RDONLY|O_CLOEXEC)");
	CALL(syscall(SYS_openat, AT_FDCWD, "f", O_RDWR | O_CREAT | O_EXCL, 0640),
	     "openat(" AT "\"f\", O_RDWR|O_CREAT|O_EXCL, 0640)");
	CALL(syscall(SYS_openat, AT_FDCWD, "f", O_WRONLY | O_CREAT | O_EXCL, 0600),
	     "openat(" AT "\"f\", O_WRONLY|O_CREAT|O_EXCL, 0600)");
	CALL(syscall(SYS_openat, 99, "f", O_PATH | O_DIRECTORY), "openat(99, \"f\", O_RDONLY|O_PATH|O_DIRECTORY)");
	CALL(syscall(SYS_open, "f", O_WRONLY | O_APPEND | O_NONBLOCK), "open(\"f\", O_WRONLY|O_APPEND|O_NONBLOCK)");
	CALL(syscall(SYS_open, (void *)1, O_RDONLY), "open(0x1, O_RDONLY)");
	CALL(syscall(SYS_open, NULL, O_RDONLY), "open(NULL, O_RDONLY)");
	CALL(syscall(SYS_open, "f", O_RDONLY | O_TMPFILE, 0), "open(\"f\", O_RDONLY|O_TMPFILE, 000)");
	CALL(syscall(SYS_creat, "c", 0600), "creat(\"c\", 0600)");
	CALL(syscall(SYS_openat, AT_FDCWD, "tab\t\"quote\"\\\377\0012\n", 3),
	     "openat(" AT "\"tab\\t\\\"quote\\\"\\\\\\377\\0012\\n\", O_ACCMODE)");
	CALL(syscall(SYS_openat, AT_FDCWD, "a-name-of-more-than-thirty-two-characters", O_RDONLY),
	     "openat(" AT "\"a-name-of-more-than-thirty-two-characters\", O_RDONLY)");
}

static void looking(void)
{
	static struct stat st;
	static struct statfs fs;
	static char target[8];

	CALL(syscall(SYS_stat, "f", &st), "stat(\"f\", {st_mode=S_IFREG|0640, st_size=0, ...})");
	CALL(syscall(SYS_stat, "/dev/null", &st),
	     "stat(\"/dev/null\", {st_mode=S_IFCHR|0666, st_rdev=makedev(0x1, 0x3), ...})");
	CALL(syscall(SYS_stat, "/nonexistent", &st), "stat(\"/nonexistent\", %p)", (void *)&st);
	CALL(syscall(SYS_lstat, "f", NULL), "lstat(\"f\", NULL)");
	CALL(syscall(SYS_newfstatat, AT_FDCWD, ".", &st, AT_SYMLINK_NOFOLLOW),
	     "newfstatat(" AT "\".\", {st_mode=S_IFDIR|0%o, st_size=%ld, ...}, AT_SYMLINK_NOFOLLOW)",
	     st.st_mode & 07777, (long)st.st_size);
	CALL(syscall(SYS_newfstatat, -1, "", &st, AT_EMPTY_PATH),
	     "newfstatat(-1, \"\", %p, AT_EMPTY_PATH)", (void *)&st);
	CALL(syscall(SYS_statx, AT_FDCWD, "/nonexistent", 0, 0x7ff, NULL),
	     "statx(" AT "\"/nonexistent\", AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS, NULL)");
	CALL(syscall(SYS_statfs, "/nonexistent", &fs), "statfs(\"/nonexistent\", %p)", (void *)&fs);
	CALL(syscall(SYS_access, "f", R_OK | W_OK), "access(\"f\", R_OK|W_OK)");
	CALL(syscall(SYS_access, "f", F_OK), "access(\"f\", F_OK)");
	CALL(syscall(SYS_faccessat, AT_FDCWD, "g", X_OK), "faccessat(" AT "\"g\", X_OK)");
	CALL(syscall(SYS_faccessat2, AT_FDCWD, "f", R_OK, AT_EACCESS),
	     "faccessat2(" AT "\"f\", R_OK, AT_EACCESS)");
	CALL(syscall(SYS_readlink, "/proc/self/nonexistent", target, 8),
	     "readlink(\"/proc/self/nonexistent\", %p, 8)", (void *)target);
}

static void naming(void)
{
	static char target[8];

	CALL(syscall(SYS_mkdir, "d", 0755), "mkdir(\"d\", 0755)");
	CALL(syscall(SYS_mkdirat, AT_FDCWD, "d", 0), "mkdirat(" AT "\"d\", 000)");
	CALL(syscall(SYS_symlink, "f", "s"), "symlink(\"f\", \"s\")");
	CALL(syscall(SYS_symlinkat, "loop", AT_FDCWD, "loop"), "symlinkat(\"loop\", " AT "\"loop\")");
	CALL(syscall(SYS_open, "loop", O_RDONLY), "open(\"loop\", O_RDONLY)");
	CALL(syscall(SYS_readlink, "s", target, 8), "readlink(\"s\", \"f\", 8)");
	CALL(syscall(SYS_readlinkat, AT_FDCWD, "loop", target, 2),
	     "readlinkat(" AT "\"loop\", \"lo\", 2)");
	CALL(syscall(SYS_link, "f", "h"), "link(\"f\", \"h\")");
	CALL(syscall(SYS_linkat, AT_FDCWD, "h", AT_FDCWD, "d/h", AT_SYMLINK_FOLLOW),
	     "linkat(" AT "\"h\", " AT "\"d/h\", AT_SYMLINK_FOLLOW)");
	CALL(syscall(SYS_rename, "h", "d/i"), "rename(\"h\", \"d/i\")");
	CALL(syscall(SYS_renameat, AT_FDCWD, "d/i", AT_FDCWD, "i"),
	     "renameat(" AT "\"d/i\", " AT "\"i\")");
	CALL(syscall(SYS_renameat2, AT_FDCWD, "i", AT_FDCWD, "f", 1),
	     "renameat2(" AT "\"i\", " AT "\"f\", RENAME_NOREPLACE)");
	CALL(syscall(SYS_rmdir, "d"), "rmdir(\"d\")");
	CALL(syscall(SYS_unlinkat, AT_FDCWD, "d/h", 0), "unlinkat(" AT "\"d/h\", 0)");
	CALL(syscall(SYS_unlinkat, AT_FDCWD, "d", AT_REMOVEDIR), "unlinkat(" AT "\"d\", AT_REMOVEDIR)");
	CALL(syscall(SYS_unlink, "i"), "unlink(\"i\")");
	CALL(syscall(SYS_mknod, "fifo", S_IFIFO | 0600, 0), "mknod(\"fifo\", S_IFIFO|0600)");
	CALL(syscall(SYS_mknodat, AT_FDCWD, "fifo", S_IFCHR | 0600, makedev(1, 3)),
	     "mknodat(" AT "\"fifo\", S_IFCHR|0600, makedev(0x1, 0x3))");
}

static void changing(void)
{
	struct timespec times[2] = { { 1, 2 }, { 0, UTIME_NOW } };

	CALL(syscall(SYS_chmod, "f", 04755), "chmod(\"f\", 04755)");
	CALL(syscall(SYS_fchmodat, AT_FDCWD, "f", 0600), "fchmodat(" AT "\"f\", 0600)");
	CALL(syscall(SYS_chown, "f", -1, -1), "chown(\"f\", -1, -1)");
	CALL(syscall(SYS_fchownat, AT_FDCWD, "/nonexistent", 0, 7, AT_SYMLINK_NOFOLLOW),
	     "fchownat(" AT "\"/nonexistent\", 0, 7, AT_SYMLINK_NOFOLLOW)");
	CALL(syscall(SYS_truncate, "f", 4096L << 20), "truncate(\"f\", 4294967296)");
	CALL(syscall(SYS_truncate, "f", -1L), "truncate(\"f\", 18446744073709551615)");
	CALL(syscall(SYS_utimensat, AT_FDCWD, "f", times, 0),
	     "utimensat(" AT "\"f\", [{tv_sec=1, tv_nsec=2} "
	     "/* 1970-01-01T00:00:01.000000002+0000 */, UTIME_NOW], 0)");
	CALL(syscall(SYS_utimensat, AT_FDCWD, "f", NULL, 0), "utimensat(" AT "\"f\", NULL, 0)");
	CALL_MODE(syscall(SYS_umask, 077), "umask(077)");
	CALL_MODE(syscall(SYS_umask, 022), "umask(022)");
	CALL(syscall(SYS_setxattr, "/nonexistent", "user.a", "v\0w", 3, 1),
	     "setxattr(\"/nonexistent\", \"user.a\", \"v\\0w\", 3, XATTR_CREATE)");
	CALL(syscall(SYS_chdir, "/nonexistent"), "chdir(\"/nonexistent\")");
	CALL(syscall(SYS_chroot, "/nonexistent"), "chroot(\"/nonexistent\")");
}

/* Strings that end at the edge of a mapping, or run over it. */
static void edges(void)
{
	char *edge = half_mapped(4096, 8192) + 4096;
	char long_name[4200];

	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = 0;
	memcpy(edge - 3, "abc", 3);
	memcpy(edge - 9, "ends", 5);
	begin();
	CALL(syscall(SYS_open, edge - 3, O_RDONLY), "open(%p, O_RDONLY)", (void *)(edge - 3));
	CALL(syscall(SYS_open, edge - 9, O_RDONLY), "open(\"ends\", O_RDONLY)");
	CALL(syscall(SYS_open, edge, O_RDONLY), "open(%p, O_RDONLY)", (void *)edge);
	CALL(syscall(SYS_chdir, long_name), "chdir(\"%.4095s\"...)", long_name);
}

int main(void)
{
	edges();
	opening();
	looking();
	naming();
	changing();
	end();
	return 0;
}
