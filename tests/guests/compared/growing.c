/* Structs that have grown, or that will: smaller and larger than is known, and cut by a page's end. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void open_how(char *end)
{
	static const long sizes[] = { 0, 6, 18, 23, 24, 25, 32, 33, 48, 64, 100 };
	unsigned long how[16] = { 0x42, 0644, 0x3f };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		how[4] = 0x1122334455667788;
		syscall(SYS_openat2, -100, "/nonexistent/x", how, sizes[i]);
		how[3] = 5;
		syscall(SYS_openat2, -100, "/nonexistent/x", how, sizes[i]);
		memset(how + 3, 0, 16);
		syscall(SYS_openat2, -100, "/nonexistent/x", how, sizes[i]);
	}
	memcpy(end - 32, how, 32);
	syscall(SYS_openat2, 5, "x", end - 8, 24L);
	syscall(SYS_openat2, 5, "x", end - 24, 24L);
	syscall(SYS_openat2, 5, "x", end - 32, 64L);
	syscall(SYS_openat2, -1, 0L, 0L, 24L);
}

static void clone_args(char *end)
{
	unsigned long arguments[24] = { 0x10000000000 };

	for (long size = 56; size < 128; size += 8)
		syscall(SYS_clone3, arguments, size);
	for (int i = 0; i < 24; i++)
		arguments[i] = 0x11;
	for (long size = 56; size < 128; size += 8)
		syscall(SYS_clone3, arguments, size);
	syscall(SYS_clone3, arguments, 90L);
	syscall(SYS_clone3, arguments, 5L);
	memcpy(end - 88, arguments, 88);
	syscall(SYS_clone3, end - 88, 88L);
	syscall(SYS_clone3, end - 88, 104L);
	syscall(SYS_clone3, end - 80, 88L);
	syscall(SYS_clone3, end - 64, 64L);
	syscall(SYS_clone3, end - 56, 64L);
}

static void attributes(char *end)
{
	static const unsigned sizes[] = { 0, 1, 8, 24, 40, 47, 48, 52, 55, 56 };
	struct {
		unsigned size, policy;
		unsigned long flags;
		int nice;
		unsigned priority;
		unsigned long times[3];
		unsigned utils[2];
	} attributes = { .policy = 3, .flags = 0x7f, .nice = -5, .priority = 7, .times = { 1, 2, 3 } };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		attributes.size = sizes[i];
		syscall(SYS_sched_setattr, -1, &attributes, 0);
		syscall(SYS_sched_getattr, -1, &attributes, sizes[i], 1);
	}
	/* What the kernel answers with its own size. */
	attributes.size = 47;
	syscall(SYS_sched_setattr, 0, &attributes, 0);
	attributes.size = 5000;
	syscall(SYS_sched_setattr, 0, &attributes, 0);
	syscall(SYS_sched_getattr, 0, &attributes, 48, 0);
	syscall(SYS_sched_getattr, 0, &attributes, 56, 0);
	syscall(SYS_sched_getattr, 0, end - 48, 48, 0);
	syscall(SYS_sched_setattr, 0, end - 4, 0);
	syscall(SYS_sched_setattr, 0, 0L, 0);
}

int main(void)
{
	char *page = mmap((void *)0x10000000, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	munmap(page + 4096, 4096);
	open_how(page + 4096);
	clone_args(page + 4096);
	attributes(page + 4096);
	return 0;
}
