/* Clocks, timers and waiting, with times of 32 and of 64 bits. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("time(0xbad)", time, BAD);
	SHOW("alarm(0)", alarm, 0);
	SHOW("times(0xbad)", times, BAD);
	SHOW("gettimeofday(0xbad, 0xbad)", gettimeofday, BAD, BAD);
	SHOW("settimeofday(0xbad, NULL)", settimeofday, BAD, 0);
	SHOW("settimeofday(NULL, 0xbad)", settimeofday, 0, BAD);
	SHOW("setitimer(0x63 /* ITIMER_??? */, {it_interval={tv_sec=1, tv_usec=2}, "
	     "it_value={tv_sec=3, tv_usec=4}}, 0xbad)",
	     setitimer, 99, LONGS(1, 2, 3, 4), BAD);
	SHOW("setitimer(ITIMER_REAL, 0xbad, NULL)", setitimer, 0, BAD, 0);
	SHOW("getitimer(0x63 /* ITIMER_??? */, 0xbad)", getitimer, 99, BAD);
	SHOW("adjtimex(0xbad)", adjtimex, BAD);
	SHOW("nanosleep(0xbad, 0xbad)", nanosleep, BAD, BAD);
	SHOW("nanosleep({tv_sec=0, tv_nsec=1}, 0xbad)", nanosleep, LONGS(0, 1), BAD);
	SHOW("nanosleep({tv_sec=-1, tv_nsec=5}, NULL)", nanosleep, LONGS(-1, 5), 0);
	SHOW("futex(0xbad, FUTEX_WAIT, 1, {tv_sec=0, tv_nsec=1})", futex, BAD, 0, 1, LONGS(0, 1));
	SHOW("futex(0xbad, FUTEX_WAKE_PRIVATE, 1)", futex, BAD, 0x81, 1);
	SHOW("futex(0xbad, 0x63 /* FUTEX_??? */, 1, 0xbad, 0xbad, 0x5)", futex, BAD, 99, 1, BAD, BAD, 5);
	SHOW("timer_create(0x63 /* CLOCK_??? */, 0xbad, 0xbad)", timer_create, 99, BAD, BAD);
	SHOW("timer_create(CLOCK_REALTIME, NULL, 0xbad)", timer_create, 0, 0, BAD);
	SHOW("timer_settime(5, 0, 0xbad, 0xbad)", timer_settime, 5, 0, BAD, BAD);
	SHOW("timer_settime(-1, 0, 0xffffffff, 0xffffffff)", timer_settime, -1, 0, -1, -1);
	SHOW("timer_gettime(5, 0xbad)", timer_gettime, 5, BAD);
	SHOW("timer_gettime(-1, 0xffffffff)", timer_gettime, -1, -1);
	SHOW("timer_getoverrun(5)", timer_getoverrun, 5);
	SHOW("timer_getoverrun(-1)", timer_getoverrun, -1);
	SHOW("timer_delete(5)", timer_delete, 5);
	SHOW("timer_delete(-1)", timer_delete, -1);
	SHOW("clock_settime(0x63 /* CLOCK_??? */, 0xbad)", clock_settime, 99, BAD);
	SHOW("clock_settime(CLOCK_REALTIME, 0xbad)", clock_settime, 0, BAD);
	SHOW("clock_gettime(0x63 /* CLOCK_??? */, 0xbad)", clock_gettime, 99, BAD);
	SHOW("clock_gettime(CLOCK_REALTIME, 0xbad)", clock_gettime, 0, BAD);
	SHOW("clock_getres(CLOCK_REALTIME, 0xbad)", clock_getres, 0, BAD);
	SHOW("clock_getres(CLOCK_REALTIME, 0xffffffff)", clock_getres, 0, -1);
	SHOW("clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=1}, NULL)",
	     clock_nanosleep, 0, 0, LONGS(0, 1), 0);
	SHOW("clock_nanosleep(0x63 /* CLOCK_??? */, TIMER_ABSTIME, 0xbad, 0xbad)",
	     clock_nanosleep, 99, 1, BAD, BAD);
	SHOW("set_robust_list(0xbad, 5)", set_robust_list, BAD, 5);
	SHOW("set_robust_list(0xffffffff, 4294967295)", set_robust_list, -1, -1);
	SHOW("get_robust_list(2147483647, 0xbad, 0xbad)", get_robust_list, 0x7fffffff, BAD, BAD);
	SHOW("get_robust_list(2147483647, 0xffffffff, 0xffffffff)", get_robust_list, 0x7fffffff, -1, -1);
	SHOW("timerfd_create(0x63 /* CLOCK_??? */, 0)", timerfd_create, 99, 0);
	SHOW("timerfd_create(CLOCK_MONOTONIC, TFD_TIMER_ABSTIME|0x4)", timerfd_create, 1, 5);
	SHOW("timerfd_settime(-1, 0, 0xbad, 0xbad)", timerfd_settime, -1, 0, BAD, BAD);
	SHOW("timerfd_settime(77, 0, 0xffffffff, 0xffffffff)", timerfd_settime, 77, 0, -1, -1);
	SHOW("timerfd_gettime(-1, 0xbad)", timerfd_gettime, -1, BAD);
	SHOW("timerfd_gettime(77, 0xffffffff)", timerfd_gettime, 77, -1);
	SHOW("clock_adjtime(0x63 /* CLOCK_??? */, 0xbad)", clock_adjtime, 99, BAD);
	SHOW("clock_adjtime(CLOCK_REALTIME, 0xbad)", clock_adjtime, 0, BAD);
	SHOW("rseq(0xbad, 0x20, 0, 0x5)", rseq, BAD, 32, 0, 5);
	SHOW("clock_gettime64(0x63 /* CLOCK_??? */, 0xbad)", clock_gettime64, 99, BAD);
	SHOW("clock_gettime64(CLOCK_REALTIME_COARSE, 0xbad)", clock_gettime64, 5, BAD);
	SHOW("clock_settime64(0x63 /* CLOCK_??? */, 0xbad)", clock_settime64, 99, BAD);
	SHOW("clock_settime64(CLOCK_REALTIME, 0xbad)", clock_settime64, 0, BAD);
	SHOW("clock_adjtime64(0x63 /* CLOCK_??? */, 0xbad)", clock_adjtime64, 99, BAD);
	SHOW("clock_adjtime64(CLOCK_REALTIME, 0xbad)", clock_adjtime64, 0, BAD);
	SHOW("clock_getres_time64(CLOCK_REALTIME, 0xbad)", clock_getres_time64, 0, BAD);
	SHOW("clock_getres_time64(CLOCK_REALTIME, 0xffffffff)", clock_getres_time64, 0, -1);
	SHOW("clock_nanosleep_time64(CLOCK_MONOTONIC, 0, {tv_sec=0, tv_nsec=1}, NULL)",
	     clock_nanosleep_time64, 1, 0, LONG_LONGS(0, 1), 0);
	SHOW("clock_nanosleep_time64(0x63 /* CLOCK_??? */, TIMER_ABSTIME, 0xbad, 0xbad)",
	     clock_nanosleep_time64, 99, 1, BAD, BAD);
	SHOW("timer_gettime64(5, 0xbad)", timer_gettime64, 5, BAD);
	SHOW("timer_gettime64(-1, 0xffffffff)", timer_gettime64, -1, -1);
	SHOW("timer_settime64(5, 0, 0xbad, 0xbad)", timer_settime64, 5, 0, BAD, BAD);
	SHOW("timer_settime64(-1, 0, 0xffffffff, 0xffffffff)", timer_settime64, -1, 0, -1, -1);
	SHOW("timerfd_gettime64(-1, 0xbad)", timerfd_gettime64, -1, BAD);
	SHOW("timerfd_gettime64(77, 0xffffffff)", timerfd_gettime64, 77, -1);
	SHOW("timerfd_settime64(-1, 0, 0xbad, 0xbad)", timerfd_settime64, -1, 0, BAD, BAD);
	SHOW("timerfd_settime64(77, 0, 0xffffffff, 0xffffffff)", timerfd_settime64, 77, 0, -1, -1);
	SHOW("utimensat_time64(AT_FDCWD, \"no/where\", 0xbad, 0)",
	     utimensat_time64, -100, P("no/where"), BAD);
	SHOW("utimensat_time64(-1, 0xbad, 0xffffffff, 0)", utimensat_time64, -1, BAD, -1);
	SHOW("pselect6_time64(5, 0xbad, NULL, NULL, {tv_sec=0, tv_nsec=0}, NULL)",
	     pselect6_time64, 5, BAD, 0, 0, LONG_LONGS(0, 0), 0);
	SHOW_NOTE(" (Timeout)", "pselect6_time64(0, NULL, NULL, NULL, {tv_sec=0, tv_nsec=1}, NULL)",
	     pselect6_time64, 0, 0, 0, 0, LONG_LONGS(0, 1), 0);
	SHOW("pselect6_time64(-1, NULL, 0xbad, NULL, 0xbad, 0xbad)",
	     pselect6_time64, -1, 0, BAD, 0, BAD, BAD);
	SHOW("ppoll_time64(0xbad, 1, 0xbad, NULL, 8)", ppoll_time64, BAD, 1, BAD, 0, 8);
	SHOW("ppoll_time64(NULL, 0, {tv_sec=0, tv_nsec=0}, 0xbad, 7)",
	     ppoll_time64, 0, 0, LONG_LONGS(0, 0), BAD, 7);
	SHOW("io_pgetevents_time64(0xbad, 5, 5, 0xbad, 0xbad, 0xbad)",
	     io_pgetevents_time64, BAD, 5, 5, BAD, BAD, BAD);
	SHOW("io_pgetevents_time64(0xffffffff, -1, -1, 0xffffffff, 0xffffffff, 0xffffffff)",
	     io_pgetevents_time64, -1, -1, -1, -1, -1, -1);
	SHOW("recvmmsg_time64(-1, 0xbad, 5, 0, 0xbad)", recvmmsg_time64, -1, BAD, 5, 0, BAD);
	SHOW("recvmmsg_time64(77, 0xffffffff, 4294967295, 0, 0xffffffff)",
	     recvmmsg_time64, 77, -1, -1, 0, -1);
	SHOW("mq_timedsend_time64(-1, 0xbad, 5, 5, 0xbad)", mq_timedsend_time64, -1, BAD, 5, 5, BAD);
	SHOW("mq_timedsend_time64(77, 0xffffffff, 4294967295, 4294967295, 0xffffffff)",
	     mq_timedsend_time64, 77, -1, -1, -1, -1);
	SHOW("mq_timedreceive_time64(-1, 0xbad, 5, 0xbad, 0xbad)",
	     mq_timedreceive_time64, -1, BAD, 5, BAD, BAD);
	SHOW("mq_timedreceive_time64(77, 0xffffffff, 4294967295, 0xffffffff, 0xffffffff)",
	     mq_timedreceive_time64, 77, -1, -1, -1, -1);
	SHOW("semtimedop_time64(5, 0xbad, 5, 0xbad)", semtimedop_time64, 5, BAD, 5, BAD);
	SHOW("semtimedop_time64(-1, 0xffffffff, 4294967295, 0xffffffff)",
	     semtimedop_time64, -1, -1, -1, -1);
	SHOW("rt_sigtimedwait_time64([USR1], NULL, {tv_sec=0, tv_nsec=1}, 8)",
	     rt_sigtimedwait_time64, LONGS(0x200, 0), 0, LONG_LONGS(0, 1), 8);
	SHOW("rt_sigtimedwait_time64(0xbad, 0xbad, 0xbad, 8)", rt_sigtimedwait_time64, BAD, BAD, BAD, 8);
	SHOW("futex_time64(0xbad, FUTEX_WAIT, 1, {tv_sec=0, tv_nsec=1})",
	     futex_time64, BAD, 0, 1, LONG_LONGS(0, 1));
	SHOW("futex_time64(0xbad, FUTEX_WAKE_PRIVATE, 1)", futex_time64, BAD, 0x81, 1);
	SHOW("futex_time64(0xbad, FUTEX_WAKE_OP, 1, 2, 0xbad, FUTEX_OP_SET<<28|0x1<<12|"
	     "FUTEX_OP_CMP_EQ<<24|0)",
	     futex_time64, BAD, 5, 1, 2, BAD, 0x1000);
	SHOW("sched_rr_get_interval_time64(2147483647, 0xbad)",
	     sched_rr_get_interval_time64, 0x7fffffff, BAD);
	SHOW("sched_rr_get_interval_time64(2147483647, 0xffffffff)",
	     sched_rr_get_interval_time64, 0x7fffffff, -1);
	SHOW("futex_waitv(0xbad, 1, 0, 0xbad, CLOCK_MONOTONIC)", futex_waitv, BAD, 1, 0, BAD, 1);
	SHOW("futex_waitv([], 0, 0, NULL, 0x63 /* CLOCK_??? */)", futex_waitv, BAD, 0, 0, 0, 99);
	end();
}
