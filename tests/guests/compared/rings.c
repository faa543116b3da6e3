/* What io_uring_register takes, by operation: of a ring that is not enabled yet, and of none. */
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTER(operation, arg, count)                                                            \
	for (int turn = 0; turn < 2; turn++)                                                       \
	syscall(SYS_io_uring_register, turn ? -1 : ring, operation, (long)(arg), (long)(count))

/* The end of a page behind which there is none. */
static char *end;
static int ring;
static int files[4] = { 0, 1, 2, -1 };
static unsigned long tags[4] = { 1, 2, 3 };
static struct { void *base; long length; } buffers[3] = { { buffers, 16 }, { files, 4 } };

static void restrictions(void)
{
	static struct io_uring_restriction of[5] = {
		{ .opcode = 0, .register_op = 5 },
		{ .opcode = 1, .sqe_op = 22 },
		{ .opcode = 2, .sqe_flags = 0xf },
		{ .opcode = 3, .sqe_flags = 2, .resv = 7 },
		{ .opcode = 1, .sqe_op = 250, .resv2 = { 0, 9 } },
	};

	for (int count = 0; count < 6; count++)
		REGISTER(IORING_REGISTER_RESTRICTIONS, of, count);
	memcpy(end - 16, of, 16);
	REGISTER(IORING_REGISTER_RESTRICTIONS, end - 16, 2);
	REGISTER(IORING_REGISTER_RESTRICTIONS, end - 8, 1);
	REGISTER(IORING_REGISTER_RESTRICTIONS, 0, 1);
}

static void probes(void)
{
	static struct { struct io_uring_probe probe; struct io_uring_probe_op ops[8]; } of;

	for (int count = 1; count < 4; count++)
		REGISTER(IORING_REGISTER_PROBE, &of, count);
	REGISTER(IORING_REGISTER_PROBE, memset(end - 24, 0, 24), 2);
	REGISTER(IORING_REGISTER_PROBE, end - 8, 1);
	of.ops[0] = (struct io_uring_probe_op){ 200, 3, 4, 5 };
	REGISTER(IORING_REGISTER_PROBE, &of, 2);
	of.probe.last_op = 1;
	REGISTER(IORING_REGISTER_PROBE, &of, 1);
	of.probe.last_op = 0;
	of.probe.resv = 1;
	REGISTER(IORING_REGISTER_PROBE, &of, 1);
}

static void resources(int operation, void *data)
{
	struct io_uring_rsrc_register of = { 3, 0, 0, (long)data, (long)tags };

	for (int size = 31; size < 34; size++)
		REGISTER(operation, &of, size);
	of.flags = IORING_RSRC_REGISTER_SPARSE;
	REGISTER(operation, &of, 32);
	of.flags = 7;
	of.resv2 = 9;
	REGISTER(operation, &of, 32);
	of.data = 4;
	REGISTER(operation, &of, 32);
	of.nr = 0;
	REGISTER(operation, &of, 32);
	of.data = of.tags = 0;
	of.nr = 2;
	REGISTER(operation, &of, 32);
	memset(end - 40, 0, 40);
	REGISTER(operation, memcpy(end - 32, &of, 32), 32);
	REGISTER(operation, end - 32, 40);
	REGISTER(operation, end - 40, 40);
	REGISTER(operation, end - 16, 32);
}

static void updates(int operation, void *data)
{
	struct io_uring_rsrc_update2 of = { 1, 0, (long)data, (long)tags, 2, 0 };

	for (int size = 31; size < 34; size++)
		REGISTER(operation, &of, size);
	of.resv = 7;
	of.resv2 = 8;
	REGISTER(operation, &of, 32);
	of.tags = of.data = 0;
	REGISTER(operation, &of, 32);
	of.tags = of.data = 8;
	REGISTER(operation, &of, 32);
	of.nr = 0;
	REGISTER(operation, &of, 32);
}

int main(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_R_DISABLED };
	char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	end = pages + 4096;
	munmap(end, 4096);
	ring = -1;
	probes();
	ring = syscall(SYS_io_uring_setup, 4, &params);
	restrictions();
	resources(IORING_REGISTER_FILES2, files);
	resources(IORING_REGISTER_BUFFERS2, buffers);
	updates(IORING_REGISTER_FILES_UPDATE2, files);
	updates(IORING_REGISTER_BUFFERS_UPDATE, buffers);
	return 0;
}
