/*
 * Calls that a filter of the guest's own answers: what they are told to have filled, and structs that are
 * smaller or larger.
 */
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The end of a page behind which there is none. */
static char *end;

static void clones(void)
{
	struct clone_args asked = { .flags = CLONE_INTO_CGROUP | CLONE_SETTLS, .stack = 1, .stack_size = 2 };

	for (long size = 56; size <= 88; size += 8) {
		syscall(SYS_clone3, &asked, size);
		syscall(SYS_clone3, memcpy(end - size, &asked, size), size);
	}
	asked.set_tid_size = 3;
	syscall(SYS_clone3, &asked, sizeof asked);
	asked.set_tid_size = 64;
	syscall(SYS_clone3, &asked, sizeof asked);
	asked.set_tid = 1;
	syscall(SYS_clone3, &asked, sizeof asked);
}

static void rings(void)
{
	static struct { struct io_uring_probe probe; struct io_uring_probe_op of[256]; } told;
	static const unsigned counts[] = { 0, 1, 3, 5, 255, 256, 257, -1 };

	for (int filled = 0; filled < 6; filled += 3)
		for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
			memset(&told, 0, sizeof told);
			told.probe.ops_len = filled;
			/* What is there already is told as it was, too. */
			if (!filled || counts[i] > 256)
				syscall(SYS_io_uring_register, -1, IORING_REGISTER_PROBE, &told, counts[i]);
		}
}

static void numbers(void)
{
	static const int options[] = { PR_GET_UNALIGN, PR_GET_FPEMU, PR_GET_FPEXC, PR_GET_ENDIAN };
	static unsigned number = -7;

	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		syscall(SYS_prctl, options[i], &number);
		syscall(SYS_prctl, options[i], end - 2);
		syscall(SYS_prctl, options[i], NULL);
	}
}

static void times(void)
{
	struct stat status = { .st_atim = { 5, 999999999 }, .st_mtim = { 5, 1000000000 }, .st_ctim = { -5, -1 } };

	syscall(SYS_fstat, -1, &status);
	syscall(SYS_mmap, NULL, 4096L, 3L, -1L, -1, 0L);
}

static void addresses(void)
{
	static const char *const texts[] = { "::", "::1", "::2:1", "::1:0:1", "::1:0", "::10.0.0.1", "::ffff:1.2.3.4",
					     "::ffff:0:1.2.3.4", "1::1:0" };
	struct sockaddr_in6 address = { .sin6_family = AF_INET6 };

	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		inet_pton(AF_INET6, texts[i], &address.sin6_addr);
		syscall(SYS_connect, -1, &address, sizeof address);
	}
}

#define ANSWER(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO)

/* From here on these calls return 0. */
static void answer(void)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ANSWER(clone3),
		ANSWER(io_uring_register),
		ANSWER(prctl),
		ANSWER(fstat),
		ANSWER(mmap),
		ANSWER(connect),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof instructions / sizeof *instructions, instructions };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(void)
{
	end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	munmap(end, 4096);
	answer();
	clones();
	rings();
	numbers();
	times();
	addresses();
	return 0;
}
