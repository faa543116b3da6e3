/* Requests to the device mapper, as they are asked: good ones, and ones that say more than there is. */
#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All requests but the newest. */
#define FIRST 0
#define LAST 16

static struct dm_ioctl *request;
static char *payload, *end;

static void prepare(char *at, unsigned size)
{
	request = (struct dm_ioctl *) at;
	memset(request, 0, sizeof *request);
	*request = (struct dm_ioctl){ .version = { 4, 47, 1 }, .data_size = sizeof *request + size,
				      .data_start = sizeof *request, .target_count = 2, .open_count = 3,
				      .flags = 1 | 4 | 0x100000, .event_nr = 7, .dev = 0xfe03 };
	strcpy(request->name, "name");
	strcpy(request->uuid, "uuid");
	payload = at + sizeof *request;
}

static void ask(void)
{
	for (int number = FIRST; number <= LAST; number++)
		syscall(SYS_ioctl, -1, _IOWR(DM_IOCTL, number, struct dm_ioctl), request);
}

static void load(void)
{
	syscall(SYS_ioctl, -1, DM_TABLE_LOAD, request);
}

static void put_target(unsigned at, const char *kind, const char *text, unsigned next)
{
	struct dm_target_spec target = { .sector_start = 1, .length = 2048, .next = next };

	strcpy(target.target_type, kind);
	memcpy(payload + at, &target, sizeof target);
	strcpy(payload + at + sizeof target, text);
}

int main(void)
{
	static const unsigned nexts[] = { 0, 1, 39, 40, 41, 44, 48, 159, 160, 161, 0xfffffe00, -1U };
	static char room[8192];
	char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	end = pages + 4096;
	munmap(end, 4096);
	prepare(room, 200);
	ask();
	strcpy(payload + 8, "a message");
	ask();
	put_target(0, "linear", "7:0 0", 56);
	put_target(56, "error", "", 104);
	ask();
	request->version[0] = 5;
	ask();
	prepare(room, 0);
	ask();
	request->name[0] = request->uuid[0] = request->dev = 0;
	request->flags = DM_SUSPEND_FLAG | DM_STATUS_TABLE_FLAG;
	ask();
	request->data_start = 0;
	ask();
	request->data_start = -1;
	ask();
	request->data_size = 304;
	ask();
	request->data_size = 0;
	ask();
	for (unsigned i = 0; i < sizeof nexts / sizeof *nexts; i++) {
		prepare(room, 200);
		put_target(0, "linear", "0123456789", nexts[i]);
		load();
	}
	for (unsigned size = 0; size < 48; size++) {
		prepare(room, size);
		memset(payload, 'x', 200);
		ask();
	}
	prepare(end - 312, 200);
	ask();
	prepare(end - 360, 200);
	put_target(0, "t", "", 56);
	ask();
	syscall(SYS_ioctl, -1, DM_VERSION, 0);
	syscall(SYS_ioctl, -1, DM_VERSION, 1);
	syscall(SYS_ioctl, -1, DM_VERSION, end - 304);
}
