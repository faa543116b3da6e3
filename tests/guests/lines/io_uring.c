/* io_uring(7): rings that are not there, by operation.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/io_uring.h>
#include <sys/uio.h>

#define REGISTER(operation, arg, count) \
	syscall(SYS_io_uring_register, -1, operation, (long)(arg), (long)(count))

int main(void)
{
	static struct io_uring_params params = { .flags = 1U << 31, .sq_thread_cpu = 10 };
	static struct iovec buffers[2] = { { (void *)1, 2 }, { NULL, 3 } };
	static int files[2] = { 1, -1 };
	static struct io_uring_files_update update = { .offset = 4 };
	static struct io_uring_restriction restriction = { .opcode = 1, .sqe_op = IORING_OP_READV };
	static unsigned long mask = 1;
	void *bad = (void *)1;

	update.fds = (unsigned long)files;
	begin();
	CALL(syscall(SYS_io_uring_setup, 1, bad), "io_uring_setup(1, 0x1)");
	CALL(syscall(SYS_io_uring_setup, 1, &params),
	     "io_uring_setup(1, {flags=0x80000000 /* IORING_SETUP_??? */, sq_thread_cpu=0xa, "
	     "sq_thread_idle=0})");
	CALL(REGISTER(IORING_REGISTER_BUFFERS, buffers, 2),
	     "io_uring_register(-1, IORING_REGISTER_BUFFERS, "
	     "[{iov_base=0x1, iov_len=2}, {iov_base=NULL, iov_len=3}], 2)");
	CALL(REGISTER(IORING_REGISTER_BUFFERS, bad, 2),
	     "io_uring_register(-1, IORING_REGISTER_BUFFERS, 0x1, 2)");
	CALL(REGISTER(IORING_REGISTER_FILES, files, 2),
	     "io_uring_register(-1, IORING_REGISTER_FILES, [1, -1], 2)");
	CALL(REGISTER(IORING_REGISTER_EVENTFD, files, 1),
	     "io_uring_register(-1, IORING_REGISTER_EVENTFD, [1], 1)");
	CALL(REGISTER(IORING_REGISTER_IOWQ_MAX_WORKERS, files, 1),
	     "io_uring_register(-1, IORING_REGISTER_IOWQ_MAX_WORKERS, [[IO_WQ_BOUND]=1] => %p, 1)",
	     (void *)files);
	CALL(REGISTER(IORING_REGISTER_FILES_UPDATE, &update, 2),
	     "io_uring_register(-1, IORING_REGISTER_FILES_UPDATE, {offset=4, fds=[1, -1]}, 2)");
	CALL(REGISTER(IORING_REGISTER_RESTRICTIONS, &restriction, 1),
	     "io_uring_register(-1, IORING_REGISTER_RESTRICTIONS, "
	     "[{opcode=IORING_RESTRICTION_SQE_OP, sqe_op=IORING_OP_READV}], 1)");
	CALL(REGISTER(IORING_REGISTER_IOWQ_AFF, &mask, 8),
	     "io_uring_register(-1, IORING_REGISTER_IOWQ_AFF, [0], 8)");
	CALL(REGISTER(IORING_UNREGISTER_FILES, NULL, 0),
	     "io_uring_register(-1, IORING_UNREGISTER_FILES, NULL, 0)");
	CALL(syscall(SYS_io_uring_enter, -1, 1, 2, IORING_ENTER_GETEVENTS, &mask, 8L),
	     "io_uring_enter(-1, 1, 2, IORING_ENTER_GETEVENTS, [HUP], 8)");
	CALL(syscall(SYS_io_uring_enter, -1, 1, 2, IORING_ENTER_GETEVENTS, &mask, 4L),
	     "io_uring_enter(-1, 1, 2, IORING_ENTER_GETEVENTS, %p, 4)", (void *)&mask);
	end();
	return 0;
}
