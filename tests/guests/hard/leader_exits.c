/* The first thread ends before the others; the process lives on. */
#include "../hard.h"

static void *outlives(void *leader)
{
	/* The leader is a zombie, which cannot be joined: wait until it is seen to be one. */
	char line[256], path[64];

	sprintf(path, "/proc/%d/task/%d/stat", getpid(), getpid());
	do {
		int file = open(path, O_RDONLY);
		ssize_t length = read(file, line, sizeof line - 1);

		close(file);
		MUST(length > 0);
		line[length] = 0;
	} while (strrchr(line, ')')[2] != 'Z');
	printf("the leader has ended\n");
	exit(8);
	return leader;
}

int main(void)
{
	pthread_t thread;

	MUST(!pthread_create(&thread, NULL, outlives, NULL));
	syscall(SYS_exit, 1);
	return 1;
}
