/* Calls that no kernel knows, by both ABIs. */
#include "bare.h"

void _start(void)
{
	long number = 999;

	call(999, 1, 2, 3, 4, 5, 6);
	__asm__ volatile("int $0x80" : "+a"(number) : "b"(1), "c"(2), "d"(3), "S"(4), "D"(5) : "memory");
	CALL(close, -1, 0, 0, 0);
	CALL(exit_group, 0, 0, 0, 0);
}
