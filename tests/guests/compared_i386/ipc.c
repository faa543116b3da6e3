/* System V IPC by ipc and directly. */
#include "i386.h"

static void guest(void)
{
	static long pointer;
	long id = CALL(ipc, 2, 0, 1, 01600);

	CALL(ipc, 1, id, 1, 0, SHORTS(0, 1, 0));
	CALL(ipc, 4, id, 1, 0, SHORTS(0, -1, 0), LONGS(0, 5));
	CALL(ipc, 4, id, 1, 0, SHORTS(0, 1, 0x800), 0);
	pointer = 7;
	CALL(ipc, 3, id, 0, 16, P(&pointer));
	CALL(ipc, 3, id, 0, 12, P(&pointer));
	pointer = P(buffer);
	CALL(ipc, 3, id, 0, 0x102, P(&pointer));
	CALL(ipc, 3, id, 0, 0x101, P(&pointer));
	CALL(ipc, 3, id, 0, 17, BAD);
	CALL(ipc, 3, id, 0, 99, P(&pointer));
	CALL(semctl, id, 0, 0x102, P(buffer));
	CALL(semctl, id, 0, 16, 7);
	CALL(ipc, 3, id, 0, 0, P(&pointer));
	CALL(ipc, 3, id, 0, 0, 0);

	id = CALL(ipc, 13, 0, 01600);
	CALL(ipc, 11, id, 4, 0, P("\5\0\0\0text"));
	CALL(ipc, 12, id, 4, 0x800, LONGS(P(buffer), 5));
	CALL(ipc, 11, id, 4, 0, P("\5\0\0\0text"));
	CALL(ipc, 0x1000c, id, 4, 0x800, P(buffer), 5);
	CALL(ipc, 12, id, 4, 0x800, 0);
	CALL(ipc, 12, id, 4, 0x800, BAD);
	CALL(ipc, 14, id, 0x102, 0, P(buffer));
	CALL(ipc, 14, id, 0x101, 0, P(buffer));
	CALL(msgctl, id, 0x102, P(buffer));
	CALL(ipc, 14, id, 0x100, 0, 0);
	CALL(ipc, 14, id, 0, 0, 0);

	id = CALL(ipc, 23, 0, 8192, 01600);
	CALL(ipc, 21, id, 0, P(&pointer), 0);
	CALL(ipc, 22, 0, 0, 0, pointer);
	CALL(ipc, 21, id, 010000, P(&pointer), P(buffer));
	CALL(ipc, 24, id, 0x102, 0, P(buffer));
	CALL(ipc, 24, id, 0x101, 0, P(buffer));
	CALL(shmctl, id, 0x102, P(buffer));
	CALL(ipc, 24, id, 0, 0, 0);
	CALL(ipc, 0, 1, 2, 3, 4, 5);
	CALL(ipc, 25, 1, 2, 3, 4, 5);
}
