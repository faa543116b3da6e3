/* Every call number gets pointers that are not mapped, half mapped, or huge. Each number has its
 * own child, with limits and an alarm, so that nothing can happen to anyone else.
 */
#include "../hard.h"
#include <sys/resource.h>

#define LAST_CALL 470
#define PATTERNS 5

/* Calls that could reach beyond the child, or never return. */
static const int dangerous[] = {
	SYS_exit, SYS_exit_group, SYS_fork, SYS_vfork, SYS_clone, SYS_clone3, SYS_kill, SYS_tkill,
	SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal, SYS_reboot,
	SYS_pause, SYS_rt_sigsuspend, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_ptrace, SYS_kexec_load,
	SYS_kexec_file_load, SYS_syslog, SYS_sethostname, SYS_setdomainname, SYS_settimeofday,
	SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_swapon, SYS_swapoff, SYS_mount,
	SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_acct, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_iopl, SYS_ioperm, SYS_vhangup, SYS_sync, SYS_setsid, SYS_setpgid,
	SYS_prctl, SYS_arch_prctl, SYS_seccomp, SYS_alarm, SYS_setitimer, SYS_setrlimit, SYS_prlimit64,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_close, SYS_close_range, SYS_dup2, SYS_munmap,
	SYS_mprotect, SYS_mremap, SYS_brk, SYS_process_madvise, SYS_madvise, SYS_mlockall,
	SYS_futex, SYS_quotactl, 443 /* quotactl_fd */, SYS_unshare, SYS_setns, SYS_keyctl, SYS_shmdt,
	SYS_shmctl, SYS_semctl, SYS_msgctl, SYS_remap_file_pages, SYS_pkey_mprotect, SYS_setpriority,
	SYS_ioprio_set, SYS_sched_setattr, SYS_sched_setparam, SYS_sched_setscheduler,
	SYS_sched_setaffinity, SYS_migrate_pages, SYS_fsopen, SYS_set_mempolicy, SYS_mbind,
	SYS_userfaultfd, SYS_bpf, SYS_perf_event_open, SYS_setuid, SYS_setgid, SYS_setreuid,
	SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid,
	SYS_capset, SYS_personality, SYS_mmap, SYS_ioctl, SYS_fcntl, SYS_msgget, SYS_semget,
	SYS_shmget, SYS_shmat, SYS_add_key, SYS_request_key, SYS_process_vm_writev, SYS_umask,
	SYS_landlock_restrict_self, SYS_sysfs, SYS_uselib, SYS_modify_ldt, SYS_nanosleep,
	SYS_clock_nanosleep, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_chdir, SYS_fchdir,
	447 /* memfd_secret */, 448 /* process_mrelease */, SYS_move_pages, SYS_restart_syscall, SYS_msync,
	452 /* fchmodat2 */, 453 /* map_shadow_stack */, 454, 455, 456 /* futex_… */,
	462 /* mseal */,
};

static int is_dangerous(int number)
{
	for (size_t i = 0; i < sizeof dangerous / sizeof *dangerous; i++) {
		if (dangerous[i] == number)
			return 1;
	}
	return 0;
}

int main(void)
{
	long edge = (long)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	int tried = 0, ended = 0;

	MUST(edge != (long)MAP_FAILED + 4096 && !munmap((void *)edge, 4096));
	memset((void *)(edge - 4096), 'x', 4096);
	fflush(stdout);
	for (int number = 0; number <= LAST_CALL; number++) {
		/* Not mapped, a string or array that runs over the edge, a few bytes before it, not
		 * canonical, the kernel's half. */
		const long pointers[PATTERNS] = { 0x10, edge - 4096, edge - 7, 0x8000000000001000,
						  -4096L };
		pid_t child;

		if (is_dangerous(number))
			continue;
		tried++;
		child = fork();
		MUST(child >= 0);
		if (child == 0) {
			struct rlimit files = { 64, 64 }, none = { 0, 0 };

			alarm(60);
			setrlimit(RLIMIT_NOFILE, &files);
			setrlimit(RLIMIT_CORE, &none);
			setrlimit(RLIMIT_FSIZE, &none);
			for (int i = 0; i < 3; i++)
				close(i);
			for (int i = 0; i < PATTERNS; i++)
				syscall(number, pointers[i], pointers[i], pointers[i], pointers[i], pointers[i],
					pointers[i]);
			/* File descriptor or count first, then pointers. */
			for (int i = 0; i < PATTERNS; i++)
				syscall(number, -1L, pointers[i], 3L, pointers[i], 0L, pointers[i]);
			_exit(0);
		}
		int status = await(child);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			ended++;
		else
			printf("call %d: status %#x\n", number, status);
	}
	printf("%d calls, %d children ended well\n", tried, ended);
	return 0;
}
