/* Asynchronous input and output. */
#include "../guest.h"
#include <linux/aio_abi.h>
#include <time.h>

#define BAD 0xbadL

static void requests(void)
{
	CALL(syscall(SYS_io_submit, BAD, 3L, BAD), "io_submit(0xbad, 3, 0xbad)");
	CALL(syscall(SYS_io_submit, -1L, 0L, NULL), "io_submit(0xffffffffffffffff, 0, NULL)");
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

int main(void)
{
	static aio_context_t context;

	if (open("file", O_RDWR | O_CREAT, 0600) != 3)
		abort();
	begin();
	requests();
	CALL(syscall(SYS_io_setup, 8, &context), "io_setup(8, [%#lx])", context);
	CALL(syscall(SYS_io_getevents, context, 0L, 4L, BAD, &(struct timespec){ 0, 0 }),
	     "io_getevents(%#lx, 0, 4, [], {tv_sec=0, tv_nsec=0})", context);
	CALL(syscall(SYS_io_destroy, context), "io_destroy(%#lx)", context);
	end();
	return 0;
}
