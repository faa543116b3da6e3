/* Requests of ioctl(2), a few of each family; most fail, since what they are for is not there.
 *
 * @steady
 */
#include "../guest.h"
#include <linux/bsg.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/input.h>
#include <linux/kd.h>
#include <linux/loop.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <linux/videodev2.h>
#include <net/if.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

#define IOCTL(fd, request, arg) syscall(SYS_ioctl, fd, (unsigned long)(request), (unsigned long)(arg))

int main(void)
{
	static struct ifreq device = { .ifr_name = "lo" };
	static struct file_clone_range range = { 3, 1, 2, 3 };
	static struct fstrim_range trim = { 16, 32, 64 };
	static struct rtc_time when = { 1, 2, 3, 4, 5, 6, 0, 0, 0 };
	static struct uffdio_range pages = { 0x10000, 0x1000 };
	static struct uffdio_api api = { UFFD_API, 0, 0 };
	static struct fsxattr attributes = { .fsx_xflags = FS_XFLAG_NOATIME, .fsx_projid = 7 };
	static struct loop_config loop = { .fd = -1, .block_size = 512 };
	static unsigned long start_and_length[2] = { 1, 2 };
	static int number = 5;
	static unsigned char inquiry[6] = { 0x12, 0, 0, 0, 4 }, answer[4];
	static sg_io_hdr_t scsi = { .interface_id = 'S', .dxfer_direction = SG_DXFER_TO_DEV,
				    .cmd_len = 6, .cmdp = inquiry, .dxfer_len = 4, .dxferp = answer };
	void *bad = (void *)1;

	begin();
	CALL(IOCTL(-1, TIOCGWINSZ, bad), "ioctl(-1, TIOCGWINSZ, 0x1)");
	CALL(IOCTL(-1, TIOCMSET, &number), "ioctl(-1, TIOCMSET, [TIOCM_LE|TIOCM_RTS])");
	static struct rtc_param parameter = { .param = RTC_PARAM_FEATURES, .uvalue = 0x101 };
	CALL(IOCTL(-1, RTC_PARAM_SET, &parameter),
	     "ioctl(-1, RTC_PARAM_SET, {param=RTC_PARAM_FEATURES, uvalue=1<<RTC_FEATURE_ALARM|0x100, "
	     "index=0})");
	static struct rtc_param correction = { .param = RTC_PARAM_CORRECTION, .svalue = -3 };
	CALL(IOCTL(-1, RTC_PARAM_SET, &correction),
	     "ioctl(-1, RTC_PARAM_SET, {param=RTC_PARAM_CORRECTION, svalue=-3, index=0})");
	CALL(IOCTL(-1, TIOCEXCL, 0), "ioctl(-1, TIOCEXCL)");
	CALL(IOCTL(-1, TCFLSH, 0), "ioctl(-1, TCFLSH, TCIFLUSH)");
	CALL(IOCTL(-1, 0x5432, NULL), "ioctl(-1, TCGETX, 0)");
	CALL(IOCTL(-1, BLKGETSIZE64, &number), "ioctl(-1, BLKGETSIZE64, %p)", (void *)&number);
	CALL(IOCTL(-1, BLKDISCARD, start_and_length), "ioctl(-1, BLKDISCARD, [1, 2])");
	CALL(IOCTL(-1, BLKROSET, bad), "ioctl(-1, BLKROSET, 0x1)");
	CALL(IOCTL(-1, LOOP_SET_FD, -1), "ioctl(-1, LOOP_SET_FD, -1)");
	CALL(IOCTL(-1, LOOP_CONFIGURE, &loop),
	     "ioctl(-1, LOOP_CONFIGURE, {fd=-1, block_size=512, info={lo_offset=0, lo_number=0, "
	     "lo_flags=0, lo_file_name=\"\", ...}})");
	CALL(IOCTL(-1, FICLONERANGE, &range),
	     "ioctl(-1, BTRFS_IOC_CLONE_RANGE or FICLONERANGE, "
	     "{src_fd=3, src_offset=1, src_length=2, dest_offset=3})");
	CALL(IOCTL(-1, FITRIM, &trim), "ioctl(-1, FITRIM, {start=0x10, len=32, minlen=64})");
	CALL(IOCTL(-1, FS_IOC_FSSETXATTR, &attributes),
	     "ioctl(-1, FS_IOC_FSSETXATTR, "
	     "{fsx_xflags=FS_XFLAG_NOATIME, fsx_extsize=0, fsx_projid=0x7, fsx_cowextsize=0})");
	CALL(IOCTL(-1, SIOCGIFINDEX, &device), "ioctl(-1, SIOCGIFINDEX, {ifr_name=\"lo\"})");
	CALL(IOCTL(-1, SIOCSIFMTU, &device), "ioctl(-1, SIOCSIFMTU, {ifr_name=\"lo\", ifr_mtu=0})");
	CALL(IOCTL(-1, SIOCSIFNAME, bad), "ioctl(-1, SIOCSIFNAME, 0x1)");
	CALL(IOCTL(-1, RTC_SET_TIME, &when),
	     "ioctl(-1, RTC_SET_TIME, "
	     "{tm_sec=1, tm_min=2, tm_hour=3, tm_mday=4, tm_mon=5, tm_year=6, ...})");
	CALL(IOCTL(-1, UFFDIO_WAKE, &pages), "ioctl(-1, UFFDIO_WAKE, {start=0x10000, len=0x1000})");
	CALL(IOCTL(-1, UFFDIO_API, &api), "ioctl(-1, UFFDIO_API, {api=0xaa, features=0})");
	CALL(IOCTL(-1, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP),
	     "ioctl(-1, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)");
	CALL(IOCTL(-1, SECCOMP_IOCTL_NOTIF_ID_VALID, start_and_length),
	     "ioctl(-1, SECCOMP_IOCTL_NOTIF_ID_VALID, [0x1])");
	CALL(IOCTL(-1, RNDADDTOENTCNT, &number), "ioctl(-1, RNDADDTOENTCNT, [5])");
	CALL(IOCTL(-1, EVIOCGBIT(EV_KEY, 96), bad), "ioctl(-1, EVIOCGBIT(EV_KEY, 96), 0x1)");
	CALL(IOCTL(-1, 0x8108a401, bad), "ioctl(-1, _IOC(_IOC_READ, 0xa4, 0x1, 0x108), 0x1)");
	CALL(IOCTL(-1, SG_IO, &scsi),
	     "ioctl(-1, SG_IO, {interface_id='S', dxfer_direction=SG_DXFER_TO_DEV, cmd_len=6, "
	     "cmdp=\"\\x12\\x00\\x00\\x00\\x04\\x00\", mx_sb_len=0, iovec_count=0, dxfer_len=4, "
	     "timeout=0, flags=0, dxferp=\"\\x00\\x00\\x00\\x00\", status=0, masked_status=0, "
	     "msg_status=0, sb_len_wr=0, sbp=NULL, host_status=0, driver_status=0, resid=0, "
	     "duration=0, info=0})");
	static struct sg_io_v4 scsi4 = { .guard = 'Q', .request_len = 6, .din_xferp = 1, .din_xfer_len = 4 };
	scsi4.request = (uintptr_t)inquiry;
	CALL(IOCTL(-1, SG_IO, &scsi4),
	     "ioctl(-1, SG_IO, {guard='Q', protocol=BSG_PROTOCOL_SCSI, "
	     "subprotocol=BSG_SUB_PROTOCOL_SCSI_CMD, request_len=6, "
	     "request=\"\\x12\\x00\\x00\\x00\\x04\\x00\", request_tag=0, request_attr=0, "
	     "request_priority=0, request_extra=0, max_response_len=0, dout_iovec_count=0, "
	     "dout_xfer_len=0, din_iovec_count=0, din_xfer_len=4, dout_xferp=NULL, timeout=0, flags=0, "
	     "usr_ptr=0, response_len=0, response=NULL, din_xferp=0x1, driver_status=0, "
	     "transport_status=0, device_status=0, retry_delay=0, info=0, duration=0, response_len=0, "
	     "din_resid=0, dout_resid=0, generated_tag=0})");
	CALL(IOCTL(-1, SG_IO, &number), "ioctl(-1, SG_IO, [5])");
	static struct console_font_op font = { .op = KD_FONT_OP_SET_DEFAULT, .height = 16 };
	font.data = (void *)"name";
	CALL(IOCTL(-1, KDFONTOP, &font),
	     "ioctl(-1, KDFONTOP, {op=KD_FONT_OP_SET_DEFAULT, width=0, height=16, data=\"name\"})");
	static struct v4l2_ext_control brightness = { .id = V4L2_CID_BRIGHTNESS, .value64 = 5 };
	struct v4l2_ext_controls controls = { .count = 1, .error_idx = 1, .controls = &brightness };
	controls.ctrl_class = V4L2_CTRL_CLASS_USER;
	CALL(IOCTL(-1, VIDIOC_S_EXT_CTRLS, &controls),
	     "ioctl(-1, VIDIOC_S_EXT_CTRLS, {ctrl_class=V4L2_CTRL_CLASS_USER, count=1, "
	     "controls=[{id=V4L2_CID_BRIGHTNESS, size=0, value=5, value64=5}]} => "
	     "{controls=[{id=V4L2_CID_BRIGHTNESS, size=0, value=5, value64=5}], error_idx=1})");
	static struct v4l2_queryctrl next = { .id = V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_CLASS_USER };
	CALL(IOCTL(-1, VIDIOC_QUERYCTRL, &next),
	     "ioctl(-1, VIDIOC_QUERYCTRL, {id=V4L2_CTRL_FLAG_NEXT_CTRL|V4L2_CTRL_CLASS_USER+0})");
	static struct btrfs_ioctl_search_args search = { .key = { .max_type = -1 } };
	CALL(IOCTL(-1, BTRFS_IOC_TREE_SEARCH, &search),
	     "ioctl(-1, BTRFS_IOC_TREE_SEARCH, {key={tree_id=0, min_objectid=0, max_objectid=0, "
	     "min_offset=0, max_offset=0, min_transid=0, max_transid=0, min_type=0, "
	     "max_type=UINT32_MAX, nr_items=0}})");
	end();
	return 0;
}
