/* Memory policies, pages in and between nodes, other processes' memory. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

static void policies(char *end)
{
	static const long counts[] = { 0, 1, 2, 64, 65, 66, 129, 1025 };
	static long nodes[32] = { 1, 2, 3 };
	static const int modes[] = { 0, 1, 2, 3, 4, 5, 0x8001, 0x4003, 0xc002, 9, 0x1007 };
	int mode;

	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		CALL(mbind, end - 4096, 4096L, 9, nodes, counts[i], 0);
		CALL(set_mempolicy, 9, nodes, counts[i]);
		CALL(get_mempolicy, &mode, nodes, counts[i], NULL, 0L);
		CALL(migrate_pages, -1, counts[i], nodes, end - 8);
		CALL(mbind, end - 4096, 4096L, 9, end - 8, counts[i], -1);
	}
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
		CALL(mbind, NULL, 0L, modes[i], -1L, 5L, i);
		CALL(set_mempolicy, modes[i], NULL, -1L);
	}
	CALL(get_mempolicy, NULL, NULL, 0L, NULL, 0L);
	CALL(get_mempolicy, end - 2, -1L, 0L, end, -1L);
	CALL(get_mempolicy, &mode, NULL, 0L, &mode, 3L);
	CALL(set_mempolicy_home_node, end - 4096, 4096L, 1L, 2L);
	CALL(migrate_pages, -1, 64L, NULL, -1L);
}

static void pages(char *end)
{
	void *places[] = { end - 4096, NULL, (void *)0x12345000 };
	int nodes[] = { 0, -1, 5 }, status[3];

	CALL(move_pages, 0, 3L, places, NULL, status, 0);
	CALL(move_pages, 0, 3L, places, nodes, status, 2);
	CALL(move_pages, -1, 3L, places, nodes, status, 7);
	CALL(move_pages, 0, 0L, places, nodes, status, 4);
	CALL(move_pages, 0, 3L, end - 8, end - 4, end, 0);
	CALL(move_pages, 0, -1L, NULL, -1L, NULL, -1);
	CALL(mremap, end - 4096, 4096L, 4096L, 0L, end);
	CALL(mremap, NULL, 0L, 0L, 2L, end);
	CALL(mremap, NULL, 0L, 0L, 3L, end);
	CALL(mremap, NULL, 0L, 0L, 6L, end);
	CALL(mremap, NULL, 0L, 0L, -1L, end);
	CALL(mincore, end - 4096, 4096L, end - 1);
	CALL(mincore, end - 4096, 0L, end - 1);
	CALL(mincore, end - 1, 1L, end - 1);
	CALL(munmap, -1L, -1L);
}

static void others(char *end)
{
	static char from[] = "data of a process", to[8];
	struct iovec here[] = { { to, 4 }, { to + 4, 4 } };
	struct iovec there[] = { { from, 6 }, { from, 1 }, { end - 2, 10 } };

	CALL(process_vm_readv, 0, here, 2L, there, 3L, 0L);
	CALL(process_vm_readv, 0, here, 2L, end - 8, 1L, 5L);
	CALL(process_vm_readv, 0, NULL, 0L, there, 0L, 0L);
	CALL(process_vm_writev, 0, here, 2L, there, 1L, 0L);
	CALL(process_vm_writev, -1, here, -1L, -1L, 3L, -1L);
	CALL(process_madvise, -1, there, 3L, 4, 0);
	CALL(process_madvise, -1, there, 0L, 20, -1);
	CALL(process_madvise, -1, end - 24, 2L, -1, 1);
	CALL(vmsplice, -1, here, 2L, 15);
	CALL(vmsplice, -1, here, -1L, -1);
}

int main(void)
{
	char *page = mmap((void *)0x10000000, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	munmap(page + 4096, 4096);
	CALL(set_mempolicy, 77, page, -1L);
	CALL(set_mempolicy, 77, page, -2L);
	policies(page + 4096);
	pages(page + 4096);
	others(page + 4096);
	return 0;
}
