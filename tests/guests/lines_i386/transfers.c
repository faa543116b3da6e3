/* Data that goes to and from descriptors. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("read(-1, 0xbad, 5)", read, -1, BAD, 5);
	SHOW("read(77, 0xffffffff, 4294967295)", read, 77, -1, -1);
	SHOW("write(-1, 0xbad, 5)", write, -1, BAD, 5);
	SHOW("write(77, 0xffffffff, 4294967295)", write, 77, -1, -1);
	SHOW("lseek(-1, 5, SEEK_SET)", lseek, -1, 5);
	SHOW("lseek(77, -1, SEEK_SET)", lseek, 77, -1);
	SHOW("ftruncate(-1, 5)", ftruncate, -1, 5);
	SHOW("ftruncate(77, 4294967295)", ftruncate, 77, -1);
	SHOW("fsync(-1)", fsync, -1);
	SHOW("fsync(77)", fsync, 77);
	SHOW("readv(-1, 0xbad, 5)", readv, -1, BAD, 5);
	SHOW("readv(77, 0xffffffff, 4294967295)", readv, 77, -1, -1);
	SHOW("writev(-1, 0xbad, 5)", writev, -1, BAD, 5);
	SHOW("writev(77, 0xffffffff, 4294967295)", writev, 77, -1, -1);
	SHOW("fdatasync(-1)", fdatasync, -1);
	SHOW("fdatasync(77)", fdatasync, 77);
	SHOW("pread64(-1, 0xbad, 5, 5)", pread64, -1, BAD, 5, 5);
	SHOW("pread64(77, 0xffffffff, 4294967295, -1)", pread64, 77, -1, -1, -1, -1);
	SHOW("pwrite64(-1, 0xbad, 5, 5)", pwrite64, -1, BAD, 5, 5);
	SHOW("pwrite64(77, 0xffffffff, 4294967295, -1)", pwrite64, 77, -1, -1, -1, -1);
	SHOW("sendfile(-1, -1, 0xbad, 5)", sendfile, -1, -1, BAD, 5);
	SHOW("sendfile(77, 77, 0xffffffff, 4294967295)", sendfile, 77, 77, -1, -1);
	SHOW("truncate64(\"no/where\", 5)", truncate64, P("no/where"), 5);
	SHOW("truncate64(0xbad, 18446744073709551615)", truncate64, BAD, -1, -1);
	SHOW("ftruncate64(-1, 5)", ftruncate64, -1, 5);
	SHOW("ftruncate64(77, 18446744073709551615)", ftruncate64, 77, -1, -1);
	SHOW("readahead(-1, 5, 5)", readahead, -1, 5, 0, 5);
	SHOW("readahead(77, -1, 4294967295)", readahead, 77, -1, -1, -1);
	SHOW("sendfile64(-1, -1, 0xbad, 5)", sendfile64, -1, -1, BAD, 5);
	SHOW("sendfile64(77, 77, 0xffffffff, 4294967295)", sendfile64, 77, 77, -1, -1);
	SHOW("io_setup(5, 0xbad)", io_setup, 5, BAD);
	SHOW("io_setup(4294967295, 0xffffffff)", io_setup, -1, -1);
	SHOW("io_destroy(0xbad)", io_destroy, BAD);
	SHOW("io_destroy(0xffffffff)", io_destroy, -1);
	SHOW("io_getevents(0xbad, 5, 5, 0xbad, 0xbad)", io_getevents, BAD, 5, 5, BAD, BAD);
	SHOW("io_getevents(0xffffffff, -1, -1, 0xffffffff, 0xffffffff)", io_getevents, -1, -1, -1, -1, -1);
	SHOW("io_submit(0xbad, 5, 0xbad)", io_submit, BAD, 5, BAD);
	SHOW("io_submit(0xffffffff, -1, 0xffffffff)", io_submit, -1, -1, -1);
	SHOW("io_cancel(0xbad, 0xbad, 0xbad)", io_cancel, BAD, BAD, BAD);
	SHOW("io_cancel(0xffffffff, 0xffffffff, 0xffffffff)", io_cancel, -1, -1, -1);
	SHOW("fadvise64(-1, 5, 5, POSIX_FADV_NORMAL)", fadvise64, -1, 5, 0, 5);
	SHOW("fadvise64(77, -1, 4294967295, POSIX_FADV_NORMAL)", fadvise64, 77, -1, -1, -1);
	SHOW("fadvise64_64(-1, 5, 5, POSIX_FADV_NORMAL)", fadvise64_64, -1, 5, 0, 5);
	SHOW("fadvise64_64(77, -1, -1, POSIX_FADV_NORMAL)", fadvise64_64, 77, -1, -1, -1, -1);
	SHOW("splice(-1, 0xbad, -1, 0xbad, 5, 0)", splice, -1, BAD, -1, BAD, 5);
	SHOW("splice(77, 0xffffffff, 77, 0xffffffff, 4294967295, 0)", splice, 77, -1, 77, -1, -1);
	SHOW("sync_file_range(-1, 5, 5, 0)", sync_file_range, -1, 5, 0, 5);
	SHOW("sync_file_range(77, -1, -1, 0)", sync_file_range, 77, -1, -1, -1, -1);
	SHOW("tee(-1, -1, 5, 0)", tee, -1, -1, 5);
	SHOW("tee(77, 77, 4294967295, 0)", tee, 77, 77, -1);
	SHOW("vmsplice(-1, 0xbad, 5, 0)", vmsplice, -1, BAD, 5);
	SHOW("vmsplice(77, 0xffffffff, 4294967295, 0)", vmsplice, 77, -1, -1);
	SHOW("fallocate(-1, 0, 5, 5)", fallocate, -1, 0, 5, 0, 5);
	SHOW("fallocate(77, 0, -1, -1)", fallocate, 77, 0, -1, -1, -1, -1);
	SHOW("preadv(-1, 0xbad, 5, 5)", preadv, -1, BAD, 5, 5);
	SHOW("preadv(77, 0xffffffff, 4294967295, -1)", preadv, 77, -1, -1, -1, -1);
	SHOW("pwritev(-1, 0xbad, 5, 5)", pwritev, -1, BAD, 5, 5);
	SHOW("pwritev(77, 0xffffffff, 4294967295, -1)", pwritev, 77, -1, -1, -1, -1);
	SHOW("copy_file_range(-1, 0xbad, -1, 0xbad, 5, 5)", copy_file_range, -1, BAD, -1, BAD, 5, 5);
	SHOW("copy_file_range(77, 0xffffffff, 77, 0xffffffff, 4294967295, 4294967295)",
	     copy_file_range, 77, -1, 77, -1, -1, -1);
	SHOW("preadv2(-1, 0xbad, 5, 5, 0)", preadv2, -1, BAD, 5, 5);
	SHOW("preadv2(77, 0xffffffff, 4294967295, -1, 0)", preadv2, 77, -1, -1, -1, -1);
	SHOW("pwritev2(-1, 0xbad, 5, 5, 0)", pwritev2, -1, BAD, 5, 5);
	SHOW("pwritev2(77, 0xffffffff, 4294967295, -1, 0)", pwritev2, 77, -1, -1, -1, -1);
	SHOW("io_pgetevents(0xbad, 5, 5, 0xbad, 0xbad, 0xbad)", io_pgetevents, BAD, 5, 5, BAD, BAD, BAD);
	SHOW("io_pgetevents(0xffffffff, -1, -1, 0xffffffff, 0xffffffff, 0xffffffff)",
	     io_pgetevents, -1, -1, -1, -1, -1, -1);
	SHOW("io_uring_setup(0, 0xbad)", io_uring_setup, 0, BAD);
	SHOW("io_uring_enter(-1, 5, 5, 0, 0xbad, 5)", io_uring_enter, -1, 5, 5, 0, BAD, 5);
	SHOW("io_uring_enter(77, 4294967295, 4294967295, 0, 0xffffffff, 4294967295)",
	     io_uring_enter, 77, -1, -1, 0, -1, -1);
	SHOW("io_uring_register(-1, IORING_REGISTER_BUFFERS, 0xbad, 5)", io_uring_register, -1, 0, BAD, 5);
	SHOW("io_uring_register(77, IORING_REGISTER_BUFFERS, 0xffffffff, 4294967295)",
	     io_uring_register, 77, 0, -1, -1);
	end();
}
