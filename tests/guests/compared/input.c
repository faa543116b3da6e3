/* Requests to input devices, keyboards of the console and disks. */
#include <linux/input.h>
#include <linux/kd.h>
#include <stdint.h>
#include <sys/ioctl.h>

static unsigned char buffer[4096];

static void of_any_size(void *at)
{
	ioctl(-1, EVIOCGNAME(8), at);
	ioctl(-1, EVIOCGPHYS(100), at);
	ioctl(-1, EVIOCGUNIQ(0), at);
	ioctl(-1, EVIOCGPROP(3), at);
	ioctl(-1, EVIOCGKEY(96), at);
	ioctl(-1, EVIOCGLED(8), at);
	ioctl(-1, EVIOCGSND(8), at);
	ioctl(-1, EVIOCGSW(16), at);
	for (int event = 0; event < 0x20; event++)
		ioctl(-1, EVIOCGBIT(event, 8), at);
	ioctl(-1, EVIOCGABS(ABS_X), at);
	ioctl(-1, EVIOCGABS(ABS_MT_SLOT), at);
	ioctl(-1, EVIOCGABS(0x3f), at);
	ioctl(-1, EVIOCSABS(ABS_Y), at);
	ioctl(-1, EVIOCGKEYCODE, at);
	ioctl(-1, EVIOCSKEYCODE, at);
	ioctl(-1, EVIOCGKEYCODE_V2, at);
	ioctl(-1, EVIOCSKEYCODE_V2, at);
}

int main(void)
{
	for (int byte = 0; byte < 250; byte += 83) {
		for (unsigned i = 0; i < sizeof buffer; i++)
			buffer[i] = byte;
		of_any_size(buffer);
	}
	of_any_size(0);
	of_any_size((void *) 1);
	for (int kind = 0; kind < 15; kind++)
		for (int value = 0; value < 256; value += 5) {
			struct kbentry entry = { kind, 5, kind << 8 | value };

			ioctl(-1, KDSKBENT, &entry);
		}
	for (int table = 0; table < 256; table += 3) {
		struct kbentry entry = { table, table, 0xb61 };

		ioctl(-1, KDGKBENT, &entry);
	}
	for (int mode = 0; mode < 6; mode++) {
		ioctl(-1, KDSKBMODE, mode);
		ioctl(-1, KIOCSOUND, mode * 100);
		ioctl(-1, KDMKTONE, mode * 100 | 5 << 16);
	}
	for (int command = 0; command < 256; command++) {
		buffer[0] = command;
		ioctl(-1, 0x31f, buffer);
	}
	return 0;
}
