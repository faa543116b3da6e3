/* Options of sockets: every level that has names, values of every form, too short, too long. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *end;

static void set(int level, int name, const void *value, int length)
{
	syscall(SYS_setsockopt, -1, level, name, value, length);
}

static void get(int fd, int level, int name, void *value, int length)
{
	syscall(SYS_getsockopt, fd, level, name, value, &length);
}

/* The value ends where the memory ends. */
static void set_lengths(int level, int name)
{
	static const int lengths[] = { -1, 0, 1, 3, 4, 5, 8, 12, 16, 20, 64, 136, 160 };

	for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
		set(level, name, end - (lengths[i] > 0 ? lengths[i] : 64), lengths[i]);
	set(level, name, NULL, 4);
	set(level, name, end, 4);
	set(level, name, end - 2, 8);
}

static void names(void)
{
	static const int levels[] = {
		-1, 0, 1, 2, 6, 17, 41, 58, 132, 136, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264,
		265, 266, 267, 268, 269, 270, 271, 273, 274, 275, 276, 277, 278, 280, 281, 283, 288,
	};

	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
		for (int name = -1; name < 133; name++) {
			/* Those that are rare or newer than the installed strace. */
			if (name > 14 && name < 126 && levels[i] > 41)
				continue;
			if (levels[i] == 1 && name >= 76 && name <= 84)
				continue;
			if (levels[i] == 6 && name >= 38 && name <= 46)
				continue;
			if (levels[i] == 0 && (name == 51 || name == 52) || levels[i] == 263 && name == 24)
				continue;
			syscall(SYS_setsockopt, -1, levels[i], name, NULL, 0);
			if (levels[i] <= 41)
				syscall(SYS_getsockopt, -1, levels[i], name, NULL, NULL);
		}
}

static void values(void)
{
	static const int options[][2] = {
		{ 1, 2 }, { 1, 3 }, { 1, 4 }, { 1, 13 }, { 1, 17 }, { 1, 20 }, { 1, 25 }, { 1, 26 },
		{ 1, 51 }, { 1, 74 }, { 1, 999 }, { 0, 1 }, { 0, 35 }, { 0, 36 }, { 0, 39 }, { 0, 41 },
		{ 0, 42 }, { 0, 45 }, { 0, 46 }, { 0, 48 }, { 41, 20 }, { 41, 27 }, { 41, 42 }, { 41, 50 },
		{ 6, 1 }, { 6, 13 }, { 6, 14 }, { 17, 103 }, { 263, 1 }, { 263, 2 }, { 263, 5 }, { 263, 6 },
		{ 263, 13 }, { 263, 18 }, { 270, 1 }, { 270, 9 }, { 270, 99 }, { 255, 1 }, { 999, 1 },
	};

	for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i][0] != 255)
			set_lengths(options[i][0], options[i][1]);
	for (unsigned types = 1; types; types <<= 1) {
		set(255, 1, &types, 4);
		set(255, 1, &(unsigned){ types - 1 }, 4);
		if (types == ~0u)
			break;
	}
	for (int value = -1; value < 3; value++)
		set(1, 74, &value, 4);
	set(1, 25, "lo", 3);
	set(6, 13, "cubic", 5);
}

static void filters(void)
{
	struct { unsigned short code; unsigned char on_true, on_false; unsigned operand; } program[512];
	struct { unsigned short length; void *program; } filter = { 512, program };
	static const unsigned operands[] = {
		0, 0xffe00000, 0xffe00001, 0xfff00000, 0xffffefff, 0xfffff000, 0xfffff004, 0xfffff006,
		0xffdfffff, 0xffffffff,
	};

	for (int code = 0; code < 512; code++) {
		program[code].code = code;
		program[code].on_true = code & 3;
		program[code].on_false = code & 5;
		program[code].operand = operands[code / 8 % 10];
	}
	set(1, 26, &filter, 16);
	set(1, 51, &filter, 16);
	filter.length = 0;
	set(1, 26, &filter, 16);
	filter.length = 10;
	for (int i = 0; i < 10; i++) {
		program[i].code = 0x28;
		program[i].on_true = program[i].on_false = 0;
		program[i].operand = operands[i];
	}
	set(1, 26, &filter, 16);
	filter.program = NULL;
	set(1, 26, &filter, 16);
}

static void stored(void)
{
	int fds[2], type = 0;
	char value[64] = "";

	syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fds);
	for (int length = -1; length < 20; length++)
		for (int name = 1; name < 20; name++)
			/* Not parts of the process id. */
			if (name != SO_PEERCRED || length > 3)
				get(fds[0], 1, name, value, length);
	get(fds[0], 1, 39, value, 64);
	get(fds[0], 1, 28, value, 64);
	get(fds[0], 1, 3, NULL, 4);
	get(fds[0], 1, 3, (void *)1, 4);
	syscall(SYS_getsockopt, fds[0], 1, 3, &type, NULL);
	syscall(SYS_getsockopt, fds[0], 1, 3, &type, (void *)1);
	close(fds[0]);
	close(fds[1]);
	fds[0] = syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0);
	for (int length = 0; length < 20; length += 2) {
		get(fds[0], 270, 9, value, length);
		get(fds[0], 270, 10, value, length);
	}
	close(fds[0]);
}

int main(void)
{
	end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	end += 4096;
	munmap(end, 4096);
	for (int i = 1; i < 200; i++)
		end[-i] = i % 7 == 3 ? 0 : i + 1;
	names();
	values();
	filters();
	stored();
	return 0;
}
