/* Commands of System V IPC, with and without the bit that 32-bit programs give. */
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static const int commands[] = { 1, 2, 5, 99, 0x101, 0x102, 0x301 };
	static char state[256];

	for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
		memset(state, 0x5a, sizeof state);
		syscall(SYS_msgctl, -1, commands[i], state);
		syscall(SYS_semctl, -1, 0, commands[i], state);
		syscall(SYS_shmctl, -1, commands[i], state);
	}
	memset(state, 0, sizeof state);
	for (int mode = 07; mode > 0; mode = mode * 8 + 5) {
		((struct ipc_perm *)state)->mode = mode;
		memcpy(state + 20, &mode, sizeof mode);
		syscall(SYS_msgctl, -1, IPC_SET, state);
		syscall(SYS_semctl, -1, 0, IPC_SET, state);
		syscall(SYS_shmctl, -1, IPC_SET, state);
	}
	return 0;
}
