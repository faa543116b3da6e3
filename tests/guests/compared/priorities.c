/* Priorities and futexes: every operation with every flag, and numbers that no header names. */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void priorities(void)
{
	static const int values[] = {
		0, 1, 7, 8, 0x2000, 0x2001, 0x4004, 0x6007, 0x8000, 0xe000, 0xffff, 0x10000, -1,
	};
	static const int policies[] = { -1, 0, 1, 3, 4, 5, 6, 0x40000000, 0x40000001 };

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		syscall(SYS_ioprio_set, 1, -1, values[i]);
		syscall(SYS_ioprio_set, 9, 7, values[i]);
	}
	syscall(SYS_ioprio_set, 1, 0, 0x4004);
	for (int which = 0; which < 5; which++)
		syscall(SYS_ioprio_get, which, 0);
	syscall(SYS_ioprio_set, 1, 0, 0x6000);
	syscall(SYS_ioprio_get, 1, 0);
	for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
		syscall(SYS_sched_setscheduler, 0x7ffffff0, policies[i], &policies[i]);
		syscall(SYS_sched_get_priority_max, policies[i]);
	}
	syscall(SYS_sched_setscheduler, 0, 0x40000000, (int[]){ 0 });
	syscall(SYS_sched_getscheduler, 0);
}

static void futexes(void)
{
	static const unsigned changes[] = {
		0, 0x10000000, 0x20000000, 0x30000000, 0x40000000, 0x50000000, 0x80000000, 0x81001002,
		0xf4ffffff, 0x71000000, 0x06001001, 0x05fff800, 0x12345678, 0xffffffff,
	};
	struct { long seconds, nanoseconds; } timeout = { 0, 1000 };
	static unsigned words[2];

	for (int operation = 0; operation < 20; operation++) {
		for (int flags = 0; flags < 0x200; flags += 0x80) {
			words[0] = 0;
			syscall(SYS_futex, words, operation | flags, 1, &timeout, words + 1, 0x1000000);
			syscall(SYS_futex, 0L, operation | flags, -1, 0L, 0L, -1);
		}
	}
	for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++)
		syscall(SYS_futex, words, 5, 1, 1L, words + 1, changes[i]);
	syscall(SYS_futex, words, 0x1000, 1, &timeout, words + 1, 3);
	syscall(SYS_futex, words, 0x200, 1, 0L, words + 1, 3);
	syscall(SYS_futex, words, -1, 0, 0L, words + 1, 3);
}

static void capabilities(void)
{
	static const unsigned versions[] = { 0x19980330, 0, 0xdeadbeef };

	for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct __user_cap_header_struct header = { versions[i], 0x7ffffff0 };
		unsigned data[6] = { 0x21, 2, 3, 4, 5, 6 };

		syscall(SYS_capset, &header, data);
		header.version = versions[i];
		syscall(SYS_capset, &header, 0L);
	}
}

static void segments(char *end)
{
	unsigned segment[8] = { -1, 0x1234, 0xfffff, 0xff };

	syscall(SYS_modify_ldt, 0, end - 16, 16L);
	syscall(SYS_set_thread_area, segment);
	syscall(SYS_set_thread_area, -1L);
}

int main(void)
{
	char *page = mmap((void *)0x10000000, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	munmap(page + 4096, 4096);
	priorities();
	futexes();
	capabilities();
	segments(page + 4096);
	for (int level = -1; level < 1; level++)
		syscall(SYS_syslog, 8, 0L, level);
	return 0;
}
