/* Requests of ioctl(2) whose numbers or arguments are others in 32-bit programs. */
#include "i386.h"
#include <stddef.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/kd.h>
#include <linux/loop.h>
#include <linux/rtc.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>

#define IOCTL(request, argument) CALL(ioctl, -1, request, P(argument))

static void guest(void)
{
	static const unsigned known[] = {
		BLKGETSIZE64, BLKBSZGET, BLKBSZSET, FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IOC_GETVERSION,
		FITRIM, RTC_IRQP_READ, RTC_IRQP_SET, RTC_EPOCH_READ, RTC_EPOCH_SET, LOOP_SET_STATUS,
		LOOP_SET_STATUS64, SIOCGIFCONF, SIOCGIFNAME, PIO_UNIMAP, KDFONTOP,
		BTRFS_IOC_SNAP_CREATE_V2, BTRFS_IOC_SEND, BTRFS_IOC_INO_PATHS, UFFDIO_REGISTER,
		UFFDIO_COPY, FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR,
		/* VIDIOC_G_FMT, VIDIOC_S_FMT, PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID */
		0xc0cc5604, 0xc0cc5605, 0x40042406, 0x80042407,
	};

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		IOCTL(known[i], BAD);
		for (unsigned byte = 0; byte < 4096; byte++)
			buffer[byte] = byte % 4 ? 0 : byte / 4 % 5;
		IOCTL(known[i], buffer);
	}
}
