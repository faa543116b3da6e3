/* Other ways to a file than the name by which it is forbidden. */
#include "hostile.h"
#include <linux/fs.h>
#include <sys/mount.h>

static volatile int over;

static int through(const char *directory, const char *name)
{
	int at = open(directory, O_PATH | O_DIRECTORY);
	int won = tells(openat(at, name, O_RDONLY));

	close(at);
	return won;
}

static int reopened(const char *path)
{
	char name[64];
	int fd = open(path, O_PATH);
	int won;

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	won = tells_path(name);
	snprintf(name, sizeof name, "/proc/thread-self/fd/%d", fd);
	won |= tells_path(name);
	close(fd);
	return won;
}

/* By a link that another thread turns round. */
static void *turn(void *unused)
{
	(void)unused;
	while (!over) {
		unlink("open/a");
		symlink("../secret", "open/a");
		rename("open/a", "open/way");
		symlink(".", "open/a");
		rename("open/a", "open/way");
	}
	return NULL;
}

static int raced(long most)
{
	pthread_t other;
	int won = 0;

	over = 0;
	pthread_create(&other, NULL, turn, NULL);
	for (long i = 0; i < most; i++)
		won |= tells_path("open/way/file");
	over = 1;
	pthread_join(other, NULL);
	return won;
}

static int by_handle(void)
{
	char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	struct file_handle *handle = (void *)room;
	int mount, root, fd;

	handle->handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, "secret/file", handle, &mount, 0) < 0)
		return 0;
	root = open(".", O_RDONLY | O_DIRECTORY);
	fd = open_by_handle_at(root, handle, O_RDONLY);
	close(root);
	return tells(fd);
}

/* In a child, since it changes what paths mean. */
static int in_child(int (*attempt)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(attempt());
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static int with_root(void)
{
	return chroot("secret") == 0 && tells_path("/file");
}

static int with_mounts(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 && unshare(CLONE_NEWNS) < 0)
		return 0;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 0;
	return mount("secret", "open", NULL, MS_BIND, NULL) == 0 && tells_path("open/file");
}

static int from_within(void)
{
	return chdir("secret") == 0 && tells_path("file");
}

static int from_the_parent(void)
{
	char name[128];

	snprintf(name, sizeof name, "/proc/%d/cwd/secret/file", getppid());
	return tells_path(name);
}

static int passed(const char *path)
{
	int pair[2], fd = open(path, O_PATH), got = -1, won;
	char byte = 0, name[64], room[CMSG_SPACE(sizeof fd)] = "";
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = room,
				  .msg_controllen = sizeof room };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (fd < 0)
		return 0;
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	sendmsg(pair[0], &message, 0);
	memset(room, 0, sizeof room);
	if (recvmsg(pair[1], &message, 0) > 0 && CMSG_FIRSTHDR(&message))
		memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
	snprintf(name, sizeof name, "/proc/self/fd/%d", got);
	won = tells_path(name);
	close(fd);
	close(got);
	close(pair[0]);
	close(pair[1]);
	return won;
}

int main(int argc, char **argv)
{
	char name[4096], here[2048];

	getcwd(here, sizeof here);
	TRY("relative", tells_path("secret/file"));
	TRY("dots", tells_path("open/../secret/./file"));
	snprintf(name, sizeof name, "%s//secret///file", here);
	TRY("absolute", tells_path(name));
	snprintf(name, sizeof name, "/proc/self/root%s/secret/file", here);
	TRY("root", tells_path(name));
	TRY("cwd", tells_path("/proc/self/cwd/secret/file"));
	TRY("thread", tells_path("/proc/thread-self/cwd/secret/file"));
	TRY("directory", through(".", "secret/file"));
	TRY("directory within", through("secret", "file"));
	TRY("within", in_child(from_within));
	TRY("parent", in_child(from_the_parent));
	symlink("../secret/file", "open/link");
	TRY("link", tells_path("open/link"));
	unlink("open/link");
	TRY("path", reopened("secret/file"));
	TRY("passed", passed("secret/file"));
	TRY("hard link", link("secret/file", "open/hard") == 0 && tells_path("open/hard"));
	unlink("open/hard");
	TRY("moved", rename("secret", "open/moved") == 0 && tells_path("open/moved/file"));
	rename("open/moved", "secret");
	snprintf(name, sizeof name, "%s.moved", here);
	TRY("moved above", rename(here, name) == 0 && tells_path("secret/file"));
	rename(name, here);
	TRY("exchanged", syscall(SYS_renameat2, AT_FDCWD, "secret", AT_FDCWD, "open", 2) == 0 &&
				 tells_path("open/file"));
	if (tells_path("open/file"))
		syscall(SYS_renameat2, AT_FDCWD, "secret", AT_FDCWD, "open", 2);
	TRY("turned link", raced(rounds(argc, argv)));
	CAN("handle", by_handle());
	CAN("chroot", in_child(with_root));
	CAN("mounts", in_child(with_mounts));
	return 0;
}
