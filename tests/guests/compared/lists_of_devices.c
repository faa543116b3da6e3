/* Lists of network devices, events of processors of several kinds, rings that share their workers. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void devices(void)
{
	static const int sizes[] = { 400, 40, 80, 0, 30, -1 };
	struct ifreq there[10];
	struct ifconf list;
	int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		list = (struct ifconf){ sizes[i], { (void *)there } };
		ioctl(socket_fd, SIOCGIFCONF, &list);
		ioctl(-1, SIOCGIFCONF, &list);
	}
	list = (struct ifconf){ 400, { NULL } };
	ioctl(socket_fd, SIOCGIFCONF, &list);
	list = (struct ifconf){ 100, { (void *)-1L } };
	ioctl(socket_fd, SIOCGIFCONF, &list);
	ioctl(socket_fd, SIOCGIFCONF, NULL);
	ioctl(-1, SIOCADDRT, NULL);
	ioctl(-1, 0x8946, NULL);
}

static void events(void)
{
	static const struct { unsigned type; unsigned long config; } asked[] = {
		{ 0, 0x400000003 }, { 0, 0x400000021 }, { 0, 0x21 }, { 1, 0x400000003 },
	};
	struct perf_event_attr event = { .size = 128 };

	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
		event.type = asked[i].type;
		event.config = asked[i].config;
		syscall(SYS_perf_event_open, &event, 0, -5, -1, -1L);
		ioctl(-1, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &event);
	}
	event.__reserved_1 = -1;
	syscall(SYS_perf_event_open, &event, 0, -5, -1, -1L);
	ioctl(-1, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &event);
}

int main(void)
{
	unsigned ring[30] = { 0, 0, 32, 0, 0, 0, 7 };

	devices();
	events();
	syscall(SYS_io_uring_setup, -1, ring);
	ring[2] = 0;
	syscall(SYS_io_uring_setup, -1, ring);
	return 0;
}
