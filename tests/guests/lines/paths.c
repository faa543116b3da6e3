/* What is done with the names of files, and what a directory holds. */
#include "../guest.h"
#include <linux/openat2.h>
#include <sys/time.h>
#include <utime.h>

#define BAD 0xbadL

static void opened(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	struct open_how created = { .flags = O_WRONLY | O_CREAT, .mode = 0640, .resolve = 0x100 };
	struct {
		struct open_how how;
		char rest[8];
	} longer = { { .flags = O_PATH }, "\1\2\3" };

	CALL(syscall(SYS_openat2, AT_FDCWD, "nowhere", &how, 24L),
	     "openat2(AT_FDCWD, \"nowhere\", {flags=O_RDONLY|O_CLOEXEC, resolve=RESOLVE_NO_SYMLINKS|"
	     "RESOLVE_BENEATH}, 24)");
	CALL(syscall(SYS_openat2, -1, "relative", &created, 24L),
	     "openat2(-1, \"relative\", {flags=O_WRONLY|O_CREAT, mode=0640, resolve=0x100 /* "
	     "RESOLVE_??? */}, 24)");
	CALL(syscall(SYS_openat2, AT_FDCWD, "/", &longer, 32L),
	     "openat2(AT_FDCWD, \"/\", {flags=O_RDONLY|O_PATH, resolve=0, /* bytes 24..31 */ "
	     "\"\\x01\\x02\\x03\\x00\\x00\\x00\\x00\\x00\"}, 32)");
	CALL(syscall(SYS_openat2, AT_FDCWD, BAD, BAD, 24L), "openat2(AT_FDCWD, 0xbad, 0xbad, 24)");
	CALL(syscall(SYS_openat2, AT_FDCWD, "/", BAD, 8L), "openat2(AT_FDCWD, \"/\", 0xbad, 8)");
	CALL(syscall(SYS_openat2, AT_FDCWD, NULL, NULL, 0L), "openat2(AT_FDCWD, NULL, NULL, 0)");
}

static void named(void)
{
	CALL(syscall(SYS_lchown, "nowhere", 1, -1), "lchown(\"nowhere\", 1, -1)");
	CALL(syscall(SYS_lchown, BAD, -1, 4294967294), "lchown(0xbad, -1, 4294967294)");
	CALL(syscall(SYS_lchown, NULL, 0, 0), "lchown(NULL, 0, 0)");
}

static void by_handle(void)
{
	struct {
		unsigned int handle_bytes;
		int handle_type;
		unsigned char f_handle[8];
	} handle = { 8, 1, { 1, 2, 3, 4, 5, 6, 7, 8 } }, none = { 0, 0, { 0 } };

	CALL(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", BAD, BAD, 0),
	     "name_to_handle_at(AT_FDCWD, \"/\", 0xbad, 0xbad, 0)");
	CALL(syscall(SYS_name_to_handle_at, -1, "nowhere", &none, BAD, AT_SYMLINK_FOLLOW),
	     "name_to_handle_at(-1, \"nowhere\", {handle_bytes=0}, 0xbad, AT_SYMLINK_FOLLOW)");
	CALL(syscall(SYS_name_to_handle_at, AT_FDCWD, "/proc", &none, BAD, AT_EMPTY_PATH | 0x1),
	     "name_to_handle_at(AT_FDCWD, \"/proc\", {handle_bytes=0}, 0xbad, AT_EMPTY_PATH|0x1)");
	CALL(syscall(SYS_name_to_handle_at, AT_FDCWD, BAD, NULL, NULL, 0),
	     "name_to_handle_at(AT_FDCWD, 0xbad, NULL, NULL, 0)");
	CALL(syscall(SYS_open_by_handle_at, -1, &handle, O_RDONLY),
	     "open_by_handle_at(-1, {handle_bytes=8, handle_type=1, "
	     "f_handle=\"\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\"}, O_RDONLY)");
	CALL(syscall(SYS_open_by_handle_at, -1, &none, O_RDWR | O_CLOEXEC),
	     "open_by_handle_at(-1, {handle_bytes=0, handle_type=0, f_handle=\"\"}, O_RDWR|O_CLOEXEC)");
	CALL(syscall(SYS_open_by_handle_at, -1, BAD, 0), "open_by_handle_at(-1, 0xbad, O_RDONLY)");
	CALL(syscall(SYS_open_by_handle_at, -1, NULL, -1),
	     "open_by_handle_at(-1, NULL, O_ACCMODE|O_CREAT|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|"
	     "O_NONBLOCK|O_SYNC|O_DIRECT|O_LARGEFILE|O_NOFOLLOW|O_NOATIME|O_CLOEXEC|O_PATH|O_TMPFILE|"
	     "FASYNC|0xff80003c)");
}

