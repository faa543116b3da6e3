/* Each call with a path, while another thread changes that path: what `swapped_paths` does for a few. */
#include "hostile.h"
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <utime.h>

/* The path that is passed, and an address that ends in it. */
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static char *const path = address.sun_path;
static const char *first, *second;
static volatile int over;

/* What attempts pass besides. */
static struct stat data;
static int group;

static void *swap(void *unused)
{
	(void)unused;
	while (!over) {
		memcpy(path, first, 16);
		__asm__ volatile("" : : : "memory");
		memcpy(path, second, 16);
		__asm__ volatile("" : : : "memory");
	}
	return NULL;
}

/* What can be told of a file that is there. The other name is nothing's. */
static int looked_at(void) { return stat(path, &data) == 0; }
static int link_looked_at(void) { return lstat(path, &data) == 0; }
static int looked_at_from_here(void) { return fstatat(AT_FDCWD, path, &data, AT_SYMLINK_NOFOLLOW) == 0; }
static int extended(void)
{
	struct statx more;

	return statx(AT_FDCWD, path, 0, STATX_ALL, &more) == 0;
}
static int system_told(void)
{
	struct statfs system;

	return statfs(path, &system) == 0;
}
static int accessed(void) { return access(path, R_OK) == 0; }
static int accessed_from_here(void) { return faccessat(AT_FDCWD, path, F_OK, 0) == 0; }
static int accessed_by_flags(void) { return syscall(SYS_faccessat2, AT_FDCWD, path, F_OK, AT_EACCESS) == 0; }
static int is_no_link(void) { return readlink(path, (char *)&data, 8) < 0 && errno == EINVAL; }
static int is_no_link_from_here(void)
{
	return readlinkat(AT_FDCWD, path, (char *)&data, 8) < 0 && errno == EINVAL;
}
static int attribute(void)
{
	return getxattr(path, "user.none", &data, 8) >= 0 || errno == ENODATA || errno == EOPNOTSUPP;
}
static int attributes(void) { return listxattr(path, (char *)&data, sizeof data) >= 0; }
static int watched(void)
{
	int watch = inotify_add_watch(group, path, IN_ACCESS);

	return watch >= 0 && inotify_rm_watch(group, watch) == 0;
}
static int held(void)
{
	int fd = open(path, O_PATH);

	return fd >= 0 && close(fd) == 0;
}
static int connected(void)
{
	int made = socket(AF_UNIX, SOCK_STREAM, 0);
	int refused = connect(made, (void *)&address, sizeof address) < 0 && errno == ECONNREFUSED;

	close(made);
	return refused;
}
/* The same calls with what changes a file. */
static int permitted(void) { return chmod(path, 0644) == 0; }
static int owned(void) { return chown(path, -1, -1) == 0; }
static int dated(void) { return utime(path, NULL) == 0; }
static int dated_from_here(void) { return utimensat(AT_FDCWD, path, NULL, 0) == 0; }
static int cut(void) { return truncate(path, 7) == 0; }
static int attribute_set(void) { return removexattr(path, "user.none") == 0 || errno == ENODATA; }
static int linked(void) { return link(path, "open/other") == 0 && unlink("open/other") == 0; }
static int moved(void) { return rename(path, "open/other") == 0 && rename("open/other", "secret/file") == 0; }
/* These make something, of either name. */
static int made_file(void) { return close(creat(path, 0600)) == 0; }
static int made_directory(void) { return mkdir(path, 0700) == 0; }
static int made_node(void) { return mknod(path, S_IFREG | 0600, 0) == 0; }
static int made_link(void) { return symlink("nothing", path) == 0; }
static int made_name(void) { return link("open/file", path) == 0; }
static int moved_there(void) { return close(creat("open/other", 0600)) == 0 && rename("open/other", path) == 0; }
static int made_socket(void)
{
	int made = socket(AF_UNIX, SOCK_STREAM, 0);
	int bound = bind(made, (void *)&address, sizeof address) == 0;

	close(made);
	return bound;
}

struct attempt {
	const char *name;
	int (*make)(void);
};
static const struct attempt of_a_file[] = {
	{ "stat", looked_at },
	{ "lstat", link_looked_at },
	{ "newfstatat", looked_at_from_here },
	{ "statx", extended },
	{ "statfs", system_told },
	{ "access", accessed },
	{ "faccessat", accessed_from_here },
	{ "faccessat2", accessed_by_flags },
	{ "readlink", is_no_link },
	{ "readlinkat", is_no_link_from_here },
	{ "getxattr", attribute },
	{ "listxattr", attributes },
	{ "inotify_add_watch", watched },
	{ "O_PATH", held },
	{ "connect", connected },
	{ "chmod", permitted },
	{ "chown", owned },
	{ "utime", dated },
	{ "utimensat", dated_from_here },
	{ "truncate", cut },
	{ "removexattr", attribute_set },
	{ "link", linked },
	{ "rename", moved },
};
static const struct attempt of_a_name[] = {
	{ "creat", made_file },	 { "mkdir", made_directory },	 { "mknod", made_node },  { "symlink", made_link },
	{ "link to", made_name }, { "rename to", moved_there }, { "bind", made_socket },
};

/* Whether one of so many attempts has won. Of what makes something it is looked at what there is. */
static int race(const struct attempt *attempt, int makes, long most)
{
	pthread_t other;
	int won = 0;

	first = makes ? "open/new\0\0\0\0\0\0\0" : "open/none\0\0\0\0\0\0";
	second = makes ? "secret/new\0\0\0\0\0" : "secret/file\0\0\0\0";
	/* An empty name would be that of another kind of socket, to which anybody may try to connect. */
	memcpy(path, first, 16);
	over = 0;
	pthread_create(&other, NULL, swap, NULL);
	for (long i = 0; i < most && !won; i++) {
		int done = attempt->make();

		if (makes) {
			remove("open/new");
			/* Who has made it natively may remove it too. */
			won = remove("secret/new") == 0;
		} else {
			won = done;
		}
	}
	over = 1;
	pthread_join(other, NULL);
	return won;
}

int main(int argc, char **argv)
{
	long most = rounds(argc, argv) / 20;
	char name[64];

	group = inotify_init();
	for (size_t i = 0; i < sizeof of_a_file / sizeof *of_a_file; i++) {
		snprintf(name, sizeof name, "race: %s", of_a_file[i].name);
		TRY(name, race(of_a_file + i, 0, most));
	}
	for (size_t i = 0; i < sizeof of_a_name / sizeof *of_a_name; i++) {
		snprintf(name, sizeof name, "race: %s", of_a_name[i].name);
		TRY(name, race(of_a_name + i, 1, most));
	}
	return 0;
}
