/* Asynchronous input and output. */
#include "../guest.h"
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/uio.h>
#include <time.h>

#define BAD 0xbadL

static char buffer[] = "some bytes", second[16];
static struct iovec vector[] = { { buffer, 4 }, { second, 16 } };

static void requests(void)
{
	struct iocb vectored = { .aio_data = 1, .aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_reqprio = 3,
				 .aio_fildes = -1, .aio_buf = (uintptr_t)vector, .aio_nbytes = 2,
				 .aio_flags = IOCB_FLAG_RESFD, .aio_resfd = 9 };
	struct iocb synced = { .aio_lio_opcode = IOCB_CMD_FSYNC, .aio_fildes = 3, .aio_rw_flags = 2 };
	struct iocb polled = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = 0, .aio_buf = POLLIN };
	struct iocb unknown = { .aio_lio_opcode = 99, .aio_fildes = 0, .aio_buf = BAD, .aio_nbytes = 1 };
	struct iocb nothing = { .aio_lio_opcode = IOCB_CMD_NOOP, .aio_fildes = 0, .aio_nbytes = 7 };
	struct iocb *all[] = { &vectored, &synced, &polled, &unknown, &nothing, NULL };

	CALL(syscall(SYS_io_submit, 0L, 6L, all),
	     "io_submit(NULL, 6, [{aio_data=0x1, aio_lio_opcode=IOCB_CMD_PWRITEV, aio_reqprio=3, "
	     "aio_fildes=-1, aio_buf=[{iov_base=\"some\", iov_len=4}, "
	     "{iov_base=\"\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\", iov_len=16}], "
	     "aio_offset=0, aio_flags=IOCB_FLAG_RESFD, aio_resfd=9}, {aio_data=0, "
	     "aio_rw_flags=RWF_DSYNC, aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=3}, {aio_data=0, "
	     "aio_lio_opcode=IOCB_CMD_POLL, aio_fildes=0, aio_buf=POLLIN}, {aio_data=0, "
	     "aio_lio_opcode=99 /* IOCB_CMD_??? */, aio_fildes=0}, {aio_data=0, "
	     "aio_lio_opcode=IOCB_CMD_NOOP, aio_fildes=0}, NULL])");
	CALL(syscall(SYS_io_submit, BAD, 3L, BAD), "io_submit(0xbad, 3, 0xbad)");
	CALL(syscall(SYS_io_submit, -1L, 0L, NULL), "io_submit(0xffffffffffffffff, 0, NULL)");
	CALL(syscall(SYS_io_submit, -1L, -1L, all), "io_submit(0xffffffffffffffff, -1, %p)", (void *)all);
	CALL(syscall(SYS_io_cancel, 0L, NULL, NULL), "io_cancel(NULL, NULL, NULL)");
	CALL(syscall(SYS_io_cancel, BAD, BAD, BAD), "io_cancel(0xbad, 0xbad, 0xbad)");
	CALL(syscall(SYS_io_getevents, 0L, 1L, 2L, BAD, BAD), "io_getevents(NULL, 1, 2, 0xbad, 0xbad)");
	CALL(syscall(SYS_io_getevents, BAD, -1L, -2L, NULL, NULL),
	     "io_getevents(0xbad, -1, -2, NULL, NULL)");
	CALL(syscall(SYS_io_pgetevents, 0L, 1L, 2L, BAD, NULL, BAD),
	     "io_pgetevents(NULL, 1, 2, 0xbad, NULL, 0xbad)");
	CALL(syscall(SYS_io_pgetevents, -1L, 1L, 2L, NULL, BAD, NULL),
	     "io_pgetevents(0xffffffffffffffff, 1, 2, NULL, 0xbad, NULL)");
	CALL(syscall(SYS_io_destroy, 0L), "io_destroy(NULL)");
	CALL(syscall(SYS_io_destroy, -1L), "io_destroy(0xffffffffffffffff)");
	CALL(syscall(SYS_io_setup, 0, NULL), "io_setup(0, NULL)");
	CALL(syscall(SYS_io_setup, -1, BAD), "io_setup(4294967295, 0xbad)");
}

static void on(aio_context_t context)
{
	struct timespec none = { 0, 0 }, negative = { -1, 0 };
	struct io_event events[4];
	struct {
		const unsigned long *mask;
		size_t size;
	} signals = { &(unsigned long){ 1 << 9 }, 8 };
	struct iocb write = { .aio_data = 0x11, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_reqprio = 0,
			      .aio_fildes = 3, .aio_buf = (uintptr_t)buffer, .aio_nbytes = 10,
			      .aio_offset = 5 };
	struct iocb read = { .aio_data = 0x22, .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = 3,
			     .aio_buf = (uintptr_t)second, .aio_nbytes = 16, .aio_offset = 5 };
	struct iocb *iocbs[] = { &write, (void *)BAD };

	CALL(syscall(SYS_io_submit, context, 1L, iocbs),
	     "io_submit(%#lx, 1, [{aio_data=0x11, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, "
	     "aio_buf=\"some bytes\", aio_nbytes=10, aio_offset=5}])", context);
	CALL(syscall(SYS_io_getevents, context, 1L, 4L, events, NULL),
	     "io_getevents(%#lx, 1, 4, [{data=0x11, obj=%p, res=10, res2=0}], NULL)", context, (void *)&write);
	iocbs[0] = &read;
	CALL(syscall(SYS_io_submit, context, 2L, iocbs),
	     "io_submit(%#lx, 2, [{aio_data=0x22, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, "
	     "aio_buf=%p, aio_nbytes=16, aio_offset=5}, 0xbad])", context, (void *)second);
	CALL(syscall(SYS_io_pgetevents, context, 1L, 4L, events, &none, &signals),
	     "io_pgetevents(%#lx, 1, 4, [{data=0x22, obj=%p, res=10, res2=0}], {tv_sec=0, tv_nsec=0}, "
	     "{sigmask=[USR1], sigsetsize=8})", context, (void *)&read);
	CALL(syscall(SYS_io_pgetevents, context, 0L, 4L, events, &none, NULL),
	     "io_pgetevents(%#lx, 0, 4, [], {tv_sec=0, tv_nsec=0}, NULL)", context);
	CALL(syscall(SYS_io_getevents, context, 0L, 1L, events, &negative),
	     "io_getevents(%#lx, 0, 1, [], {tv_sec=-1, tv_nsec=0})", context);
	CALL(syscall(SYS_io_cancel, context, &read, events),
	     "io_cancel(%#lx, {aio_data=0x22, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3}, %p)", context,
	     (void *)events);
	CALL(syscall(SYS_io_destroy, context), "io_destroy(%#lx)", context);
}

int main(void)
{
	static aio_context_t context;

	if (open("file", O_RDWR | O_CREAT, 0600) != 3)
		abort();
	begin();
	requests();
	CALL(syscall(SYS_io_setup, 8, &context), "io_setup(8, [%#lx])", context);
	on(context);
	end();
	return 0;
}
