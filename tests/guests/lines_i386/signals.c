/* Signals, of the old kind and the new. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("kill(2147483647, SIGKILL)", kill, 0x7fffffff, 9);
	SHOW("kill(2147483647, 99)", kill, 0x7fffffff, 99);
	SHOW("signal(99, 0xbad)", signal, 99, BAD);
	SHOW_NOTE(" (SIG_DFL)", "signal(SIGUSR1, SIG_IGN)", signal, 10, 1);
	SHOW("sigaction(99, 0xbad, 0xbad)", sigaction, 99, BAD, BAD);
	SHOW("sigaction(SIGUSR1, 0xbad, NULL)", sigaction, 10, BAD, 0);
	SHOW("sigaction(SIGUSR1, {sa_handler=SIG_IGN, sa_mask=[USR1], sa_flags=SA_RESTART}, NULL)",
	     sigaction, 10, LONGS(1, 0x200, 0x10000000, 0), 0);
	SHOW_NOTE(" (mask [])", "sgetmask()", sgetmask);
	SHOW_NOTE(" (old mask [])", "ssetmask([USR1])", ssetmask, 0x200);
	SHOW("sigpending(0xbad)", sigpending, BAD);
	SHOW("sigpending(0xffffffff)", sigpending, -1);
	SHOW("sigprocmask(SIG_BLOCK, [USR1], NULL)", sigprocmask, 0, LONGS(0x200), 0);
	SHOW("sigprocmask(0x63 /* SIG_??? */, 0xbad, 0xbad)", sigprocmask, 99, BAD, BAD);
	SHOW("sigprocmask(SIG_UNBLOCK, [USR1], NULL)", sigprocmask, 1, LONGS(0x200), 0);
	SHOW("rt_sigaction(99, 0xbad, 0xbad, 8)", rt_sigaction, 99, BAD, BAD, 8);
	SHOW("rt_sigaction(SIGUSR1, 0xbad, NULL, 8)", rt_sigaction, 10, BAD, 0, 8);
	SHOW("rt_sigaction(SIGUSR1, {sa_handler=SIG_IGN, sa_mask=[USR1], sa_flags=SA_RESTART}, "
	     "NULL, 8)",
	     rt_sigaction, 10, LONGS(1, 0x10000000, 0, 0x200, 0), 0, 8);
	SHOW("rt_sigprocmask(0x63 /* SIG_??? */, 0xbad, 0xbad, 8)", rt_sigprocmask, 99, BAD, BAD, 8);
	SHOW("rt_sigprocmask(SIG_BLOCK, 0xbad, NULL, 8)", rt_sigprocmask, 0, BAD, 0, 8);
	SHOW("rt_sigprocmask(SIG_BLOCK, NULL, 0xbad, 7)", rt_sigprocmask, 0, 0, BAD, 7);
	SHOW("rt_sigpending(NULL, 5)", rt_sigpending, 0, 5);
	SHOW("rt_sigpending(NULL, 4294967295)", rt_sigpending, 0, -1);
	SHOW("rt_sigtimedwait([USR1], NULL, {tv_sec=0, tv_nsec=1}, 8)",
	     rt_sigtimedwait, LONGS(0x200, 0), 0, LONGS(0, 1), 8);
	SHOW("rt_sigtimedwait(0xbad, 0xbad, 0xbad, 8)", rt_sigtimedwait, BAD, BAD, BAD, 8);
	SHOW("rt_sigqueueinfo(2147483647, SIGUSR1, 0xbad)", rt_sigqueueinfo, 0x7fffffff, 10, BAD);
	SHOW("rt_sigsuspend(0xbad, 8)", rt_sigsuspend, BAD, 8);
	SHOW("rt_sigsuspend(NULL, 7)", rt_sigsuspend, 0, 7);
	SHOW("sigaltstack(0xbad, 0xbad)", sigaltstack, BAD, BAD);
	SHOW("sigaltstack(0xffffffff, 0xffffffff)", sigaltstack, -1, -1);
	SHOW("tkill(-1, SIGKILL)", tkill, -1, 9);
	SHOW("tgkill(-1, -1, 99)", tgkill, -1, -1, 99);
	SHOW("signalfd(-1, NULL, 5)", signalfd, -1, 0, 5);
	SHOW("signalfd(77, NULL, 4294967295)", signalfd, 77, 0, -1);
	SHOW("signalfd4(-1, NULL, 5, 0)", signalfd4, -1, 0, 5);
	SHOW("signalfd4(77, NULL, 4294967295, 0)", signalfd4, 77, 0, -1);
	SHOW("rt_tgsigqueueinfo(-1, -1, SIGUSR1, 0xbad)", rt_tgsigqueueinfo, -1, -1, 10, BAD);
	SHOW("pidfd_send_signal(-1, 99, 0xbad, 0)", pidfd_send_signal, -1, 99, BAD);
	SHOW("pidfd_send_signal(77, 0, 0xffffffff, 0)", pidfd_send_signal, 77, 0, -1);
	end();
}
