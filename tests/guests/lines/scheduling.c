/* Who gets the processors, and which memory. */
#include "../guest.h"
#include <asm/unistd.h>
#include <linux/ioprio.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/resource.h>
#include <time.h>

#define BAD 0xbadL

static void policies(void)
{
	static struct sched_attr wanted = { .size = sizeof wanted, .sched_policy = 77, .sched_flags = 0x21,
						  .sched_nice = -5, .sched_priority = 3 };
	static int priority;

	CALL(syscall(SYS_sched_get_priority_min, 1), "sched_get_priority_min(SCHED_FIFO)");
	CALL(syscall(SYS_sched_get_priority_min, 99), "sched_get_priority_min(0x63 /* SCHED_??? */)");
	CALL(syscall(SYS_sched_getparam, 0, &priority), "sched_getparam(0, [0])");
	CALL(syscall(SYS_sched_getparam, 0, BAD), "sched_getparam(0, 0xbad)");
	CALL(syscall(SYS_sched_getparam, -1, NULL), "sched_getparam(-1, NULL)");
	CALL(syscall(SYS_sched_setparam, 0, &priority), "sched_setparam(0, [0])");
	CALL(syscall(SYS_sched_setparam, 0, &(int){ 5 }), "sched_setparam(0, [5])");
	CALL(syscall(SYS_sched_setparam, -1, BAD), "sched_setparam(-1, 0xbad)");
	CALL(syscall(SYS_sched_setparam, 0, NULL), "sched_setparam(0, NULL)");
	CALL(syscall(SYS_sched_setscheduler, 0, 0, &priority), "sched_setscheduler(0, SCHED_OTHER, [0])");
	CALL(syscall(SYS_sched_setscheduler, 0, 77, &(int){ 7 }),
	     "sched_setscheduler(0, 0x4d /* SCHED_??? */, [7])");
	CALL(syscall(SYS_sched_setscheduler, -1, 0x40000003, BAD),
	     "sched_setscheduler(-1, 0x40000003 /* SCHED_??? */, 0xbad)");
	CALL(syscall(SYS_sched_setscheduler, 0, 1, NULL), "sched_setscheduler(0, SCHED_FIFO, NULL)");
	CALL(syscall(SYS_sched_rr_get_interval, -1, BAD), "sched_rr_get_interval(-1, 0xbad)");
	CALL(syscall(SYS_sched_rr_get_interval, 0, BAD), "sched_rr_get_interval(0, 0xbad)");
	CALL(syscall(SYS_sched_rr_get_interval, 0, NULL), "sched_rr_get_interval(0, NULL)");
	CALL(syscall(SYS_sched_setaffinity, 0, 8L, BAD), "sched_setaffinity(0, 8, 0xbad)");
	CALL(syscall(SYS_sched_setaffinity, 0, 8L, &(long){ 0 }), "sched_setaffinity(0, 8, [])");
	CALL(syscall(SYS_sched_setaffinity, -1, 0L, NULL), "sched_setaffinity(-1, 0, NULL)");
	CALL(syscall(SYS_sched_getattr, 0, BAD, 48, 0), "sched_getattr(0, 0xbad, 48, 0)");
	CALL(syscall(SYS_sched_getattr, -1, NULL, 1, 7), "sched_getattr(-1, NULL, 1, 7)");
	CALL(syscall(SYS_sched_setattr, 0, &wanted, 0),
	     "sched_setattr(0, {size=56, sched_policy=0x4d /* SCHED_??? */, "
	     "sched_flags=SCHED_FLAG_RESET_ON_FORK|SCHED_FLAG_UTIL_CLAMP_MIN, sched_nice=-5, "
	     "sched_priority=3, sched_runtime=0, sched_deadline=0, sched_period=0, sched_util_min=0, "
	     "sched_util_max=0}, 0)");
	CALL(syscall(SYS_sched_setattr, -1, BAD, 9), "sched_setattr(-1, 0xbad, 9)");
	CALL(syscall(SYS_sched_setattr, 0, NULL, 0), "sched_setattr(0, NULL, 0)");
	CALL(syscall(SYS_ioprio_set, 1, 0, 0x4004),
	     "ioprio_set(IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4))");
	CALL_AS("%ld (IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4))", syscall(SYS_ioprio_get, 1, 0),
	     "ioprio_get(IOPRIO_WHO_PROCESS, 0)");
	CALL(syscall(SYS_ioprio_get, 99, -1), "ioprio_get(0x63 /* IOPRIO_WHO_??? */, -1)");
	CALL(syscall(SYS_ioprio_set, 1, 0, 0xf007),
	     "ioprio_set(IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(0x7 /* IOPRIO_CLASS_??? */, 4103))");
	CALL(syscall(SYS_ioprio_set, 99, 0, 0x4003),
	     "ioprio_set(0x63 /* IOPRIO_WHO_??? */, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 3))");
	CALL(syscall(SYS_ioprio_set, -1, -1, -1),
	     "ioprio_set(0xffffffff /* IOPRIO_WHO_??? */, -1, IOPRIO_PRIO_VALUE(0x7ffff /* "
	     "IOPRIO_CLASS_??? */, 8191))");
}

