/* Handles of files, and extended attributes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

static void handles(char *end)
{
	static struct { unsigned bytes; int type; unsigned char handle[140]; } to;
	static const unsigned sizes[] = { 0, 8, 127, 128, 129, -1 };
	int mount;

	CALL(name_to_handle_at, AT_FDCWD, "/", &to, &mount, 0);
	to.bytes = 128;
	CALL(name_to_handle_at, AT_FDCWD, "/nonexistent", &to, &mount, AT_SYMLINK_FOLLOW);
	CALL(name_to_handle_at, AT_FDCWD, "", &to, NULL, AT_EMPTY_PATH | AT_SYMLINK_FOLLOW | 0x10000000);
	CALL(name_to_handle_at, -1, "/", end - 8, -1L, 0);
	CALL(name_to_handle_at, -1, "/", end - 4, end - 2, 0);
	CALL(name_to_handle_at, -1, -1L, NULL, &mount, 0x50001400);
	for (unsigned i = 0; i < sizeof to.handle; i++)
		to.handle[i] = i;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		to.bytes = sizes[i];
		CALL(open_by_handle_at, -1, &to, O_RDWR | O_CLOEXEC);
	}
	CALL(open_by_handle_at, -1, end - 8, O_PATH | O_NOFOLLOW | 8);
	CALL(open_by_handle_at, -1, end - 7, O_WRONLY);
	CALL(open_by_handle_at, AT_FDCWD, NULL, O_WRONLY);
	memcpy(end - 12, (int[]){ 8, 1, 5 }, 12);
	CALL(open_by_handle_at, -1, end - 12, O_RDONLY);
	memcpy(end - 12, (int[]){ 4, -1, 5 }, 12);
	CALL(open_by_handle_at, -1, end - 12, O_RDONLY);
}

static void attributes(char *end)
{
	static const char value[] = "a value of some length\0\0\0\0\0\0\0\0\0\0\0\0and more of it";
	static const long sizes[] = { 0, 1, 22, 23, 24, 31, 32, 33, 34, 40, sizeof value, 65537, -1 };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		CALL(setxattr, "/nonexistent", "user.name", value, sizes[i], 1);
		CALL(fsetxattr, -1, "user.name", value, sizes[i], -1);
	}
	CALL(lsetxattr, -1L, -1L, end - 4, 8L, 4);
	CALL(lsetxattr, end - 1, NULL, end - 4, 4L, 3);
	CALL(fsetxattr, -1, "", NULL, 4L, 0);
	CALL(getxattr, "/nonexistent", "user.name", end - 4, 8L);
	CALL(flistxattr, -1, NULL, 0L);
	CALL(llistxattr, "/nonexistent", end, -1L);
	CALL(removexattr, "/nonexistent", -1L);
}

int main(void)
{
	char *page = mmap((void *)0x10000000, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	munmap(page + 4096, 4096);
	handles(page + 4096);
	attributes(page + 4096);
	return 0;
}
