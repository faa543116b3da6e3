/* bpf(2) on a map: what the kernel fills. Its number is another one in each run. */
#include "../guest.h"
#include <linux/bpf.h>

#define BPF(command, size) syscall(SYS_bpf, command, &attributes, (long)(size))

/* A map of three numbers, where maps may be made and looked for; else -1. */
static int map(void)
{
	static union bpf_attr attributes;

	if (BPF(BPF_MAP_GET_NEXT_ID, 12) < 0 && errno != ENOENT) {
		perror("calls on a map are left out: BPF_MAP_GET_NEXT_ID");
		return -1;
	}
	memset(&attributes, 0, sizeof attributes);
	attributes.map_type = BPF_MAP_TYPE_ARRAY;
	attributes.key_size = 4;
	attributes.value_size = 8;
	attributes.max_entries = 3;
	int map = BPF(BPF_MAP_CREATE, 20);
	if (map < 0)
		perror("calls on a map are left out: BPF_MAP_CREATE");
	return map;
}

/* What the kernel fills is told beside what was there. */
static void filled(int map)
{
	static union bpf_attr attributes;
	static unsigned place, keys[2];
	static long values[2];
	static char room[256];

	attributes.next_id = 5;
	CALL(BPF(BPF_MAP_GET_NEXT_ID, 12),
	     "bpf(BPF_MAP_GET_NEXT_ID, {start_id=0, next_id=5 => " VARIES("%u") ", open_flags=0}, 12)",
	     attributes.next_id);
	memset(&attributes, 0, sizeof attributes);
	attributes.batch.out_batch = (uintptr_t)&place;
	attributes.batch.keys = (uintptr_t)keys;
	attributes.batch.values = (uintptr_t)values;
	attributes.batch.map_fd = map;
#define BATCH "keys=%p, values=%p, count=2, map_fd=%d, elem_flags=BPF_ANY, flags=0}}"
	attributes.batch.count = 2;
	CALL(BPF(BPF_MAP_LOOKUP_BATCH, 56),
	     "bpf(BPF_MAP_LOOKUP_BATCH, {batch={in_batch=NULL, out_batch=%p, " BATCH ", 56)",
	     (void *)&place, (void *)keys, (void *)values, map);
	attributes.batch.in_batch = (uintptr_t)&place;
	CALL(BPF(BPF_MAP_LOOKUP_BATCH, 56),
	     "bpf(BPF_MAP_LOOKUP_BATCH, {batch={in_batch=%p, out_batch=%p, " BATCH
	     " => {batch={count=1}}, 56)",
	     (void *)&place, (void *)&place, (void *)keys, (void *)values, map);
	memset(&attributes, 0, sizeof attributes);
	attributes.info.bpf_fd = map;
	attributes.info.info_len = sizeof room;
	attributes.info.info = (uintptr_t)room;
	CALL(BPF(BPF_OBJ_GET_INFO_BY_FD, 16),
	     "bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=%d, info_len=256 => " VARIES("%u")
	     ", info=%p}}, 16)",
	     map, attributes.info.info_len, (void *)room);
}

int main(void)
{
	int numbers = map();

	begin();
	if (numbers >= 0)
		filled(numbers);
	CALL(syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, NULL, 12L), "bpf(BPF_MAP_GET_NEXT_ID, NULL, 12)");
	end();
	return 0;
}
