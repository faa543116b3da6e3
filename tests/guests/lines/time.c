/* Clocks, sleeps and timers.
 *
 * @steady
 */
#include "../guest.h"
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>

static void clocks(void)
{
	static struct timespec time;
	static struct timeval now;
	static struct tms used;
	static struct tm broken_down;
	char date[40];
	time_t seconds;

	CALL(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time),
	     "clock_gettime(CLOCK_MONOTONIC, {tv_sec=" VARIES("%ld") ", tv_nsec=" VARIES("%ld") "})", time.tv_sec, time.tv_nsec);
	CALL(syscall(SYS_clock_gettime, CLOCK_REALTIME, NULL), "clock_gettime(CLOCK_REALTIME, NULL)");
	CALL(syscall(SYS_clock_gettime, 77, &time), "clock_gettime(0x4d /* CLOCK_??? */, %p)", (void *)&time);
	CALL(syscall(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, NULL), "clock_getres(CLOCK_MONOTONIC_COARSE, NULL)");
	CALL(syscall(SYS_clock_settime, CLOCK_MONOTONIC, (void *)1), "clock_settime(CLOCK_MONOTONIC, 0x1)");
	CALL(syscall(SYS_gettimeofday, &now, NULL), "gettimeofday({tv_sec=" VARIES("%ld") ", tv_usec=" VARIES("%ld") "}, NULL)", now.tv_sec,
	     (long)now.tv_usec);
	CALL(syscall(SYS_settimeofday, (void *)1, NULL), "settimeofday(0x1, NULL)");
	CALL_VARIES(syscall(SYS_times, NULL), "times(NULL)");
	CALL_VARIES(syscall(SYS_times, &used), "times({tms_utime=" VARIES("%ld") ", tms_stime=" VARIES("%ld") ", tms_cutime=0, tms_cstime=0})",
	     used.tms_utime, used.tms_stime);
	seconds = syscall(SYS_time, NULL);
	strftime(date, sizeof date, "%FT%T+0000", gmtime_r(&seconds, &broken_down));
	LINE("time(NULL) = " VARIES("%ld (%s)"), (long)seconds, date);
}

static void sleeps(void)
{
	struct timespec brief = { 0, 1000 }, bad = { 0, -1 };
	struct timespec past = { 1, 5 };

	CALL(syscall(SYS_nanosleep, &brief, NULL), "nanosleep({tv_sec=0, tv_nsec=1000}, NULL)");
	CALL(syscall(SYS_nanosleep, &bad, NULL), "nanosleep({tv_sec=0, tv_nsec=18446744073709551615}, NULL)");
	CALL(syscall(SYS_nanosleep, NULL, &brief), "nanosleep(NULL, %p)", (void *)&brief);
	CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL),
	     "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, {tv_sec=1, tv_nsec=5}, NULL)");
	CALL(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &brief, NULL),
	     "clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=1000}, NULL)");
}

static void timers(void)
{
	static struct itimerval old;
	struct itimerval late = { .it_value.tv_sec = 1000 };
	struct itimerspec timer = { .it_value.tv_sec = 500, .it_interval.tv_nsec = 7 };
	struct itimerspec never = { .it_value.tv_sec = 0 };
	static struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 3 };
	static int id;
	int fd;

	CALL(syscall(SYS_setitimer, ITIMER_REAL, &late, &old),
	     "setitimer(ITIMER_REAL, {it_interval={tv_sec=0, tv_usec=0}, it_value={tv_sec=1000, tv_usec=0}}, "
	     "{it_interval={tv_sec=0, tv_usec=0}, it_value={tv_sec=0, tv_usec=0}})");
	CALL(syscall(SYS_alarm, 0), "alarm(0)");
	CALL(syscall(SYS_getitimer, ITIMER_REAL, &old),
	     "getitimer(ITIMER_REAL, {it_interval={tv_sec=0, tv_usec=0}, it_value={tv_sec=0, tv_usec=0}})");
	CALL(syscall(SYS_getitimer, 77, &old), "getitimer(0x4d /* ITIMER_??? */, %p)", (void *)&old);
	fd = syscall(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	LINE("timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC|TFD_NONBLOCK) = %d", fd);
	CALL(syscall(SYS_timerfd_settime, fd, 0, &timer, NULL),
	     "timerfd_settime(%d, 0, {it_interval={tv_sec=0, tv_nsec=7}, it_value={tv_sec=500, tv_nsec=0}}, NULL)", fd);
	CALL(syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &never, NULL),
	     "timerfd_settime(%d, TFD_TIMER_ABSTIME, {it_interval={tv_sec=0, tv_nsec=0}, "
	     "it_value={tv_sec=0, tv_nsec=0}}, NULL)",
	     fd);
	CALL(syscall(SYS_timerfd_gettime, fd, &timer),
	     "timerfd_gettime(%d, {it_interval={tv_sec=0, tv_nsec=0}, it_value={tv_sec=0, tv_nsec=0}})", fd);
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id),
	     "timer_create(CLOCK_MONOTONIC, {sigev_value={sival_int=3, sival_ptr=0x3}, sigev_signo=SIGUSR1, "
	     "sigev_notify=SIGEV_SIGNAL}, [%d])",
	     id);
	CALL(syscall(SYS_timer_settime, id, 0, &never, NULL),
	     "timer_settime(%d, 0, {it_interval={tv_sec=0, tv_nsec=0}, it_value={tv_sec=0, tv_nsec=0}}, NULL)", id);
	CALL(syscall(SYS_timer_getoverrun, id), "timer_getoverrun(%d)", id);
	CALL(syscall(SYS_timer_delete, id), "timer_delete(%d)", id);
	CALL(syscall(SYS_timer_delete, id), "timer_delete(%d)", id);
}

int main(void)
{
	time_t first_use_reads_files = 0;

	gmtime(&first_use_reads_files);
	begin();
	clocks();
	sleeps();
	timers();
	end();
	return 0;
}
