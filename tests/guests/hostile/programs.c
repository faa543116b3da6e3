/* Ways to run what is not to be run, and calls that reach round paths. */
#include "hostile.h"
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>

/* Runs a program in a child, which says itself that it has won. */
static void runs(int at, const char *path, int flags, char *name)
{
	char *args[] = { "program", "won", name, NULL }, *none[] = { NULL };
	pid_t child = fork();

	if (child == 0) {
		syscall(SYS_execveat, at, path, args, none, flags);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* A script whose interpreter it is: as a file, or without a name. */
static void interprets(int fd)
{
	char here[2048], line[4096];
	int len;

	if (getcwd(here, sizeof here) == NULL)
		return;
	len = snprintf(line, sizeof line, "#!%s/secret/program won\n", here);
	if (write(fd, line, (size_t)len) == len && fchmod(fd, 0700) == 0) {
		char name[64];

		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		runs(AT_FDCWD, name, 0, "script");
	}
}

static int tree(void)
{
	int at = (int)syscall(SYS_open_tree, AT_FDCWD, "secret", 1);
	int won = tells(openat(at, "file", O_RDONLY));

	close(at);
	return won;
}

static int told_of(void)
{
	struct fanotify_event_metadata event = { .fd = -1 };
	int group = fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK, O_RDONLY), won = 0;

	if (group >= 0 && fanotify_mark(group, FAN_MARK_ADD, FAN_OPEN | FAN_EVENT_ON_CHILD, AT_FDCWD, "secret") == 0) {
		close(open("secret/file", O_RDONLY));
		won = read(group, &event, sizeof event) > 0 && event.fd >= 0;
		close(event.fd);
	}
	close(group);
	return won;
}

static int watched(void)
{
	int group = inotify_init(), won = inotify_add_watch(group, "secret", IN_ALL_EVENTS) >= 0;

	close(group);
	return won;
}

static int bpf_map(void)
{
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	int fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);

	close(fd);
	return fd >= 0;
}

static int counted(void)
{
	struct perf_event_attr count = { .type = PERF_TYPE_SOFTWARE, .size = sizeof count };
	int fd = (int)syscall(SYS_perf_event_open, &count, getppid(), -1, -1, 0);

	close(fd);
	return fd >= 0;
}

static int faults(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	close(fd);
	return fd >= 0;
}

/* A descriptor of what only has a number there, by the call that takes an empty path. */
static int by_empty_path(void)
{
	struct stat data;
	int fd = open("secret/file", O_PATH), won = fd >= 0 && fstatat(fd, "", &data, AT_EMPTY_PATH) == 0;

	won |= fd >= 0 && linkat(fd, "", AT_FDCWD, "open/by number", AT_EMPTY_PATH) == 0;
	close(fd);
	return won;
}

static int sent(void)
{
	int from = open("secret/file", O_RDONLY), to = memfd_create("copy", 0);
	int won = sendfile(to, from, NULL, 6) == 6;

	close(from);
	return won & tells(to);
}

static int named(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "secret/socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int won = bind(fd, (struct sockaddr *)&name, sizeof name) == 0 && unlink(name.sun_path) == 0;

	close(fd);
	return won;
}

/* Whoever opens the file would have to wait. */
static int leased(void)
{
	int fd = open("open/file", O_RDONLY), won = fcntl(fd, F_SETLEASE, F_RDLCK) == 0;

	close(fd);
	return won;
}

int main(void)
{
	int at = open("secret", O_PATH), linked, script;

	runs(AT_FDCWD, "secret/program", 0, "path");
	runs(at, "program", 0, "directory");
	close(at);
	at = open("secret/program", O_PATH);
	runs(at, "", AT_EMPTY_PATH, "descriptor");
	close(at);
	/* A link to a forbidden file that was there before. */
	runs(AT_FDCWD, "open/alone", 0, "link");
	linked = open("open/alone", O_RDONLY);
	TRY("linked", linked >= 0);
	close(linked);
	interprets(memfd_create("script", 0));
	script = open("open/script", O_RDWR | O_CREAT | O_TRUNC, 0700);
	interprets(script);
	close(script);
	/* What is open for writing is not executed. */
	runs(AT_FDCWD, "open/script", 0, "file");
	TRY("empty path", by_empty_path());
	TRY("sent", sent());
	TRY("watched", watched());
	TRY("named", named());
	CAN("tree", tree());
	CAN("told of", told_of());
	CAN("bpf", bpf_map());
	CAN("counted", counted());
	CAN("faults", faults());
	CAN("lease", leased());
	return 0;
}
