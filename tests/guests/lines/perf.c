/* perf_event_open(2): events of each kind, of all sizes; none of them can be had.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#define OPEN(event) syscall(SYS_perf_event_open, event, -2, -1, -1, PERF_FLAG_FD_CLOEXEC)
#define CLOSED ", ...}, -2, -1, -1, PERF_FLAG_FD_CLOEXEC)"

int main(void)
{
	static struct perf_event_attr event;
	char *half = half_mapped(4096, 8192);

	begin();
	CALL(OPEN(NULL), "perf_event_open(NULL, -2, -1, -1, PERF_FLAG_FD_CLOEXEC)");
	CALL(OPEN((void *)1), "perf_event_open(0x1, -2, -1, -1, PERF_FLAG_FD_CLOEXEC)");
	CALL(OPEN(half + 4080), "perf_event_open(%p, -2, -1, -1, PERF_FLAG_FD_CLOEXEC)",
	     (void *)(half + 4080));
	event.type = PERF_TYPE_SOFTWARE;
	event.size = PERF_ATTR_SIZE_VER0;
	event.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	event.disabled = 1;
	CALL(OPEN(&event),
	     "perf_event_open({type=PERF_TYPE_SOFTWARE, size=PERF_ATTR_SIZE_VER0, "
	     "config=PERF_COUNT_SW_CONTEXT_SWITCHES, sample_period=0, sample_type=0, "
	     "read_format=0, disabled=1, precise_ip=0 /* arbitrary skid */" CLOSED);
	event.type = PERF_TYPE_HW_CACHE;
	event.size = PERF_ATTR_SIZE_VER5;
	event.config = PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_WRITE << 8 |
		       PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
	event.freq = 1;
	event.sample_freq = 99;
	event.precise_ip = 2;
	event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	CALL(OPEN(&event),
	     "perf_event_open({type=PERF_TYPE_HW_CACHE, size=PERF_ATTR_SIZE_VER5, "
	     "config=PERF_COUNT_HW_CACHE_RESULT_MISS<<16|PERF_COUNT_HW_CACHE_OP_WRITE<<8|"
	     "PERF_COUNT_HW_CACHE_DTLB, sample_freq=99, sample_type=PERF_SAMPLE_IP|PERF_SAMPLE_TID, "
	     "read_format=0, disabled=1, freq=1, precise_ip=2 /* requested to have 0 skid */" CLOSED);
	event.config = 0x1020003000009UL;
	CALL(OPEN(&event),
	     "perf_event_open({type=PERF_TYPE_HW_CACHE, size=PERF_ATTR_SIZE_VER5, config=0x10200<<32|"
	     "0x3<<24|PERF_COUNT_HW_CACHE_RESULT_ACCESS<<16|PERF_COUNT_HW_CACHE_OP_READ<<8|"
	     "0x9 /* PERF_COUNT_HW_CACHE_??? */, sample_freq=99, sample_type=PERF_SAMPLE_IP|PERF_SAMPLE_TID, "
	     "read_format=0, disabled=1, freq=1, precise_ip=2 /* requested to have 0 skid */" CLOSED);
	memset(&event, 0, sizeof event);
	event.type = PERF_TYPE_BREAKPOINT;
	event.bp_type = HW_BREAKPOINT_RW;
	event.read_format = PERF_FORMAT_GROUP;
	CALL(OPEN(&event),
	     "perf_event_open({type=PERF_TYPE_BREAKPOINT, size=0 /* PERF_ATTR_SIZE_??? */, config=0, "
	     "sample_period=0, sample_type=0, read_format=PERF_FORMAT_GROUP, "
	     "precise_ip=0 /* arbitrary skid */" CLOSED);
	end();
	return 0;
}
