/* Keys: every operation with arguments that lead nowhere, keyrings by role and by number. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is done by asymmetric keys. */
static void asymmetric(void)
{
	static int sizes[10] = { 1, 2, -3 }, spare[10] = { -1, 0, 100, 1 }, keys[] = { 1, -3, 0 };
	static char data[] = "some data", room[100] = "room for more of it";
	struct { const char *hash, *more; unsigned length, spare[8]; } derivation = { "sha256", data, 4 };

	for (int operation = 25; operation <= 28; operation++) {
		syscall(SYS_keyctl, operation, sizes, "enc=pkcs1", data, room);
		syscall(SYS_keyctl, operation, spare, -1L, data, -1L);
		syscall(SYS_keyctl, operation, sizes, NULL, -1L, NULL);
	}
	syscall(SYS_keyctl, 24, 1, 0L, "enc=raw", room);
	syscall(SYS_keyctl, 24, -2, 5L, -1L, NULL);
	syscall(SYS_keyctl, 23, keys, room, 10L, NULL);
	syscall(SYS_keyctl, 23, keys, NULL, -1L, &derivation);
	derivation.spare[7] = 9;
	derivation.length = -1;
	syscall(SYS_keyctl, 23, -1L, room, 0L, &derivation);
	syscall(SYS_keyctl, 19, 5, 10, 23, -1);
	syscall(SYS_keyctl, 19, 5, 10, 5000, -1);
}

/*
 * What is read of keys, by how much room there is for it: keyrings by role, since keys have numbers
 * of chance.
 */
static void read_keys(void)
{
	static const int operations[] = { 6, 11, 17 };
	static char room[4096] __attribute__((aligned(4096)));
	char *end = room + sizeof room;

	/* Makes the thread's own keyring. */
	syscall(SYS_keyctl, 14, 1L);
	for (unsigned i = 0; i < 3; i++)
		for (long size = 0; size < 40; size = size * 2 + 1) {
			memset(room, 'q', sizeof room);
			syscall(SYS_keyctl, operations[i], -1L, room, size);
			syscall(SYS_keyctl, operations[i], -1L, end - size, size);
			syscall(SYS_keyctl, operations[i], -1L, NULL, size);
			syscall(SYS_keyctl, operations[i], -77L, room, size);
		}
	for (long size = 0; size < 4; size++) {
		syscall(SYS_keyctl, 31, room, size);
		syscall(SYS_keyctl, 31, end - size, size);
	}
	syscall(SYS_keyctl, 31, NULL, 0L);
	syscall(SYS_keyctl, 31, -1L, 9L);
}

int main(void)
{
	long vector[4] = { 1, 2, 3, 4 };

	asymmetric();
	read_keys();
	syscall(SYS_add_key, "user", "x", NULL, 7L, 5);
	syscall(SYS_add_key, "user", "x", -1L, 7L, 0x80000000);
	syscall(SYS_add_key, NULL, -1L, "payload", 3L, -3);
	syscall(SYS_request_key, "user", "none", NULL, 0x80000000);
	syscall(SYS_request_key, "user", "none", "about", -2);
	syscall(SYS_request_key, NULL, NULL, NULL, -9);
	syscall(SYS_request_key, -1L, "a\1b", NULL, 0);
	for (int operation = 0; operation < 35; operation++)
		/* One makes a new session, one gives it to the parent. */
		if (operation != 1 && operation != 18)
			syscall(SYS_keyctl, operation, 0L, -1L, -1L, -1L);
	for (int operation = 0; operation < 35; operation++)
		if (operation != 1 && operation != 18 && operation != 31)
			syscall(SYS_keyctl, operation, 0L, 0L, 0L, 0L);
	syscall(SYS_keyctl, 14, 99);
	syscall(SYS_keyctl, 14, -2);
	syscall(SYS_keyctl, 20, 1, vector, 2L, -3);
	return 0;
}
