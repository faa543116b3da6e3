/* Results that are sets of bits: with names, without, and beyond those that a kernel of this machine has. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	static const int options[] = {
		PR_GET_FP_MODE, PR_SVE_SET_VL, PR_SVE_GET_VL, PR_SME_SET_VL, PR_SME_GET_VL,
		PR_GET_SPECULATION_CTRL, PR_SET_SPECULATION_CTRL, PR_PAC_GET_ENABLED_KEYS,
		PR_GET_SECUREBITS, PR_GET_DUMPABLE, PR_MCE_KILL_GET,
	};
	static const int commands[] = { F_GETFD, F_GETFL, F_GETSIG, F_GETLEASE, F_GETPIPE_SZ };

	for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
		syscall(SYS_prctl, options[i], 0L, 2L, 0L, 0L);
	for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
		syscall(SYS_fcntl, 1, commands[i], 0L);
	/* Those of programs of 32 bits only. */
	for (int command = 12; command < 15; command++)
		syscall(SYS_fcntl, 1, command, &options);
	return 0;
}
