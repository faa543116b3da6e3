/* Says what it was called, and calls a program something else. */
#include <stdio.h>
#include <unistd.h>

int main(int count, char **called)
{
	puts(called[0]);
	fflush(stdout);
	return count > 1 ? execl(called[1], "else", (char *)NULL) : 0;
}
