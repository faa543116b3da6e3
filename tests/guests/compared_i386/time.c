/* Times of 32 and of 64 bits. */
#include "i386.h"

static void guest(void)
{
	CALL(time, BAD);
	CALL(time, 0);
	CALL(stime, BAD);
	CALL(gettimeofday, P(buffer), P(buffer + 100));
	CALL(nanosleep, LONGS(0, 1), P(buffer));
	CALL(nanosleep, LONGS(-1, -2), P(buffer));
	CALL(clock_gettime, 0, P(buffer));
	CALL(clock_gettime64, 0, P(buffer));
	CALL(clock_getres, 99, P(buffer));
	CALL(clock_getres_time64, 99, P(buffer));
	CALL(clock_nanosleep, 0, 0, LONGS(0, 1), P(buffer));
	CALL(clock_nanosleep_time64, 0, 1, LONG_LONGS(0, 1), P(buffer));
	CALL(clock_settime, 99, LONGS(-1, -2));
	CALL(clock_settime64, 99, LONG_LONGS(-1, -2));
	CALL(clock_adjtime, 99, P(buffer + 8192));
	CALL(clock_adjtime64, 99, P(buffer + 8192));
	CALL(setitimer, 0, LONGS(1, 2, 3, 4), P(buffer));
	CALL(setitimer, 0, LONGS(0, 0, 0, 0), BAD);
	CALL(timer_create, 1, LONGS(7, 10, 0, 0), P(buffer));
	CALL(timer_settime, 0, 0, LONGS(100, 2, 100, 4), P(buffer + 100));
	CALL(timer_settime64, 0, 0, LONG_LONGS(100, 2, 100, 4), P(buffer + 100));
	CALL(timer_gettime, 99, P(buffer));
	CALL(timer_delete, 0);
	CALL(timerfd_settime, -1, 0, LONGS(1, 2, 3, 4), P(buffer));
	CALL(timerfd_settime64, -1, 3, LONG_LONGS(1, 2, 3, 4), P(buffer));
	CALL(ppoll, LONGS(0, 1), 1, LONGS(0, 5), LONGS(0x1000, 0), 8);
	CALL(ppoll_time64, LONGS(-1, 1), 1, LONG_LONGS(0, 5), 0, 8);
	CALL(pselect6, 1, LONGS(0), 0, 0, LONGS(0, 5), LONGS(LONGS(0x1000, 0), 8));
	CALL(pselect6_time64, 1, LONGS(0), 0, 0, LONG_LONGS(0, 5), 0);
	CALL(futex, P(buffer), 0, 7, LONGS(0, 5));
	CALL(futex_time64, P(buffer), 0x80, 7, LONG_LONGS(0, 5));
	CALL(futex, P(buffer), 1, 7);
	CALL(rt_sigtimedwait, LONGS(0x1000, 0), P(buffer), LONGS(0, 5), 8);
	CALL(rt_sigtimedwait_time64, LONGS(0x1000, 0), P(buffer), LONG_LONGS(0, 5), 8);
	CALL(sched_rr_get_interval, -1, P(buffer));
	CALL(mq_timedsend, -1, P("abc"), 3, 1, LONGS(1, 2));
	CALL(mq_timedreceive_time64, -1, P(buffer), 3, P(buffer), LONG_LONGS(1, 2));
	CALL(recvmmsg, -1, P(buffer), 1, 0, LONGS(1, 2));
}
