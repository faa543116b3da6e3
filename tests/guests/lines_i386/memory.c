/* The address space, and where its memory is. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW_HEX("brk(0xffffffff)", brk, -1);
	SHOW("mmap(0xbad)", mmap, BAD);
	SHOW("mmap(NULL, 0, PROT_NONE, MAP_FILE, -1, 0)", mmap, LONGS(0, 0, 0, 0, -1, 0));
	SHOW("munmap(0x1, 4096)", munmap, 1, 4096);
	SHOW("mprotect(0x1, 4096, PROT_READ|PROT_WRITE|PROT_EXEC)", mprotect, 1, 4096, 7);
	SHOW("mprotect(0x1000, 4096, 0x10 /* PROT_??? */)", mprotect, 0x1000, 4096, 0x10);
	SHOW("msync(0xbad, 5, 0)", msync, BAD, 5);
	SHOW("msync(0xffffffff, 4294967295, 0)", msync, -1, -1);
	SHOW("mlock(0xbad, 0)", mlock, BAD, 0);
	SHOW("munlock(0xbad, 5)", munlock, BAD, 5);
	SHOW("munlock(0xffffffff, 4294967295)", munlock, -1, -1);
	SHOW("mlockall(0x100 /* MCL_??? */)", mlockall, 0x100);
	SHOW("munlockall()", munlockall);
	SHOW("mremap(0x1, 4096, 8192, MREMAP_MAYMOVE)", mremap, 1, 4096, 8192, 1, 0);
	SHOW("mremap(0x1000, 4096, 8192, MREMAP_MAYMOVE|MREMAP_FIXED, 0x5000)",
	     mremap, 0x1000, 4096, 8192, 3, 0x5000);
	SHOW("mmap2(NULL, 0, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
	     mmap2, 0, 0, 3, 0x22, -1, 0);
	SHOW("mmap2(0x1000, 4096, 0x10 /* PROT_??? */, MAP_FILE|MAP_FIXED_NOREPLACE, 77, 0x5000)",
	     mmap2, 0x1000, 4096, 0x10, 0x100000, 77, 5);
	SHOW("mincore(0xbad, 5, 0xbad)", mincore, BAD, 5, BAD);
	SHOW("mincore(0xffffffff, 4294967295, 0xffffffff)", mincore, -1, -1, -1);
	SHOW("madvise(0xbad, 5, MADV_NORMAL)", madvise, BAD, 5);
	SHOW("madvise(0xffffffff, 4294967295, MADV_NORMAL)", madvise, -1, -1);
	SHOW("fcntl64(-1, F_GETFL)", fcntl64, -1, 3);
	SHOW("fcntl64(-1, F_GETLK64, 0xbad)", fcntl64, -1, 12, BAD);
	SHOW("fcntl64(-1, F_SETLK64, {l_type=F_WRLCK, l_whence=SEEK_CUR, l_start=5, l_len=6})",
	     fcntl64, -1, 13, LONGS(0x10001, 5, 0, 6, 0, 7));
	SHOW("fcntl64(-1, 0x63 /* F_??? */, 0x5)", fcntl64, -1, 99, 5);
	SHOW("remap_file_pages(0xbad, 5, PROT_NONE, 5, MAP_FILE)", remap_file_pages, BAD, 5, 0, 5);
	SHOW("remap_file_pages(0xffffffff, 4294967295, PROT_NONE, 4294967295, MAP_FILE)",
	     remap_file_pages, -1, -1, 0, -1);
	SHOW("mbind(0xbad, 5, MPOL_PREFERRED_MANY, 0xbad, 5, 0)", mbind, BAD, 5, 5, BAD, 5, 0);
	SHOW("mbind(0xffffffff, 4294967295, MPOL_DEFAULT, 0xffffffff, 64, 0x80 /* MPOL_??? */)",
	     mbind, -1, -1, 0, -1, 64, 0x80);
	SHOW("get_mempolicy(0xbad, 0xbad, 5, 0xbad, 0)", get_mempolicy, BAD, BAD, 5, BAD, 0);
	SHOW("get_mempolicy(0xffffffff, 0xffffffff, 64, 0xffffffff, MPOL_F_NODE)",
	     get_mempolicy, -1, -1, 64, -1, 1);
	SHOW("set_mempolicy(MPOL_PREFERRED_MANY, 0xbad, 5)", set_mempolicy, 5, BAD, 5);
	SHOW("set_mempolicy(MPOL_DEFAULT, 0xffffffff, 64)", set_mempolicy, 0, -1, 64);
	SHOW("migrate_pages(2147483647, 5, 0xbad, 0xbad)", migrate_pages, 0x7fffffff, 5, BAD, BAD);
	SHOW("migrate_pages(-1, 64, 0xffffffff, 0xffffffff)", migrate_pages, -1, 64, -1, -1);
	SHOW("move_pages(2147483647, 5, 0xbad, 0xbad, 0xbad, 0)", move_pages, 0x7fffffff, 5, BAD, BAD, BAD);
	SHOW("move_pages(2147483647, 4294967295, 0xffffffff, 0xffffffff, 0xffffffff, 0)",
	     move_pages, 0x7fffffff, -1, -1, -1, -1);
	SHOW("process_vm_readv(2147483647, 0xbad, 5, 0xbad, 5, 5)",
	     process_vm_readv, 0x7fffffff, BAD, 5, BAD, 5, 5);
	SHOW("process_vm_readv(2147483647, 0xffffffff, 4294967295, 0xffffffff, 4294967295, "
	     "4294967295)",
	     process_vm_readv, 0x7fffffff, -1, -1, -1, -1, -1);
	SHOW("process_vm_writev(2147483647, 0xbad, 5, 0xbad, 5, 5)",
	     process_vm_writev, 0x7fffffff, BAD, 5, BAD, 5, 5);
	SHOW("process_vm_writev(2147483647, 0xffffffff, 4294967295, 0xffffffff, 4294967295, "
	     "4294967295)",
	     process_vm_writev, 0x7fffffff, -1, -1, -1, -1, -1);
	SHOW("userfaultfd(0x40000000 /* UFFD_??? */)", userfaultfd, 0x40000000);
	SHOW("membarrier(0x63 /* MEMBARRIER_CMD_??? */, 0)", membarrier, 99, 0, 0);
	SHOW("membarrier(MEMBARRIER_CMD_QUERY, 0x80 /* MEMBARRIER_CMD_FLAG_??? */)",
	     membarrier, 0, 0x80, 5);
	SHOW("mlock2(0xbad, 5, 0)", mlock2, BAD, 5);
	SHOW("mlock2(0xffffffff, 4294967295, 0)", mlock2, -1, -1);
	SHOW("pkey_mprotect(0xbad, 5, PROT_NONE, 5)", pkey_mprotect, BAD, 5, 0, 5);
	SHOW("pkey_mprotect(0xffffffff, 4294967295, PROT_NONE, -1)", pkey_mprotect, -1, -1, 0, -1);
	SHOW("pkey_alloc(0x5, 0)", pkey_alloc, 5);
	SHOW("pkey_alloc(0xffffffff, 0)", pkey_alloc, -1);
	SHOW("pkey_free(5)", pkey_free, 5);
	SHOW("pkey_free(-1)", pkey_free, -1);
	SHOW("process_madvise(-1, 0xbad, 5, MADV_NORMAL, 0x5)", process_madvise, -1, BAD, 5, 0, 5);
	SHOW("process_madvise(77, 0xffffffff, 4294967295, MADV_NORMAL, 0xffffffff)",
	     process_madvise, 77, -1, -1, 0, -1);
	SHOW("set_mempolicy_home_node(0xbad, 5, 5, 0x5)", set_mempolicy_home_node, BAD, 5, 5, 5);
	SHOW("set_mempolicy_home_node(0xffffffff, 4294967295, 4294967295, 0xffffffff)",
	     set_mempolicy_home_node, -1, -1, -1, -1);
	end();
}
