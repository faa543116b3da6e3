/* Keys: every operation with arguments that lead nowhere, keyrings by role and by number. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	long vector[4] = { 1, 2, 3, 4 };

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
