/* Requests of tracers about a process that there is not. */
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char buffer[4096];

int main(void)
{
	for (unsigned i = 0; i < sizeof buffer; i++)
		buffer[i] = i;
	for (long place = 1; place < 1000; place++)
		syscall(SYS_ptrace, 3L, -1L, place, buffer);
	for (long set = 0; set < 0x1000; set += set < 0x10 ? 1 : 0x3f)
		syscall(SYS_ptrace, 0x4204L, -1L, set, 0L);
	syscall(SYS_ptrace, 15L, -1L, 0L, buffer);
	for (long size = 0; size < 24; size += 4) {
		syscall(SYS_ptrace, 0x420aL, -1L, size, buffer);
		syscall(SYS_ptrace, 0x420bL, -1L, size, buffer);
		syscall(SYS_ptrace, 0x420eL, -1L, size, buffer);
	}
	syscall(SYS_ptrace, 0x420dL, -1L, 16L, buffer);
	buffer[8] = 1;
	buffer[9] = buffer[10] = buffer[11] = 0;
	syscall(SYS_ptrace, 0x4209L, -1L, buffer, buffer + 100);
	return 0;
}
