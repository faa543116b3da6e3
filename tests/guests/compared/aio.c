/* Requests of the older asynchronous I/O. */
#define _GNU_SOURCE
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

static char text[] = "hello world, and everybody else in it who listens";
static struct iovec vector[] = { { text, 5 }, { text + 6, 5 } };

static void submit(aio_context_t context, int fd, char *end)
{
	static const unsigned flags[] = { 0, 1, 2, 3 };
	struct iocb request, *first = &request, *many[] = { &request, NULL, (void *)-1L, &request };

	for (unsigned operation = 0; operation < 10; operation++)
		for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
			int is_vector = operation == 7 || operation == 8;

			request = (struct iocb){
				.aio_data = operation, .aio_key = i, .aio_lio_opcode = operation,
				.aio_fildes = -1, .aio_nbytes = is_vector ? 2 : 40,
				.aio_buf = operation == 5 ? POLLIN | POLLHUP | 1 << 28 : (long)text,
				.aio_offset = i - 1L, .aio_flags = flags[i], .aio_resfd = 9,
				.aio_reqprio = i << 13 | i, .aio_rw_flags = i * 3,
			};
			if (is_vector)
				request.aio_buf = (long)vector;
			CALL(io_submit, context, 1L, &first);
			CALL(io_cancel, context, &request, -1L);
		}
	request.aio_lio_opcode = 77;
	CALL(io_submit, context, 1L, &first);
	CALL(io_submit, context, 4L, many);
	CALL(io_submit, context, 0L, many);
	CALL(io_submit, context, -1L, many);
	CALL(io_submit, context, 2L, NULL);
	CALL(io_submit, context, 2L, end - 12);
	CALL(io_submit, context, 2L, -1L);
	request = (struct iocb){
		.aio_lio_opcode = 1, .aio_fildes = fd, .aio_buf = (long)text, .aio_nbytes = 5,
	};
	CALL(io_submit, context, 1L, &first);
}

int main(void)
{
	char *page = mmap((void *)0x10000000, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	char *end = page + 4096;
	static struct io_event events[4];
	aio_context_t context = 0;
	long wait[] = { 0, 1000 };

	munmap(end, 4096);
	CALL(io_setup, 8, &context);
	CALL(io_setup, -1, NULL);
	CALL(io_setup, 8, -1L);
	submit(context, CALL(memfd_create, "memory", 0), end);
	CALL(io_cancel, context, NULL, NULL);
	CALL(io_cancel, context, end - 4, events);
	CALL(io_getevents, context, 1L, 4L, events, NULL);
	CALL(io_getevents, context, 0L, 4L, events, wait);
	CALL(io_getevents, context, -1L, -1L, events, end - 8);
	CALL(io_getevents, context, 1L, 1L, NULL, wait);
	CALL(io_pgetevents, context, 1L, 1L, events, wait, end - 8);
	CALL(io_destroy, context);
	CALL(io_destroy, 5L);
	return 0;
}
