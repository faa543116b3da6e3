/* Mappings, and select, whose arguments may be in memory. */
#include "i386.h"

static void guest(void)
{
	static long set[32] = { 1 };

	CALL(mmap, LONGS(0, 8192, 3, 0x22, -1, 0));
	CALL(mmap, LONGS(0, 8192, 3, 2, 7, 12288));
	CALL(mmap, 0);
	CALL(mmap, BAD);
	CALL(mmap2, 0, 8192, 3, 0x22, -1, 0);
	CALL(mmap2, 0, 8192, 3, 2, 7, 3);
	CALL(mmap2, 0, 8192, 3, 2, 7, -1);
	CALL(select, LONGS(5, P(set), 0, 0, LONGS(0, 0)));
	CALL(select, LONGS(-1, P(set), 0, 0, LONGS(0, 0)));
	CALL(select, 0);
	CALL(select, BAD);
	set[0] = 0;
	set[1] = 2;
	CALL(_newselect, 32, P(set), 0, 0, LONGS(0, 0));
	CALL(_newselect, 34, P(set), 0, 0, LONGS(0, 0));
	CALL(_newselect, 0, 0, 0, 0, LONGS(0, 1));
	CALL(process_vm_readv, -1, LONGS(P(buffer), 5), 1, LONGS(BAD, 5), 1, 0);
	CALL(writev, -1, LONGS(P("ab"), 2, P("cde"), 3), 2);
	CALL(execve, P("/nonexistent"), LONGS(P("a"), P("b"), 0), LONGS(P("c=d"), 0));
	CALL(execve, P("/nonexistent"), LONGS(P("a"), BAD, 0), BAD);
	CALL(io_setup, 5, P(buffer));
}
