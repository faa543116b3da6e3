/* Waiting for descriptors and events with arguments that nobody gives. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

static void masks(char *end)
{
	struct { void *set; long size; } mask = { &(long){ 0x202 }, 8 };
	static const long sizes[] = { 8, 7, 16, 0 };
	long none[2] = { 0, -1 };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		mask.size = sizes[i];
		CALL(pselect6, 0, NULL, NULL, NULL, none, &mask);
		CALL(io_pgetevents, 0L, 0L, 0L, 0L, 0L, &mask);
	}
	CALL(pselect6, -5, NULL, NULL, NULL, none, end - 8);
	CALL(select, -1, none, NULL, none, NULL);
	CALL(ppoll, NULL, 0L, none, end - 4, 8L);
}

/* Descriptors that are ready: 100 to be read, 101 to be written. */
static void ready(void)
{
	static long now[2], given[2][2];
	int ends[2];

	CALL(pipe2, ends, 0);
	CALL(dup2, ends[0], 100);
	CALL(dup2, ends[1], 101);
	for (int timed = 0; timed < 2; timed++) {
		given[0][1] = 1L << 36;
		given[1][1] = 1L << 37;
		CALL(pselect6, 102, given[0], given[1], NULL, timed ? now : NULL, NULL);
		CALL(write, 101, "", 1L);
		CALL(select, 102, given[0], given[1], (long[2]){ 0 }, timed ? now : NULL);
		CALL(select, 102, NULL, given[1], NULL, timed ? now : NULL);
	}
}

static void signals(void)
{
	static unsigned char info[128];
	long set = 0x1000;
	int ends[2];

	CALL(rt_sigprocmask, 0, &set, NULL, 8L);
	CALL(pipe2, ends, 0);
	CALL(close, ends[0]);
	CALL(write, ends[1], "", 1L);
	CALL(rt_sigtimedwait, &set, info, NULL, 8L);
	CALL(rt_sigtimedwait, &set, info, (long[]){ 0, 1 }, 8L);
}

static void epoll(char *end)
{
	struct epoll_event event = { EPOLLIN | EPOLLET | 1u << 28, { .u64 = 0x1122334455667788 } };

	CALL(epoll_create, -1);
	CALL(epoll_create1, -1);
	CALL(epoll_create1, 0x800);
	CALL(epoll_ctl, -1, 1, 0, &event);
	CALL(epoll_ctl, -1, 9, -1, &event);
	CALL(epoll_ctl, -1, 2, 0, end - 8);
	CALL(epoll_ctl, -1, 3, 0, end - 8);
	event.events = -1;
	CALL(epoll_ctl, -1, 3, 0, &event);
	CALL(epoll_wait, -1, -1L, 5, -1);
	CALL(epoll_pwait, -1, NULL, 5, 0, &(long){ 0x202 }, 8L);
	CALL(epoll_pwait, -1, NULL, 5, 0, &(long){ 0x202 }, 7L);
}

static void events(void)
{
	static const long numbers[] = { 0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x40000000 };
	static const unsigned long events[] = {
		0, 0xfff, 0x40000008, 0x1000, 0x8000, 0x70000, 0x50000000, 0x100000000,
	};

	CALL(signalfd4, -1, &(long){ 0x202 }, 8L, 0x80800);
	CALL(signalfd4, -1, &(long){ 0 }, 7L, -1);
	CALL(eventfd2, -1, 0x80801);
	CALL(eventfd2, 0, -1);
	CALL(inotify_init1, -1);
	CALL(inotify_add_watch, -1, "/nonexistent", 0xfff);
	CALL(inotify_add_watch, -1, -1L, -1);
	CALL(inotify_rm_watch, -1, -1);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		CALL(fanotify_mark, -1, numbers[i], 0xfffL, -100, "/nonexistent");
	for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
		CALL(fanotify_mark, -1, 1, events[i], -1, NULL);
		CALL(fanotify_mark, -1, 1, events[i], 5, -1L);
	}
}

int main(void)
{
	char *page = mmap((void *)0x10000000, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	munmap(page + 4096, 4096);
	masks(page + 4096);
	ready();
	signals();
	epoll(page + 4096);
	events();
	return 0;
}
