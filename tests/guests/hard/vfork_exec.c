/* vfork: the parent stands still until the child has executed a program or ended. */
#include "../hard.h"

int main(int argc, char **argv)
{
	static volatile int written_by_child;

	if (argc > 1) {
		syscall(SYS_getppid);
		return 5;
	}
	for (int i = 0; i < 20; i++) {
		pid_t child = vfork();

		if (child == 0) {
			written_by_child++;
			if (i % 2)
				_exit(6);
			execl("/proc/self/exe", argv[0], "child", (char *)NULL);
			_exit(7);
		}
		MUST(child > 0);
		MUST(written_by_child == i + 1);
		MUST(WEXITSTATUS(await(child)) == (i % 2 ? 6 : 5));
	}
	printf("%d children\n", written_by_child);
	printf("count vfork 20\ncount getppid 10\n");
	return 0;
}