static void attributes(void)
{
	static struct sched_attr attr;
	struct timespec interval;

	CALL(syscall(SYS_sched_getattr, 0, &attr, 48, 0),
	     "sched_getattr(0, {size=48, sched_policy=SCHED_OTHER, sched_flags=0, sched_nice=%d, sched_priority=0, "
	     "sched_runtime=" VARIES("%llu") ", sched_deadline=0, sched_period=0}, 48, 0)", attr.sched_nice,
	     (unsigned long long)attr.sched_runtime);
	CALL(syscall(SYS_sched_rr_get_interval, 0, &interval),
	     "sched_rr_get_interval(0, {tv_sec=0, tv_nsec=" VARIES("%ld") "})", interval.tv_nsec);
}

static void memory(void)
{
	unsigned long nodes = 1, far = 1UL << 63;
	int wanted[] = { 0, 5 };

	CALL(syscall(SYS_get_mempolicy, BAD, BAD, 64L, 0L, MPOL_F_NODE),
	     "get_mempolicy(0xbad, 0xbad, 64, NULL, MPOL_F_NODE)");
	CALL(syscall(SYS_get_mempolicy, NULL, NULL, 0L, BAD, 0x100L),
	     "get_mempolicy(NULL, NULL, 0, 0xbad, 0x100 /* MPOL_??? */)");
	CALL(syscall(SYS_get_mempolicy, NULL, NULL, 0L, -1L, 3L),
	     "get_mempolicy(NULL, NULL, 0, 0xffffffffffffffff, MPOL_F_NODE|MPOL_F_ADDR)");
	CALL(syscall(SYS_set_mempolicy, 77, &nodes, 2L),
	     "set_mempolicy(0x4d /* MPOL_??? */, [0x00000000000001], 2)");
	CALL(syscall(SYS_set_mempolicy, MPOL_BIND, BAD, 64L), "set_mempolicy(MPOL_BIND, 0xbad, 64)");
	CALL(syscall(SYS_set_mempolicy, MPOL_PREFERRED | MPOL_F_STATIC_NODES, NULL, -1L),
	     "set_mempolicy(MPOL_PREFERRED|MPOL_F_STATIC_NODES, NULL, 18446744073709551615)");
	CALL(syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0L), "set_mempolicy(MPOL_DEFAULT, NULL, 0)");
	CALL(syscall(SYS_mbind, 0x1000L, 0x1000L, 77, &nodes, 2L, MPOL_MF_STRICT | MPOL_MF_MOVE),
	     "mbind(0x1000, 4096, 0x4d /* MPOL_??? */, [0x00000000000001], 2, MPOL_MF_STRICT|"
	     "MPOL_MF_MOVE)");
	CALL(syscall(SYS_mbind, 0x1001L, 1L, MPOL_INTERLEAVE, BAD, 9L, 0x100),
	     "mbind(0x1001, 1, MPOL_INTERLEAVE, 0xbad, 9, 0x100 /* MPOL_??? */)");
	CALL(syscall(SYS_mbind, BAD, -1L, 0, NULL, 0L, 0),
	     "mbind(0xbad, 18446744073709551615, MPOL_DEFAULT, NULL, 0, 0)");
	CALL(syscall(SYS_migrate_pages, -1, 64L, &nodes, &far),
	     "migrate_pages(-1, 64, [0x00000000000001], [0x8000000000000000])");
	CALL(syscall(SYS_migrate_pages, 0, 1L, BAD, BAD), "migrate_pages(0, 1, 0xbad, 0xbad)");
	CALL(syscall(SYS_migrate_pages, 0, -1L, NULL, NULL),
	     "migrate_pages(0, 18446744073709551615, NULL, NULL)");
	CALL(syscall(SYS_move_pages, 0, 1L, BAD, NULL, BAD, MPOL_MF_MOVE),
	     "move_pages(0, 1, 0xbad, NULL, 0xbad, MPOL_MF_MOVE)");
	CALL(syscall(SYS_move_pages, -1, 0L, NULL, NULL, NULL, 1),
	     "move_pages(-1, 0, NULL, NULL, NULL, 0x1 /* MPOL_??? */)");
	CALL(syscall(SYS_move_pages, 0, 2L, BAD, wanted, BAD, 0x80),
	     "move_pages(0, 2, 0xbad, [0, 5], 0xbad, 0x80 /* MPOL_??? */)");
	CALL(syscall(__NR_set_mempolicy_home_node, 0x1000L, 0x1000L, 0L, 0L),
	     "set_mempolicy_home_node(0x1000, 4096, 0, 0)");
	CALL(syscall(__NR_set_mempolicy_home_node, -1L, 1L, -1L, 8L),
	     "set_mempolicy_home_node(0xffffffffffffffff, 1, 18446744073709551615, 0x8)");
}

static void use(void)
{
	CALL(syscall(SYS_getrusage, RUSAGE_SELF, BAD), "getrusage(RUSAGE_SELF, 0xbad)");
	CALL(syscall(SYS_getrusage, 77, NULL), "getrusage(0x4d /* RUSAGE_??? */, NULL)");
}

int main(void)
{
	begin();
	policies();
	attributes();
	memory();
	use();
	end();
	return 0;
}
