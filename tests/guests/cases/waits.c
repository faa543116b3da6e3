/* Waits for a byte of its standard input, and makes two calls for each; ends with the input. */
#include "bare.h"

static char byte;

void _start(void)
{
	while (CALL(read, 0, &byte, 1, 0) == 1) {
		CALL(getpid, 0, 0, 0, 0);
		CALL(close, -1, 0, 0, 0);
	}
	CALL(exit_group, 5, 0, 0, 0);
}
