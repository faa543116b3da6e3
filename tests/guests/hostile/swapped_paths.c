/* A thread changes paths while others pass them to calls: between the look at a path and its use. */
#include "hostile.h"

static char program[] = "/bin/true\0\0\0\0\0\0\0";
static volatile int over;

static void *swap_program(void *unused)
{
	(void)unused;
	while (!over) {
		memcpy(program, "secret/program", 15);
		__asm__ volatile("" : : : "memory");
		memcpy(program, "/bin/true\0\0\0\0\0", 15);
		__asm__ volatile("" : : : "memory");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long most = rounds(argc, argv), wins[4] = { 0 };
	pthread_t other;
	struct stat data;

	pthread_create(&other, NULL, swap_files, (void *)&over);
	for (long i = 0; i < most; i++) {
		if (i % 4 == 0)
			wins[0] += tells(open(swapped, O_RDONLY));
		else if (i % 4 == 1)
			wins[1] += tells(openat(AT_FDCWD, swapped, O_RDONLY | O_NOFOLLOW));
		else if (i % 4 == 2)
			wins[2] += stat(swapped, &data) == 0 && data.st_size == 7;
		else if (unlink("open/link") == 0 || errno == ENOENT)
			wins[3] += link(swapped, "open/link") == 0 && tells_path("open/link");
	}
	over = 1;
	pthread_join(other, NULL);
	TRY("open", wins[0] > 0);
	TRY("openat", wins[1] > 0);
	TRY("stat", wins[2] > 0);
	TRY("link", wins[3] > 0);

	/* The same of programs: a process shares this one's memory until it executes one. */
	over = 0;
	pthread_create(&other, NULL, swap_program, NULL);
	for (long i = 0; i < most / 100 + 10; i++) {
		char *args[] = { program, "won", "program", NULL };
		pid_t child = vfork();

		if (child == 0) {
			execve(program, args, NULL);
			_exit(1);
		}
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	over = 1;
	pthread_join(other, NULL);
	return 0;
}
