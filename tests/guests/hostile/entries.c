/* Other entries to the kernel than `syscall` with a number of the 64-bit ABI, and calls that make calls. */
#include "hostile.h"
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <setjmp.h>

static sigjmp_buf back;

static void fault(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static long int80(long number, long first, long second, long third)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

/* A call by the `syscall` at this address. */
static int call_at(unsigned long at, const char *path)
{
	long result = -1;

	if (sigsetjmp(back, 1) != 0)
		return 0;
	__asm__ volatile("sub $128, %%rsp\n\tcall *%1\n\tadd $128, %%rsp"
			 : "=a"(result)
			 : "r"(at), "a"(2L), "D"(path), "S"(0L), "d"(0L)
			 : "rcx", "r11", "memory");
	return tells((int)result);
}

/* By the pages from which an agent makes its calls: each of their addresses. */
static int by_trusted_pages(const char *path)
{
	int won = 0;

	for (unsigned long at = 0x70000000; at < 0x70100000; at += 0x1000) {
		unsigned char there;

		if (mincore((void *)at, 4096, &there) < 0)
			continue;
		for (unsigned char *to = (void *)at; to < (unsigned char *)at + 4095; to++)
			if (to[0] == 0x0f && to[1] == 0x05)
				won |= call_at((unsigned long)to, path);
	}
	return won;
}

/* A read by a ring: its open, and its read of that. */
static int by_ring(const char *path)
{
	struct io_uring_params params = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 4, &params), won = 0;
	size_t len;
	char *queue, *done;
	struct io_uring_sqe *entry;

	if (ring < 0)
		return 0;
	len = params.sq_off.array + params.sq_entries * sizeof(unsigned);
	queue = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	done = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		    PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	entry = mmap(NULL, params.sq_entries * sizeof *entry, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		     IORING_OFF_SQES);
	if (queue != MAP_FAILED && done != MAP_FAILED && entry != MAP_FAILED) {
		memset(entry, 0, sizeof *entry);
		entry->opcode = IORING_OP_OPENAT;
		entry->fd = AT_FDCWD;
		entry->addr = (uint64_t)(uintptr_t)path;
		((unsigned *)(queue + params.sq_off.array))[0] = 0;
		__atomic_store_n((unsigned *)(queue + params.sq_off.tail), 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, ring, 1, 1, 1, NULL, 0) == 1) {
			struct io_uring_cqe *end = (void *)(done + params.cq_off.cqes);

			won = tells(end->res);
		}
	}
	close(ring);
	return won;
}

int main(void)
{
	static const char secret[] = "secret/file";
	struct open_how how = { 0 };
	char *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	signal(SIGSEGV, fault);
	signal(SIGBUS, fault);
	signal(SIGILL, fault);
	strcpy(low, secret);
	CAN("int 0x80", sigsetjmp(back, 1) == 0 && tells((int)int80(5, (long)low, 0, 0)));
	CAN("int 0x80 openat", sigsetjmp(back, 1) == 0 && tells((int)int80(295, -100, (long)low, 0)));
	CAN("x32", tells((int)syscall(0x40000002, secret, 0, 0)));
	CAN("x32 openat", tells((int)syscall(0x40000000 + 257, AT_FDCWD, secret, 0)));
	TRY("upper half", tells((int)syscall(2 | 1L << 32, secret, 0, 0)));
	TRY("openat2", tells((int)syscall(SYS_openat2, AT_FDCWD, secret, &how, sizeof how)));
	CAN("ring", by_ring(secret));
	CAN("trusted page", by_trusted_pages(secret));
	return 0;
}
