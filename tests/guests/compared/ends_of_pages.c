/* What ends where a page does, and lists that are as long as is told of them. */
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define C(name, ...) syscall(SYS_##name, __VA_ARGS__)
/* So many elements of lists are told. */
#define TOLD 32

/* The end of a page behind which there is none. */
static char *end;

static void capabilities(void)
{
	static const uint32_t halves[][2] = {
		{ 0, 1 }, { 0x21, 0x200 }, { 0, -1U }, { -1U, 0x1ff }, { -1U, -1U }, { 0, 0x200 },
	};
	static const uint32_t versions[] = { _LINUX_CAPABILITY_VERSION_1, _LINUX_CAPABILITY_VERSION_2, 0, -1U };
	static uint32_t header[2], sets[6] = { 3, 1, 2 };

	C(capset, 0, 0);
	C(capset, 1, sets);
	C(capset, end, sets);
	C(capset, end - 4, sets);
	for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
		header[0] = versions[i];
		header[1] = -5;
		C(capset, header, sets);
		header[0] = versions[i];
		C(capset, header, memcpy(end - 12, sets, 12));
		header[0] = versions[i];
		C(capset, header, end - 8);
	}
	header[0] = _LINUX_CAPABILITY_VERSION_3;
	for (unsigned i = 0; i < sizeof halves / sizeof *halves; i++) {
		sets[0] = halves[i][0];
		sets[3] = halves[i][1];
		C(capset, header, sets);
	}
}

static void events(void)
{
	static struct sigevent event;

	for (unsigned left = 0; left <= sizeof event; left += 4) {
		C(timer_create, 99, memset(end - left, 0, left), &event);
		C(mq_notify, -1, end - left);
	}
	for (int kind = 0; kind < 6; kind++) {
		memset(end - 32, 1, 32);
		((struct sigevent *) (end - 32))->sigev_notify = kind;
		C(timer_create, 99, end - 32, &event);
		C(mq_notify, -1, end - 32);
	}
}

static void lists(void)
{
	struct iovec *vector = (struct iovec *) (end - TOLD * sizeof *vector);

	for (unsigned i = 0; i < TOLD; i++)
		vector[i] = (struct iovec){ "abc", 3 };
	for (int more = -1; more <= 1; more++) {
		C(writev, -1, vector, TOLD + more);
		C(writev, -1, vector + 1, TOLD - 1 + more);
	}
	memset(end - 512, 0, 512);
	for (int more = -1; more <= 1; more++) {
		C(setgroups, TOLD + more, end - 4 * TOLD);
		C(setgroups, TOLD + more, end - 4 * TOLD - 4);
		C(semtimedop, -1, end - 6 * TOLD, TOLD + more, 0);
	}
	C(setgroups, 2, end - 4);
	C(semtimedop, -1, end - 6, 2, 0);
}

/* Attributes of a counter that say of several sizes that they have them, up to 7 words in full. */
static void counters(void)
{
	for (unsigned there = 4; there < 128; there += 4)
		for (unsigned said = 0; said < 128; said += said ? 8 : 56) {
			memset(end - there, 0, there);
			if (there >= 8)
				memcpy(end - there + 4, &said, 4);
			C(perf_event_open, end - there, -5, -1, -1, 0);
		}
}

/* Data of which as much is there as is told of it, one byte less or more, whatever the length says. */
static void data(void)
{
	for (int there = TOLD - 1; there <= TOLD + 1; there++)
		for (int length = there; length < TOLD + 3; length++) {
			struct iovec vector = { memset(end - there, 'x', there), length };

			C(write, -1, end - there, length);
			C(writev, -1, &vector, 1);
			C(mq_timedsend, -1, end - there, length, 0, 0);
			C(add_key, "user", "name", end - there, length, 0);
			memset(end - 8 - there, 1, 8 + there);
			C(msgsnd, -1, end - 8 - there, length, 0);
		}
}

int main(void)
{
	char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	end = pages + 4096;
	munmap(end, 4096);
	capabilities();
	events();
	lists();
	counters();
	data();
	C(modify_ldt, 1, pages, 16);
	C(modify_ldt, 0x11, pages, 3);
	C(modify_ldt, 5, pages, 3);
}
