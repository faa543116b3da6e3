/* Arguments that i386 takes in its own way. */
#include "i386.h"

static void guest(void)
{
	static unsigned pending[4] = { 5 }, segment[4] = { -2, 1, 2, 0x7f };
	static unsigned nodes[4] = { 0x100, 0, -1, 1 };
	static unsigned times[4] = { -1, -1, 5, 0x3fffffff };
	long page = CALL(mmap2, 0, 8192, 3, 0x22, -1);
	char *end = (char *) page + 4096;

	CALL(munmap, P(end), 4096);
	for (int i = 0; i < 64; i++)
		end[i - 64] = -1;
	for (int size = 3; size < 10; size++) {
		CALL(rt_sigprocmask, 99, P(end - 8), 0, size);
		CALL(rt_sigprocmask, 99, P(end - 4), 0, size);
		CALL(rt_sigpending, P(pending), size);
		CALL(signalfd4, -1, P(end - 6), size, -1);
		CALL(rt_sigtimedwait, P(end - 8), 0, LONGS(-1, 0), size);
		CALL(ppoll, 0, 0, LONGS(-1, 0), P(end - 8), size);
	}
	CALL(ipc, -1, 1, 2, 3, 4, 5);
	CALL(ipc, 0x1000ff, 1, 2, 3, 4, 5);
	CALL(ipc, 0x10000, 1, 2, 3, 4, 5);
	CALL(ipc, 99, 1, 2, 3, 4, 5);
	CALL(ipc, 0, 1, 2, 3, 4, 5);
	CALL(semctl, -1, 0, 0x900, 0);
	CALL(semctl, -1, 0, 0x900, 0);
	CALL(ipc, 11, -1, 9, 0, P(end - 8));
	CALL(ipc, 11, -1, 4, 0, P(end - 8));
	CALL(io_submit, -1, 0x8000, P(end - 8));
	CALL(io_submit, 0, -1, P(end - 8));
	CALL(io_submit, 0, 3, P(end - 8));
	CALL(fanotify_mark, -1, 0, 1, 0, -1, P("x"));
	CALL(fanotify_mark, -1, 0, 1, 0, -100, P("x"));
	CALL(utimensat, -100, P("nonexistent"), P(times), 0);
	CALL(sendfile64, -1, -1, P(end - 8), 5);
	CALL(sendfile, -1, -1, P(end - 4), 5);
	CALL(_sysctl, P(end - 32));
	CALL(clone, 0x11380000, 0, 1, 0xf85, 0xea2);
	CALL(set_mempolicy, 3, P(nodes), 2);
	CALL(set_mempolicy, 3, P(nodes), 34);
	CALL(get_mempolicy, 0, P(nodes), 65);
	CALL(migrate_pages, 5, 100, P(nodes), P(nodes));
	CALL(mbind, 0, 4096, 3, P(nodes), 100);
	CALL(set_thread_area, P(segment));
	for (int turn = 0; turn < 4; turn++) {
		segment[0] = -1;
		CALL(set_thread_area, P(segment));
		CALL(get_thread_area, P(segment));
	}
	segment[0] = 3;
	CALL(get_thread_area, P(segment));
	CALL(sched_setaffinity, -5, 200, P(end - 64));
	CALL(kexec_load, 0, 0, 0, 0x40000);
}
