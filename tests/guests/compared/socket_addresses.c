/* Addresses of sockets of every family, of every length, and the protocols of each family. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char address[256];

static void show(int length)
{
	syscall(SYS_connect, -1, address, length);
}

static void family(int number)
{
	memset(address, 0, sizeof address);
	memcpy(address, &(unsigned short){ number }, 2);
}

static void put(int offset, int size, long value)
{
	memcpy(address + offset, &value, size);
}

/* The address ends where the memory ends. */
static void every_length(char *end)
{
	static const int lengths[] = {
		1, 2, 3, 6, 8, 12, 14, 15, 16, 17, 20, 24, 25, 36,
		88, 96, 110, 112, 129,
	};

	for (int number = 0; number < 47; number++)
		for (int fill = 0; fill < 2; fill++)
			for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
				char *start = end - lengths[i];

				for (int j = 0; j < lengths[i]; j++)
					start[j] = fill * (j + 1);
				if (lengths[i] >= 2)
					memcpy(start, &(unsigned short){ number }, 2);
				syscall(SYS_connect, -1, start, lengths[i]);
			}
	syscall(SYS_connect, -1, end - 200, -1);
	syscall(SYS_connect, -1, end - 4, 16);
	syscall(SYS_connect, -1, NULL, 16);
}

static void bluetooth(void)
{
	static const int numbers[] = {
		0, 1, 3, 4, 7, 8, 0x21, 0x23, 0x3f, 0x40, 0x41, 0x7f, 0x80, 0xff, 0x100, 0x1000, 0xffff,
	};

	family(31);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		put(2, 2, numbers[i]);
		put(12, 1, i);
		show(12);
		show(14);
		show(4);
	}
	for (int channel = 0; channel < 6; channel++) {
		put(4, 2, channel);
		show(6);
	}
}

static void ax25(void)
{
	static const char *const names[] = { "N0CALL", "AB1C  ", "ab1c  ", "A B   ", "      ", "AB*CDE" };
	static const int stations[] = { 0, 1, 2, 8, 9, -1 };
	static const int lengths[] = { 15, 16, 17, 23, 30, 72, 73 };

	family(3);
	for (unsigned i = 0; i < 6; i++)
		for (int number = 0; number < 256; number += 37) {
			for (int j = 0; j < 6; j++)
				address[2 + j] = address[16 + j] = names[i][j] << 1;
			address[8] = number;
			put(12, 4, stations[i]);
			for (unsigned k = 0; k < 7; k++)
				show(lengths[k]);
		}
}

static void others(void)
{
	family(33);
	for (int transport = 0; transport < 12; transport++) {
		put(2, 2, transport < 6 ? transport : 2494 + transport);
		put(4, 2, transport);
		put(6, 2, transport * 4);
		put(8, 2, transport);
		put(10, 8, 0x0100007f901b);
		show(36);
	}
	family(36);
	for (int kind = 0; kind < 5; kind++) {
		put(4, 4, kind);
		put(8, 2, -(kind & 1));
		put(10, 2, -(kind >> 1));
		show(20);
	}
	family(38);
	strcpy((char *)address + 2, "hash");
	strcpy((char *)address + 24, "sha256");
	show(88);
	put(16, 4, 0x1000);
	put(20, 4, 0x1fff);
	show(28);
	memset(address + 2, 'y', 14);
	memset(address + 24, 'x', 64);
	show(88);
	show(89);
	family(39);
	put(16, 2, 0x302);
	strcpy((char *)address + 18, "urn:nfc:sn:sdp");
	put(88, 8, 14);
	show(96);
	family(17);
	put(2, 2, 8);
	put(4, 4, 1);
	put(8, 2, 1);
	for (int size = 0; size < 10; size++) {
		put(11, 1, size);
		put(12, 4, 0x1100fe02);
		show(20);
	}
}

int main(void)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory + 4096, 4096);
	every_length(memory + 4096);
	bluetooth();
	ax25();
	others();
	for (int number = 0; number < 47; number++)
		for (int protocol = 0; protocol < 40; protocol++)
			if (number != 3)
				syscall(SYS_socket, number, 0xfff, protocol);
	for (int number = 0; number < 47; number++)
		syscall(SYS_socketpair, number, 0xfff, 1, memory);
	return 0;
}
