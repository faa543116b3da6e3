/* Control messages of each type, by their length: too short, as long as they are, too long. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct { size_t length; int level, type; unsigned char data[80]; } control;

static void send_it(size_t length)
{
	struct msghdr message = { .msg_control = &control, .msg_controllen = length };

	syscall(SYS_sendmsg, -1, &message, 0);
}

static void every_length(int level, int type)
{
	static const int lengths[] = { 0, 1, 4, 7, 12, 16, 24, 32, 48, 72 };

	control.level = level;
	control.type = type;
	for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		control.length = 16 + lengths[i];
		send_it(control.length);
	}
	send_it(20);
}

int main(void)
{
	static const int others[] = { 6, 17, 41, 132, 255, 263, 279, 282, 999 };

	for (int i = 0; i < 80; i++)
		control.data[i] = i % 7 ? i + 1 : 0;
	for (int type = 0; type < 27; type++)
		every_length(0, type);
	for (int type = 0; type < 70; type++)
		/* A process descriptor is newer than the installed strace. */
		if (type != 4)
			every_length(1, type);
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		every_length(others[i], 2);
	for (int origin = 0; origin < 8; origin++) {
		memcpy(control.data, (unsigned char[]){ 111, 0, 0, 0, origin, 3, 1, 0 }, 8);
		memcpy(control.data + 16, (unsigned char[]){ 2, 0, 0x1f, 0x90, 127, 0, 0, 1 }, 8);
		every_length(0, 11);
	}
	return 0;
}
