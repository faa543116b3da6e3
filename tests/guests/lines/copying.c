/* Data that goes from file to file, and what is known to be on the disk. */
#include "../guest.h"
#include <linux/fs.h>
#include <sys/uio.h>

#define BAD 0xbadL

static void vectors(void)
{
	static char first[4], second[8];
	struct iovec in[] = { { first, 4 }, { second, 8 } };
	struct iovec out[] = { { "some", 4 }, { "\1text", 5 }, { (void *)BAD, 0 } };

	CALL(syscall(SYS_pwritev, 3, out, 2L, 3L, 0L),
	     "pwritev(3, [{iov_base=\"some\", iov_len=4}, {iov_base=\"\\1text\", iov_len=5}], 2, 3)");
	CALL(syscall(SYS_pwritev, -1, out, 1L, -1L, -1L),
	     "pwritev(-1, [{iov_base=\"some\", iov_len=4}], 1, -1)");
	CALL(syscall(SYS_pwritev, 3, BAD, 1L, 0L, 0L), "pwritev(3, 0xbad, 1, 0)");
	CALL(syscall(SYS_pwritev, 3, NULL, -1L, 0x123456789L, 1L),
	     "pwritev(3, NULL, 18446744073709551615, 4886718345)");
	CALL(syscall(SYS_pwritev2, 3, out, 3L, 0L, 0L, RWF_DSYNC | RWF_SYNC),
	     "pwritev2(3, [{iov_base=\"some\", iov_len=4}, {iov_base=\"\\1text\", iov_len=5}, "
	     "{iov_base=\"\", iov_len=0}], 3, 0, RWF_DSYNC|RWF_SYNC)");
	CALL(syscall(SYS_pwritev2, 3, out, 1L, -1L, -1L, RWF_APPEND),
	     "pwritev2(3, [{iov_base=\"some\", iov_len=4}], 1, -1, RWF_APPEND)");
	CALL(syscall(SYS_pwritev2, -1, BAD, 1L, -1L, 0L, 0x8000),
	     "pwritev2(-1, 0xbad, 1, -1, 0x8000 /* RWF_??? */)");
	CALL(syscall(SYS_preadv2, 3, in, 2L, 0L, 0L, 0),
	     "preadv2(3, [{iov_base=\"some\", iov_len=4}, {iov_base=\"\\1textext\", iov_len=8}], 2, "
	     "0, 0)");
	CALL(syscall(SYS_preadv2, 3, in, 1L, 100L, 0L, RWF_NOWAIT | RWF_HIPRI),
	     "preadv2(3, [{iov_base=\"\", iov_len=4}], 1, 100, RWF_HIPRI|RWF_NOWAIT)");
	CALL(syscall(SYS_preadv2, -1, BAD, 5L, 1L, 2L, 0x8000),
	     "preadv2(-1, 0xbad, 5, 1, 0x8000 /* RWF_??? */)");
	CALL(syscall(SYS_preadv2, 3, NULL, 0L, -1L, -1L, 0), "preadv2(3, NULL, 0, -1, 0)");
}

static void from_file_to_file(void)
{
	loff_t from = 2, to = 20, outside = -5;

	CALL(syscall(SYS_copy_file_range, 3, &from, 4, &to, 4L, 0),
	     "copy_file_range(3, [2], 4, [20], 4, 0)");
	CALL(syscall(SYS_copy_file_range, 3, NULL, 4, NULL, 0L, 0),
	     "copy_file_range(3, NULL, 4, NULL, 0, 0)");
	CALL(syscall(SYS_copy_file_range, 3, &outside, -1, BAD, -1L, 7),
	     "copy_file_range(3, [-5], -1, 0xbad, 18446744073709551615, 7)");
	CALL(syscall(SYS_copy_file_range, 3, BAD, 4, NULL, 1L, 0),
	     "copy_file_range(3, 0xbad, 4, NULL, 1, 0)");
	CALL(syscall(SYS_splice, 3, &from, 6, NULL, 4L, SPLICE_F_MOVE | SPLICE_F_NONBLOCK),
	     "splice(3, [6], 6, NULL, 4, SPLICE_F_MOVE|SPLICE_F_NONBLOCK)");
	CALL(syscall(SYS_splice, 3, BAD, 6, NULL, 4L, 0), "splice(3, 0xbad, 6, NULL, 4, 0)");
	CALL(syscall(SYS_splice, 3, NULL, 4, &to, 4L, SPLICE_F_MORE | 0x100),
	     "splice(3, NULL, 4, [24], 4, SPLICE_F_MORE|0x100)");
	CALL(syscall(SYS_splice, -1, &from, -1, &outside, -1L, -1),
	     "splice(-1, [10], -1, [-5], 18446744073709551615, SPLICE_F_MOVE|SPLICE_F_NONBLOCK|"
	     "SPLICE_F_MORE|SPLICE_F_GIFT|0xfffffff0)");
	CALL(syscall(SYS_tee, 5, 8, 100L, SPLICE_F_NONBLOCK), "tee(5, 8, 100, SPLICE_F_NONBLOCK)");
	CALL(syscall(SYS_tee, 3, 4, 1L, 0), "tee(3, 4, 1, 0)");
	CALL(syscall(SYS_tee, -1, -1, -1L, 0x80),
	     "tee(-1, -1, 18446744073709551615, 0x80 /* SPLICE_F_??? */)");
	CALL(syscall(SYS_vmsplice, 8, (&(struct iovec){ "gift", 4 }), 1L, SPLICE_F_GIFT),
	     "vmsplice(8, [{iov_base=\"gift\", iov_len=4}], 1, SPLICE_F_GIFT)");
	CALL(syscall(SYS_vmsplice, -1, BAD, 2L, 0x10), "vmsplice(-1, 0xbad, 2, 0x10 /* SPLICE_F_??? */)");
	CALL(syscall(SYS_vmsplice, 8, NULL, 0L, 0), "vmsplice(8, NULL, 0, 0)");
	CALL(syscall(SYS_readahead, 3, 0L, 4096L), "readahead(3, 0, 4096)");
	CALL(syscall(SYS_readahead, -1, -1L, -1L), "readahead(-1, -1, 18446744073709551615)");
}

static void to_the_disk(void)
{
	CALL(syscall(SYS_syncfs, 3), "syncfs(3)");
	CALL(syscall(SYS_syncfs, -1), "syncfs(-1)");
	CALL(syscall(SYS_sync_file_range, 3, 0L, 100L, 2),
	     "sync_file_range(3, 0, 100, SYNC_FILE_RANGE_WRITE)");
	CALL(syscall(SYS_sync_file_range, 3, -1L, 100L, 7),
	     "sync_file_range(3, -1, 100, SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE|"
	     "SYNC_FILE_RANGE_WAIT_AFTER)");
	CALL(syscall(SYS_sync_file_range, -1, 1L << 40, -1L, 0x80),
	     "sync_file_range(-1, 1099511627776, -1, 0x80 /* SYNC_FILE_RANGE_??? */)");
	CALL(syscall(SYS_sync), "sync()");
}

int main(void)
{
	int first[2], second[2];

	if (open("from", O_RDWR | O_CREAT, 0600) != 3 || open("to", O_RDWR | O_CREAT, 0600) != 4)
		abort();
	if (pipe(first) || first[1] != 6 || pipe(second) || second[1] != 8)
		abort();
	begin();
	vectors();
	from_file_to_file();
	to_the_disk();
	end();
	return 0;
}
