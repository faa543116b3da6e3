/* A program that executes itself again and again.
 *
 * @steady
 */
#include "../hard.h"

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 30;
	char number[16];

	if (left == 0) {
		printf("the last one\ncount execve 31\n");
		return 9;
	}
	sprintf(number, "%d", left - 1);
	execl("/proc/self/exe", argv[0], number, (char *)NULL);
	return 1;
}
