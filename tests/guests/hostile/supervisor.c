/* Whoever decides is a program too: what it opens, waits for, and does for a guest. */
#include "hostile.h"
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <sys/prctl.h>

static pid_t tracer(void)
{
	char line[128];
	int id = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof line, status))
		sscanf(line, "TracerPid: %d", &id);
	if (status)
		fclose(status);
	return id;
}

/* What the supervisor is, by the ids of its threads: those have directories that no list has. */
static int told_by_threads(pid_t of)
{
	char name[64], line[128];
	int won = 0;

	for (pid_t task = of + 1; of && task < of + 200; task++) {
		int owner = 0;
		FILE *status;

		snprintf(name, sizeof name, "/proc/%d/status", task);
		status = fopen(name, "r");
		while (status && fgets(line, sizeof line, status))
			sscanf(line, "Tgid: %d", &owner);
		if (status)
			fclose(status);
		won |= owner == of;
	}
	return won;
}

/* Memory of which a copy comes when we say so. */
static int holds_copies(void)
{
	int fd = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);

	close(fd);
	return fd >= 0;
}

/* What we forbid ourselves our supervisor must not do for us. */
static int past_own_rules(void)
{
	struct landlock_ruleset_attr attributes = { .handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE };
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);

		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (rules < 0 || syscall(SYS_landlock_restrict_self, rules, 0) < 0)
			_exit(0);
		_exit(open("open/file", O_RDONLY) >= 0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* A terminal that is not ours: who begins a session has none. */
static int foreign_terminal(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		setsid();
		_exit(open("/dev/tty", O_RDWR) >= 0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* More refusals than anybody wants to read. */
static void is_refused_often(long times)
{
	char name[64];

	for (long i = 0; i < times; i++) {
		snprintf(name, sizeof name, "secret/%ld", i);
		if (access(name, F_OK) == 0)
			puts("won a name");
	}
}

int main(int argc, char **argv)
{
	TRY("secret", tells_path("secret/file"));
	CAN("threads", told_by_threads(tracer()));
	CAN("copies", holds_copies());
	CAN("own rules", past_own_rules());
	CAN("terminal", foreign_terminal());
	is_refused_often(rounds(argc, argv));
	/* Where the supervisor writes its report in the end. */
	unlink("report");
	if (symlink("secret/file", "report") < 0)
		return 1;
	return 0;
}