static void times(void)
{
	struct timeval values[] = { { 1, 2 }, { 3, 4 } }, bad[] = { { 1, 2000000 }, { -1, -2 } };
	struct utimbuf old = { 1000000000, 1000000001 };

	CALL(syscall(SYS_utime, "file", &old),
	     "utime(\"file\", {actime=1000000000 /* 2001-09-09T01:46:40+0000 */, modtime=1000000001 "
	     "/* 2001-09-09T01:46:41+0000 */})");
	CALL(syscall(SYS_utime, "nowhere", NULL), "utime(\"nowhere\", NULL)");
	CALL(syscall(SYS_utime, BAD, BAD), "utime(0xbad, 0xbad)");
	CALL(syscall(SYS_utimes, "file", values),
	     "utimes(\"file\", [{tv_sec=1, tv_usec=2} /* 1970-01-01T00:00:01.000002+0000 */, "
	     "{tv_sec=3, tv_usec=4} /* 1970-01-01T00:00:03.000004+0000 */])");
	CALL(syscall(SYS_utimes, "file", bad),
	     "utimes(\"file\", [{tv_sec=1, tv_usec=2000000}, {tv_sec=-1, "
	     "tv_usec=18446744073709551614}])");
	CALL(syscall(SYS_utimes, BAD, BAD), "utimes(0xbad, 0xbad)");
	CALL(syscall(SYS_utimes, "nowhere", NULL), "utimes(\"nowhere\", NULL)");
	CALL(syscall(SYS_futimesat, AT_FDCWD, "file", values),
	     "futimesat(AT_FDCWD, \"file\", [{tv_sec=1, tv_usec=2} /* "
	     "1970-01-01T00:00:01.000002+0000 */, {tv_sec=3, tv_usec=4} /* "
	     "1970-01-01T00:00:03.000004+0000 */])");
	CALL(syscall(SYS_futimesat, -1, "relative", bad),
	     "futimesat(-1, \"relative\", [{tv_sec=1, tv_usec=2000000}, {tv_sec=-1, "
	     "tv_usec=18446744073709551614}])");
	CALL(syscall(SYS_futimesat, AT_FDCWD, BAD, NULL), "futimesat(AT_FDCWD, 0xbad, NULL)");
	CALL(syscall(SYS_futimesat, -1, NULL, BAD), "futimesat(-1, NULL, 0xbad)");
}

static void directories(void)
{
	static char directory[32];

	CALL(syscall(SYS_getdents, -1, BAD, 100), "getdents(-1, 0xbad, 100)");
	CALL(syscall(SYS_getdents, 3, BAD, 100), "getdents(3, 0xbad, 100)");
	CALL(syscall(SYS_getdents, 3, BAD, -1), "getdents(3, 0xbad, 4294967295)");
	CALL(syscall(SYS_getdents, 4, BAD, 1000), "getdents(4, 0xbad, 1000)");
	CALL(syscall(SYS_getcwd, BAD, 100L), "getcwd(0xbad, 100)");
	CALL(syscall(SYS_getcwd, NULL, 0L), "getcwd(NULL, 0)");
	CALL(syscall(SYS_getcwd, BAD, 1L), "getcwd(0xbad, 1)");
	CALL(syscall(SYS_chdir, "/usr"), "chdir(\"/usr\")");
	CALL(syscall(SYS_getcwd, directory, sizeof directory), "getcwd(\"/usr\", 32)");
	CALL(syscall(SYS_getcwd, directory, 4L), "getcwd(%p, 4)", (void *)directory);
}

int main(void)
{
	if (open("file", O_RDWR | O_CREAT, 0600) != 3)
		abort();
	if (mkdir("empty", 0700) || open("empty", O_RDONLY | O_DIRECTORY) != 4)
		abort();
	begin();
	opened();
	named();
	by_handle();
	times();
	directories();
	end();
	return 0;
}
