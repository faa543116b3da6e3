/* The guest's own end by a signal is the tracer's too. */
#include "../hard.h"

int main(void)
{
	printf("before\n");
	fflush(stdout);
	raise(SIGTERM);
	return 1;
}
