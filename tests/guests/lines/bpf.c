/* bpf(2), by command: attributes that are cut short, whole, too long, and not there.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/bpf.h>

#define BPF(command, size) syscall(SYS_bpf, command, attributes, (long)(size))

int main(void)
{
	static unsigned attributes[64];
	char *half;

	half = half_mapped(4096, 8192);
	begin();
	CALL(syscall(SYS_bpf, BPF_MAP_CREATE, NULL, 16L), "bpf(BPF_MAP_CREATE, NULL, 16)");
	CALL(syscall(SYS_bpf, BPF_MAP_CREATE, (void *)1, 16L), "bpf(BPF_MAP_CREATE, 0x1, 16)");
	CALL(syscall(SYS_bpf, BPF_MAP_CREATE, half + 4088, 16L), "bpf(BPF_MAP_CREATE, %p, 16)",
	     (void *)(half + 4088));
	CALL(syscall(SYS_bpf, BPF_MAP_CREATE, attributes, 0L), "bpf(BPF_MAP_CREATE, %p, 0)",
	     (void *)attributes);
	attributes[0] = 1000;
	attributes[1] = 4;
	CALL(BPF(BPF_MAP_CREATE, 8),
	     "bpf(BPF_MAP_CREATE, {map_type=0x3e8 /* BPF_MAP_TYPE_??? */, key_size=4, value_size=0, "
	     "max_entries=0}, 8)");
	attributes[4] = BPF_F_NUMA_NODE;
	attributes[5] = -1;
	CALL(BPF(BPF_MAP_CREATE, 24),
	     "bpf(BPF_MAP_CREATE, {map_type=0x3e8 /* BPF_MAP_TYPE_??? */, key_size=4, value_size=0, "
	     "max_entries=0, map_flags=BPF_F_NUMA_NODE, inner_map_fd=-1}, 24)");
	attributes[40] = 1;
	CALL(BPF(BPF_MAP_GET_NEXT_ID, 200),
	     "bpf(BPF_MAP_GET_NEXT_ID, {start_id=1000, next_id=4, open_flags=0, ...}, 200)");
	memset(attributes, 0, sizeof attributes);
	attributes[0] = -1;
	CALL(BPF(BPF_MAP_LOOKUP_ELEM, 32),
	     "bpf(BPF_MAP_LOOKUP_ELEM, {map_fd=-1, key=NULL, value=NULL, flags=BPF_ANY}, 32)");
	CALL(BPF(BPF_MAP_DELETE_ELEM, 16), "bpf(BPF_MAP_DELETE_ELEM, {map_fd=-1, key=NULL}, 16)");
	CALL(BPF(BPF_OBJ_GET_INFO_BY_FD, 16),
	     "bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=-1, info_len=0, info=NULL}}, 16)");
	CALL(BPF(BPF_LINK_CREATE, 16),
	     "bpf(BPF_LINK_CREATE, {link_create={prog_fd=-1, target_fd=0, "
	     "attach_type=BPF_CGROUP_INET_INGRESS, flags=0}}, 16)");
	CALL(syscall(SYS_bpf, 1000, attributes, 16L), "bpf(0x3e8 /* BPF_??? */, %p, 16)",
	     (void *)attributes);
	end();
	return 0;
}
