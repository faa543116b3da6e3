/* Calls on the address space. */
#include "../guest.h"

int main(void)
{
	char *high = (char *)0x200000000000, *area, *file_area, *heap;
	unsigned char resident[2] = { 0 };
	int file = open("f", O_RDWR | O_CREAT, 0600);

	if (ftruncate(file, 8192))
		abort();
	begin();
	CALL_HEX((long)(area = (char *)syscall(SYS_mmap, high, 16384L, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1L, 0L)),
		 "mmap(0x200000000000, 16384, PROT_READ|PROT_WRITE, "
		 "MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED_NOREPLACE, -1, 0)");
	CALL(syscall(SYS_mmap, high, 4096L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1L, 0L),
	     "mmap(0x200000000000, 4096, PROT_READ, "
	     "MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED_NOREPLACE, -1, 0)");
	CALL_HEX((long)(file_area = (char *)syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_SHARED, file, 4096L)),
		 "mmap(NULL, 4096, PROT_READ, MAP_SHARED, %d, 0x1000)", file);
	CALL(syscall(SYS_mmap, NULL, 0L, PROT_NONE, MAP_PRIVATE, file, 0L),
	     "mmap(NULL, 0, PROT_NONE, MAP_PRIVATE, %d, 0)", file);
	CALL(syscall(SYS_mmap, NULL, 4096L, PROT_EXEC | PROT_READ, MAP_PRIVATE, 99, 0L),
	     "mmap(NULL, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE, 99, 0)");
	CALL(syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE | MAP_FIXED, -1L, 1L),
	     "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS|MAP_NORESERVE|MAP_STACK, -1, 0x1)");
	CALL(syscall(SYS_mprotect, area, 4096L, PROT_NONE), "mprotect(%p, 4096, PROT_NONE)", (void *)area);
	CALL(syscall(SYS_mprotect, (void *)1, 4096L, PROT_READ), "mprotect(0x1, 4096, PROT_READ)");
	CALL(syscall(SYS_mprotect, area, 4096L, PROT_READ | PROT_WRITE), "mprotect(%p, 4096, PROT_READ|PROT_WRITE)",
	     (void *)area);
	CALL(syscall(SYS_madvise, area, 4096L, MADV_DONTNEED), "madvise(%p, 4096, MADV_DONTNEED)", (void *)area);
	CALL(syscall(SYS_madvise, area, 4096L, 77), "madvise(%p, 4096, 0x4d /* MADV_??? */)", (void *)area);
	area[0] = 1;
	CALL(syscall(SYS_mincore, area, 8192L, resident), "mincore(%p, 8192, [1, 0])", (void *)area);
	CALL(syscall(SYS_mincore, area, 8192L, NULL), "mincore(%p, 8192, NULL)", (void *)area);
	CALL(syscall(SYS_msync, file_area, 4096L, MS_SYNC), "msync(%p, 4096, MS_SYNC)", (void *)file_area);
	CALL(syscall(SYS_msync, area + 65536, 4096L, MS_ASYNC | MS_INVALIDATE),
	     "msync(%p, 4096, MS_ASYNC|MS_INVALIDATE)", (void *)(area + 65536));
	CALL_HEX(syscall(SYS_mremap, area, 4096L, 4096L, MREMAP_MAYMOVE | MREMAP_FIXED, area + 65536),
		 "mremap(%p, 4096, 4096, MREMAP_MAYMOVE|MREMAP_FIXED, %p)", (void *)area, (void *)(area + 65536));
	CALL(syscall(SYS_mremap, area, 4096L, 8192L, 0), "mremap(%p, 4096, 8192, 0)", (void *)area);
	CALL(syscall(SYS_mlock, area + 4096, 4096L), "mlock(%p, 4096)", (void *)(area + 4096));
	CALL(syscall(SYS_munlock, area + 4096, 4096L), "munlock(%p, 4096)", (void *)(area + 4096));
	CALL(syscall(SYS_mlock2, area + 4096, 4096L, 2), "mlock2(%p, 4096, 0x2 /* MLOCK_??? */)",
	     (void *)(area + 4096));
	CALL(syscall(SYS_mlockall, 0), "mlockall(0)");
	CALL(syscall(SYS_munlockall), "munlockall()");
	CALL(syscall(SYS_munmap, area, 16384L), "munmap(%p, 16384)", (void *)area);
	CALL(syscall(SYS_munmap, (void *)1, 4096L), "munmap(0x1, 4096)");
	CALL_HEX((long)(heap = (char *)syscall(SYS_brk, NULL)), "brk(NULL)");
	CALL_HEX(syscall(SYS_brk, heap + 4096), "brk(%p)", (void *)(heap + 4096));
	CALL(syscall(SYS_memfd_create, "area", MFD_CLOEXEC), "memfd_create(\"area\", MFD_CLOEXEC)");
	CALL(syscall(SYS_memfd_create, NULL, MFD_CLOEXEC | MFD_ALLOW_SEALING),
	     "memfd_create(NULL, MFD_CLOEXEC|MFD_ALLOW_SEALING)");
	CALL(syscall(SYS_membarrier, 0, 1, 0), "membarrier(MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_FLAG_CPU, 0)");
	CALL(syscall(SYS_remap_file_pages, area, 4096L, 0, 0L, 0), "remap_file_pages(%p, 4096, PROT_NONE, 0, MAP_FILE)",
	     (void *)area);
	end();
	return 0;
}
