/* Requests to disks and consoles as they are answered: data of a length that other fields say. */
#include <linux/bsg.h>
#include <linux/hdreg.h>
#include <linux/kd.h>
#include <linux/nsfs.h>
#include <scsi/sg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ASK(request, argument) syscall(SYS_ioctl, -1, request, argument)

/* The end of a page behind which there is none. */
static char *end;

static unsigned char command[6] = { 0x12, 0, 0, 0, 36 }, sense[32] = { 0x70, 1 };
static char data[32] = "data from it", given[32] = "data for it";
static struct iovec parts[3] = { { "abc", 3 }, { "defgh", 5 } };

static void scsi(void)
{
	static const int left[] = { 0, 5, 20, 21, -1 };
	sg_io_hdr_t asked = { .interface_id = 'S', .cmd_len = 6, .mx_sb_len = 32, .cmdp = command, .sbp = sense,
			      .sb_len_wr = 2, .timeout = 1000 };

	for (asked.dxfer_direction = -4; asked.dxfer_direction < 0; asked.dxfer_direction++) {
		asked.dxferp = data;
		asked.dxfer_len = 20;
		for (unsigned i = 0; i < sizeof left / sizeof *left; i++) {
			asked.resid = left[i];
			ASK(SG_IO, &asked);
		}
		asked.resid = asked.dxfer_len = 0;
		ASK(SG_IO, &asked);
		asked.dxferp = parts;
		asked.iovec_count = 2;
		for (asked.dxfer_len = 0; asked.dxfer_len < 9; asked.dxfer_len += 4)
			ASK(SG_IO, &asked);
		asked.iovec_count = 0;
		for (uintptr_t bad = 0; bad < 2; bad++) {
			asked.dxferp = (void *)bad;
			ASK(SG_IO, &asked);
		}
	}
	asked.cmd_len = asked.sb_len_wr = 0;
	ASK(SG_IO, &asked);
	asked.cmdp = asked.sbp = 0;
	ASK(SG_IO, &asked);
}

static void scsi4(void)
{
	struct sg_io_v4 asked = { .guard = 'Q', .subprotocol = 1, .request_len = 6, .request = (uintptr_t)command,
				  .request_tag = 1, .request_attr = 2, .request_priority = 3, .request_extra = 4,
				  .max_response_len = 32, .response = (uintptr_t)sense, .response_len = 2,
				  .dout_xferp = (uintptr_t)given, .dout_xfer_len = 8, .din_xferp = (uintptr_t)data,
				  .din_xfer_len = 7, .din_resid = 1, .dout_resid = 2, .flags = 0x31, .usr_ptr = 7,
				  .driver_status = 8, .info = 3, .generated_tag = 9 };

	ASK(SG_IO, &asked);
	asked.protocol = 1;
	asked.subprotocol = 3;
	asked.dout_xferp = asked.din_xferp = (uintptr_t)parts;
	asked.dout_iovec_count = 2;
	asked.din_iovec_count = 3;
	ASK(SG_IO, &asked);
	asked.dout_xferp = asked.din_xferp = asked.request = asked.response = 1;
	ASK(SG_IO, &asked);
	asked.dout_xfer_len = asked.din_xfer_len = asked.request_len = asked.response_len = 0;
	asked.dout_iovec_count = asked.din_iovec_count = 0;
	ASK(SG_IO, &asked);
	ASK(SG_IO, memcpy(end - 100, &asked, 100));
	for (const char *id = "QSx"; *id; id++)
		ASK(SG_IO, memcpy(end - 4, (int[]){ *id }, 4));
}

static void disks(void)
{
	unsigned char asked[4 + 2 * 512] = { 0xec, 1, 2, 0, 'd', 'a', 't', 'a' };

	for (asked[3] = 0; asked[3] < 3; asked[3]++)
		ASK(HDIO_DRIVE_CMD, asked);
	ASK(HDIO_DRIVE_CMD, memcpy(end - 4, asked, 4));
	ASK(HDIO_DRIVE_CMD, end - 3);
	ASK(HDIO_DRIVE_RESET, ((int[]){ 1, 0x80, -1 }));
}

static void fonts(void)
{
	static char font[4096] = "data of a font, or its name, which is longer";
	struct console_font_op asked = { .height = 16, .charcount = 2, .data = (void *)font };
	struct consolefontdesc described = { .charheight = 16, .chardata = font };

	for (asked.op = 0; asked.op < 4; asked.op++) {
		for (asked.width = 0; asked.width < 10; asked.width += 3)
			ASK(KDFONTOP, &asked);
		asked.data = (void *)1;
		ASK(KDFONTOP, &asked);
		asked.data = (void *)font;
	}
	for (described.charcount = 0; described.charcount < 3; described.charcount++) {
		ASK(GIO_FONTX, &described);
		ASK(PIO_FONTX, &described);
	}
	described.chardata = 0;
	ASK(GIO_FONTX, &described);
	ASK(PIO_FONTX, &described);
	ASK(KDSETMODE, -1L);
	ASK(KDSKBMETA, -1L);
	ASK(PIO_UNISCRNMAP, memset(font, 0xf1, 1024));
}

int main(void)
{
	end = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	munmap(end, 4096);
	scsi();
	scsi4();
	disks();
	fonts();
	ASK(NS_GET_NSTYPE, 0);
}
