/* Children and their threads are killed at moments that a seeded generator picks. */
#include "../hard.h"

#define CHILDREN 60

static uint32_t state = 12345;

static void *busy(void *unused)
{
	char buffer[64];

	for (;;) {
		int file = open("/proc/self/stat", O_RDONLY);

		if (read(file, buffer, sizeof buffer) < 0)
			pause();
		close(file);
	}
	return unused;
}

int main(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_t thread;

			for (int j = 0; j < i % 4; j++)
				pthread_create(&thread, NULL, busy, NULL);
			busy(NULL);
		}
		MUST(child > 0);
		usleep(pick(&state, 2000));
		MUST(!kill(child, SIGKILL));
		MUST(WTERMSIG(await(child)) == SIGKILL);
	}
	printf("%d children were killed\n", CHILDREN);
	return 0;
}
