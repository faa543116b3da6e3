/* NUMBER: makes so many calls, and nothing else. */
#include "../hard.h"

int main(int count, char **arguments)
{
	MUST(count == 2);
	for (long left = atol(arguments[1]); left; left--)
		getppid();
	return 0;
}
