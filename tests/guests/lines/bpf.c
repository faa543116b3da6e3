/* bpf(2), by command: attributes that are cut short, whole, too long, and not there.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/bpf.h>

#define BPF(command, size) syscall(SYS_bpf, command, &attributes, (long)(size))

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
	attributes[0] = 1000;
	attributes[7] = 0x41414141;
	CALL(BPF(BPF_MAP_CREATE, 32),
	     "bpf(BPF_MAP_CREATE, {map_type=0x3e8 /* BPF_MAP_TYPE_??? */, key_size=0, value_size=0, "
	     "max_entries=0, map_flags=0, inner_map_fd=0, map_name=\"AAA\"...}, 32)");
	static union bpf_attr program;
	program.prog_type = 1000;
	program.insn_cnt = 1;
	program.insns = 1;
	program.license = (uintptr_t)"GPL";
	CALL(syscall(SYS_bpf, BPF_PROG_LOAD, &program, 24L),
	     "bpf(BPF_PROG_LOAD, {prog_type=0x3e8 /* BPF_PROG_TYPE_??? */, insn_cnt=1, insns=0x1, "
	     "license=\"GPL\"}, 24)");
	program.log_level = 1;
	CALL(syscall(SYS_bpf, BPF_PROG_LOAD, &program, 28L),
	     "bpf(BPF_PROG_LOAD, {prog_type=0x3e8 /* BPF_PROG_TYPE_??? */, insn_cnt=1, insns=0x1, "
	     "license=\"GPL\", log_level=1, log_size=0, log_buf=NULL}, 28)");
	program.log_buf = (uintptr_t)"a log";
	program.log_size = 3;
	CALL(syscall(SYS_bpf, BPF_PROG_LOAD, &program, 40L),
	     "bpf(BPF_PROG_LOAD, {prog_type=0x3e8 /* BPF_PROG_TYPE_??? */, insn_cnt=1, insns=0x1, "
	     "license=\"GPL\", log_level=1, log_size=3, log_buf=\"a l\"...}, 40)");
	program.log_size = 8;
	CALL(syscall(SYS_bpf, BPF_PROG_LOAD, &program, 44L),
	     "bpf(BPF_PROG_LOAD, {prog_type=0x3e8 /* BPF_PROG_TYPE_??? */, insn_cnt=1, insns=0x1, "
	     "license=\"GPL\", log_level=1, log_size=8, log_buf=\"a log\", "
	     "kern_version=KERNEL_VERSION(0, 0, 0)}, 44)");
	memset(&program, 0, sizeof program);
	program.pathname = (uintptr_t)"/nowhere";
	CALL(syscall(SYS_bpf, BPF_OBJ_GET, &program, 16L),
	     "bpf(BPF_OBJ_GET, {pathname=\"/nowhere\", bpf_fd=0, file_flags=0}, 16)");
	memcpy(half + 4080, &program, 16);
	CALL(syscall(SYS_bpf, BPF_OBJ_GET, half + 4080, 16L),
	     "bpf(BPF_OBJ_GET, {pathname=\"/nowhere\", bpf_fd=0, file_flags=0}, 16)");
	memset(&program, 0, sizeof program);
	program.link_create.attach_type = BPF_PERF_EVENT;
	program.link_create.perf_event.bpf_cookie = 7;
	CALL(syscall(SYS_bpf, BPF_LINK_CREATE, &program, 24L),
	     "bpf(BPF_LINK_CREATE, {link_create={prog_fd=0, target_fd=0, attach_type=BPF_PERF_EVENT, "
	     "flags=0, perf_event={bpf_cookie=0x7}}}, 24)");
	static const __u64 places[] = { 0x10, 0x20, 0x30 };
	memset(&program, 0, sizeof program);
	program.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	program.link_create.kprobe_multi.cnt = 2;
	program.link_create.kprobe_multi.addrs = (uintptr_t)places;
	program.link_create.kprobe_multi.cookies = (uintptr_t)(places + 1);
	CALL(syscall(SYS_bpf, BPF_LINK_CREATE, &program, 48L),
	     "bpf(BPF_LINK_CREATE, {link_create={prog_fd=0, target_fd=0, attach_type=BPF_TRACE_KPROBE_MULTI, "
	     "flags=0, kprobe_multi={flags=0, cnt=2, syms=NULL, addrs=[0x10, 0x20], "
	     "cookies=[0x20, 0x30]}}}, 48)");
	attributes[7] = 0;
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
