/* Requests to btrfs as they are answered: lists whose parts have no fixed place, and ones that end too early. */
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK(request, argument) syscall(SYS_ioctl, -1, request, argument)

/* The end of a page behind which there is none. */
static char *end;

static struct {
	struct btrfs_data_container head;
	uint64_t numbers[40];
} found;

static void paths(void)
{
	static const unsigned counts[] = { 3, 0, 1, 4 };
	struct btrfs_ioctl_ino_path_args asked = { .inum = 256, .size = sizeof found, .fspath = (uintptr_t)&found };
	char *room = (char *)found.head.val;

	found.head = (struct btrfs_data_container){ .bytes_left = 5, .bytes_missing = 1, .elem_missed = 2 };
	strcpy(room + 24, "abc");
	strcpy(room + 28, "a/path/that/is/longer/than/what/is/told/of/other/strings");
	found.head.val[0] = 24;
	found.head.val[1] = 28;
	found.head.val[2] = 100;
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		found.head.elem_cnt = counts[i];
		ASK(BTRFS_IOC_INO_PATHS, &asked);
	}
	found.head.elem_cnt = 2;
	found.head.val[1] = 1ULL << 50;
	ASK(BTRFS_IOC_INO_PATHS, &asked);
	for (asked.fspath = 0; asked.fspath < 2; asked.fspath++)
		ASK(BTRFS_IOC_INO_PATHS, &asked);
	found.head.elem_cnt = 4;
	found.head.val[0] = 9;
	found.head.val[1] = 40;
	asked.fspath = (uintptr_t)memcpy(end - 32, &found, 32);
	ASK(BTRFS_IOC_INO_PATHS, &asked);
}

static void inodes(void)
{
	static const uint64_t numbers[] = { 256, 4096, 5, 257, 0, 1, 1, 2, 3 };
	struct btrfs_ioctl_logical_ino_args asked = { .logical = 4096, .size = 160, .inodes = (uintptr_t)&found };

	memcpy(found.head.val, numbers, sizeof numbers);
	for (found.head.elem_cnt = 0; found.head.elem_cnt < 9; found.head.elem_cnt++)
		ASK(BTRFS_IOC_LOGICAL_INO, &asked);
	asked.inodes = (uintptr_t)memcpy(end - 40, &found, 40);
	ASK(BTRFS_IOC_LOGICAL_INO, &asked);
	asked.inodes = (uintptr_t)memcpy(end - 16, &found, 16);
	asked.flags = 3;
	ASK(BTRFS_IOC_LOGICAL_INO, &asked);
}

static void room(void)
{
	static struct {
		struct btrfs_ioctl_space_args head;
		struct btrfs_ioctl_space_info kinds[4];
	} spaces = { .kinds = { { 1, 2, 3 }, { 1ULL << 49, 4, 5 }, { 1ULL << 40, 6, 7 } } };

	for (spaces.head.space_slots = 0; spaces.head.space_slots < 3; spaces.head.space_slots++) {
		for (spaces.head.total_spaces = 0; spaces.head.total_spaces < 4; spaces.head.total_spaces++)
			ASK(BTRFS_IOC_SPACE_INFO, &spaces);
	}
}

static void searches(void)
{
	static struct {
		struct btrfs_ioctl_search_args_v2 head;
		char buffer[4000];
	} sized;
	static struct btrfs_ioctl_search_args fixed = {
		.key = { .tree_id = 1, .min_objectid = 1, .max_objectid = -1, .max_offset = -1, .max_transid = -1,
			 .min_type = 1, .max_type = -1 } };
	static const unsigned sizes[] = { 0, 20, 31, 32, 44, 75, 76, 108, 4000 };
	struct btrfs_ioctl_search_header first = { 7, 256, 4, BTRFS_DIR_ITEM_KEY, 12 }, second = { 8, 11, -1, 1, 0 };

	memcpy(fixed.buf, &first, sizeof first);
	memcpy(fixed.buf + sizeof first + 12, &second, sizeof second);
	for (fixed.key.nr_items = 0; fixed.key.nr_items < 4; fixed.key.nr_items++)
		ASK(BTRFS_IOC_TREE_SEARCH, &fixed);
	sized.head.key = fixed.key;
	memcpy(sized.buffer, fixed.buf, sizeof fixed.buf);
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		sized.head.buf_size = sizes[i];
		ASK(BTRFS_IOC_TREE_SEARCH_V2, &sized);
	}
	for (unsigned left = 63; left < 66; left++) {
		first.len = sizeof fixed.buf - left;
		memcpy(fixed.buf, &first, sizeof first);
		ASK(BTRFS_IOC_TREE_SEARCH, &fixed);
	}
	ASK(BTRFS_IOC_TREE_SEARCH, memcpy(end - sizeof fixed.key, &fixed.key, sizeof fixed.key));
}

static void devices(void)
{
	static struct btrfs_ioctl_get_dev_stats statistics = { .devid = 1, .values = { 9, 8, 7, 6, 5 } };
	static struct btrfs_ioctl_feature_flags features[3] = { { 0, 1, 2 }, { 0, 2, 1 } };
	static struct btrfs_ioctl_ino_lookup_args lookup = { .objectid = 256, .name = "directory/" };
	static struct btrfs_ioctl_balance_args balance = { .flags = 1, .data = { .pstart = -1, .pend = 1, .vend = -1 } };

	for (statistics.nr_items = 0; statistics.nr_items < 8; statistics.nr_items++)
		ASK(BTRFS_IOC_GET_DEV_STATS, &statistics);
	ASK(BTRFS_IOC_GET_SUPPORTED_FEATURES, features);
	ASK(BTRFS_IOC_SET_FEATURES, features);
	ASK(BTRFS_IOC_INO_LOOKUP, &lookup);
	lookup.treeid = 5;
	ASK(BTRFS_IOC_INO_LOOKUP, &lookup);
	ASK(BTRFS_IOC_BALANCE_V2, &balance);
}

static void sent_and_shared(void)
{
	static __u64 sources[3] = { 5, 256, -1 };
	struct btrfs_ioctl_send_args sent = { .send_fd = -1, .clone_sources_count = 3, .clone_sources = sources };
	static struct {
		struct file_dedupe_range head;
		struct file_dedupe_range_info parts[4];
	} shared = { .head = { .src_offset = 1, .src_length = 2 },
		     .parts = { { .dest_fd = -1, .bytes_deduped = 4096 }, { .dest_fd = -2, .status = 1 } } };

	ASK(BTRFS_IOC_SEND, &sent);
	sent.clone_sources_count = 0;
	ASK(BTRFS_IOC_SEND, &sent);
	for (shared.head.dest_count = 0; shared.head.dest_count < 5; shared.head.dest_count++)
		ASK(FIDEDUPERANGE, &shared);
	ASK(FIDEDUPERANGE, memcpy(end - 56, &shared, 56));
}

int main(void)
{
	end = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	munmap(end, 4096);
	paths();
	inodes();
	room();
	searches();
	devices();
	sent_and_shared();
}
