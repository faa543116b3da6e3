/* quotactl(2) and quotactl_fd(2), by command; there are no quotas here.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/dqblk_xfs.h>
#include <linux/quota.h>

/* musl does not know it. */
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

#define QUOTACTL(command, type, ...) \
	syscall(SYS_quotactl, (long)(int)QCMD(command, type), "/nonexistent", ##__VA_ARGS__)

int main(void)
{
	static struct if_dqblk quota = { .dqb_bhardlimit = 10, .dqb_valid = QIF_BLIMITS };
	static struct if_dqinfo info = { .dqi_bgrace = 1, .dqi_valid = IIF_BGRACE };
	static unsigned account = FS_QUOTA_UDQ_ACCT;
	void *bad = (void *)1;

	begin();
	CALL(QUOTACTL(Q_SYNC, USRQUOTA, 0, NULL), "quotactl(QCMD(Q_SYNC, USRQUOTA), \"/nonexistent\")");
	CALL(QUOTACTL(Q_QUOTAON, GRPQUOTA, QFMT_VFS_V1, "file"),
	     "quotactl(QCMD(Q_QUOTAON, GRPQUOTA), \"/nonexistent\", QFMT_VFS_V1, \"file\")");
	CALL(QUOTACTL(Q_GETQUOTA, USRQUOTA, 1000, &quota),
	     "quotactl(QCMD(Q_GETQUOTA, USRQUOTA), \"/nonexistent\", 1000, %p)", (void *)&quota);
	CALL(QUOTACTL(Q_SETQUOTA, PRJQUOTA, 1000, &quota),
	     "quotactl(QCMD(Q_SETQUOTA, PRJQUOTA), \"/nonexistent\", 1000, {dqb_bhardlimit=10, "
	     "dqb_bsoftlimit=0, dqb_curspace=0, dqb_ihardlimit=0, dqb_isoftlimit=0, "
	     "dqb_curinodes=0, ...})");
	CALL(QUOTACTL(Q_SETINFO, USRQUOTA, 0, &info),
	     "quotactl(QCMD(Q_SETINFO, USRQUOTA), \"/nonexistent\", "
	     "{dqi_bgrace=1, dqi_igrace=0, dqi_flags=0, dqi_valid=IIF_BGRACE})");
	CALL(QUOTACTL(Q_SETQUOTA, USRQUOTA, 0, bad),
	     "quotactl(QCMD(Q_SETQUOTA, USRQUOTA), \"/nonexistent\", 0, 0x1)");
	CALL(QUOTACTL(Q_XQUOTAON, USRQUOTA, 0, &account),
	     "quotactl(QCMD(Q_XQUOTAON, USRQUOTA), \"/nonexistent\", [FS_QUOTA_UDQ_ACCT])");
	CALL(QUOTACTL(0x1234, 7, 1, NULL),
	     "quotactl(QCMD(0x1234 /* Q_??? */, 0x7 /* ???QUOTA */), \"/nonexistent\", 1, NULL)");
	CALL(syscall(SYS_quotactl_fd, -1, QCMD(Q_XGETQSTAT, USRQUOTA), 0, NULL),
	     "quotactl_fd(-1, QCMD(Q_XGETQSTAT, USRQUOTA), NULL)");
	end();
	return 0;
}
