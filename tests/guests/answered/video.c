/* Requests to video devices as they are answered: controls, and windows with clips. */
#include <linux/videodev2.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK(request, argument) syscall(SYS_ioctl, -1, request, argument)

/* The end of a page behind which there is none. */
static char *end;

static void controls(void)
{
	static const unsigned long requests[] = { VIDIOC_S_EXT_CTRLS, VIDIOC_TRY_EXT_CTRLS, VIDIOC_G_EXT_CTRLS };
	static struct v4l2_ext_control values[3] = {
		{ .id = V4L2_CID_BRIGHTNESS, .value = 5 },
		{ .id = V4L2_CID_CONTRAST, .size = 3, .string = "abc" },
		{ .id = V4L2_CTRL_CLASS_USER | 0xfff, .value64 = 7 } };
	struct v4l2_ext_controls asked = { .ctrl_class = V4L2_CTRL_CLASS_USER, .error_idx = 1 };

	for (unsigned i = 0; i < 3; i++) {
		asked.controls = values;
		for (asked.count = 0; asked.count < 4; asked.count++)
			ASK(requests[i], &asked);
		for (uintptr_t bad = 0; bad < 2; bad++) {
			asked.controls = (void *)bad;
			ASK(requests[i], &asked);
		}
		asked.controls = memcpy(end - 30, values, 30);
		ASK(requests[i], &asked);
	}
}

static void known_controls(void)
{
	static const unsigned ids[] = { 0, V4L2_CID_BRIGHTNESS, 0xffff, V4L2_CTRL_CLASS_USER,
					V4L2_CTRL_CLASS_USER | 0x8ff, 0x10980900 };

	for (unsigned next = 0; next < 4; next++) {
		for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
			struct v4l2_queryctrl asked = { .id = ids[i] | next << 30, .type = 1, .name = "name" };
			struct v4l2_query_ext_ctrl more = { .id = asked.id, .nr_of_dims = next };
			struct v4l2_control value = { .id = asked.id, .value = 3 };

			ASK(VIDIOC_QUERYCTRL, &asked);
			ASK(VIDIOC_QUERY_EXT_CTRL, &more);
			ASK(VIDIOC_G_CTRL, &value);
			ASK(VIDIOC_S_CTRL, &value);
		}
	}
}

static void windows(void)
{
	static struct v4l2_clip clips[2] = { { { 1, 2, 3, 4 }, 0 }, { { 5, 6, 7, 8 }, 0 } };
	struct v4l2_format asked = { .type = V4L2_BUF_TYPE_VIDEO_OVERLAY };
	struct v4l2_window *window = &asked.fmt.win;

	*window = (struct v4l2_window){ .w = { 1, 2, 3, 4 }, .field = 1, .chromakey = 7, .bitmap = (void *)9 };
	for (window->clipcount = 0; window->clipcount < 3; window->clipcount++) {
		window->clips = clips;
		window->global_alpha = window->clipcount;
		ASK(VIDIOC_G_FMT, &asked);
		ASK(VIDIOC_S_FMT, &asked);
		ASK(VIDIOC_TRY_FMT, &asked);
		window->clips = (void *)1;
		ASK(VIDIOC_G_FMT, &asked);
		ASK(VIDIOC_S_FMT, &asked);
		asked.type ^= V4L2_BUF_TYPE_VIDEO_OVERLAY ^ V4L2_BUF_TYPE_VIDEO_OUTPUT_OVERLAY;
	}
}

int main(void)
{
	end = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	munmap(end, 4096);
	controls();
	known_controls();
	windows();
}
