/* Files, in the structs of three generations. */
#include "i386.h"

#define NUMBER(name) __NR_##name

static void guest(void)
{
	static const int by_path[] = { NUMBER(oldlstat), NUMBER(stat), NUMBER(lstat), NUMBER(stat64),
				       NUMBER(lstat64), NUMBER(statfs) };
	static const char *const paths[] = { "/dev/null", "/usr", "/nonexistent" };

	CALL(oldstat, P("/dev/null"), P(buffer));
	CALL(oldstat, P("/nonexistent"), P(buffer));
	for (unsigned at = 0; at < sizeof by_path / sizeof *by_path; at++) {
		for (unsigned path = 0; path < 3; path++)
			call(by_path[at], (long[6]){ P(paths[path]), P(buffer) });
		call(by_path[at], (long[6]){ P("/usr"), BAD });
	}
	CALL(open, P("/usr"), 0x10000);
	CALL(oldfstat, -1, P(buffer));
	CALL(fstat, 3, P(buffer));
	CALL(fstat64, 3, P(buffer));
	CALL(fstatat64, -100, P("/dev/null"), P(buffer));
	CALL(fstatat64, 3, P("."), P(buffer), 0x1000);
	CALL(statfs64, P("/usr"), 84, P(buffer));
	CALL(statfs64, P("/usr"), 88, P(buffer));
	CALL(statfs64, P("/usr"), 0, P(buffer));
	CALL(fstatfs64, 3, 84, P(buffer));
	CALL(fstatfs, 3, P(buffer));
	CALL(getdents, 3, P(buffer), 4096);
	CALL(getdents64, 3, P(buffer), 4096);
	CALL(getdents, -1, P(buffer), 4096);
	CALL(_llseek, 3, 0, 0, P(buffer), 0);
	CALL(_llseek, 3, 1, 2, P(buffer), 1);
	CALL(_llseek, 3, -1, -1, BAD, 9);
	CALL(close, 3);

	CALL(utime, P("none"), LONGS(1, 2));
	CALL(utimes, P("none"), LONGS(1, 2, 3, 4));
	CALL(futimesat, -100, P("none"), LONGS(1, 2, 3, 4));
	CALL(utimensat, -100, P("none"), LONGS(1, 2, 3, 0x3fffffff));
	CALL(utimensat_time64, -100, P("none"), LONG_LONGS(1, 2, 3, 0x3ffffffe), 0x100);
	CALL(umount, P("none"));

	/* Numbers of 64 bits, in two registers each. */
	CALL(pread64, -1, P(buffer), 5, -2, -1);
	CALL(pwrite64, -1, P("abc"), 3, 1, 1);
	CALL(preadv, -1, LONGS(P(buffer), 5), 1, 1, 1);
	CALL(pwritev, -1, LONGS(P("abc"), 3, BAD, 2), 2, 1, 1);
	CALL(pwritev2, -1, LONGS(P("abc"), 3), 1, -1, -1, 4);
	CALL(truncate64, P("none"), 2, 1);
	CALL(ftruncate64, -1, -1, -1);
	CALL(fallocate, -1, 3, 1, 2, 3, 4);
	CALL(fadvise64, -1, 1, 2, 3, 4);
	CALL(fadvise64_64, -1, 1, 2, 3, 4, 5);
	CALL(readahead, -1, 1, 2, 3);
	CALL(sync_file_range, -1, 1, 2, 3, 4, 5);
	CALL(sendfile, -1, -1, LONGS(7), 5);
	CALL(sendfile64, -1, -1, LONG_LONGS(0x100000007), 5);
	CALL(lookup_dcookie, 1, 2, BAD, 4);

	/* Locks. */
	CALL(open, P("file"), 0x42, 0600);
	CALL(fcntl, 3, 6, P(((short[]){ 1, 0, 5, 0, 10, 0, 0, 0 })));
	CALL(fcntl64, 3, 13, P(((short[]){ 1, 0, 5, 0, 1, 0, 10, 0, 0, 0 })));
	CALL(fcntl64, 3, 12, P(((short[]){ 1, 0, 5, 0, 1, 0, 10, 0, 0, 0, 0, 0 })));
	CALL(fcntl, 3, 14, BAD);
	CALL(fcntl64, 3, 37, P(((short[]){ 1, 0, 5, 0, 1, 0, 10, 0, 0, 0, 0, 0 })));
	CALL(fcntl64, 3, 3);
	CALL(fcntl64, -1, 99, 7);
	CALL(close, 3);
}
