/* Ways to change what may only be read: `secret/file`, which is to stay as it is. */
#include "hostile.h"
#include <linux/fs.h>
#include <linux/msdos_fs.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#include <utime.h>

static volatile int over;
static char path[] = "open/file\0\0";

static int changes(int fd)
{
	int won = fd >= 0 && pwrite(fd, "WRITTEN", 7, 0) == 7;

	close(fd);
	return won;
}

static int reopened(void)
{
	char name[64];
	int fd = open("secret/file", O_RDONLY);

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return changes(open(name, O_WRONLY));
}

static int mapped(void)
{
	int fd = open("secret/file", O_RDONLY);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (page == MAP_FAILED)
		return 0;
	page[0] = 'W';
	return 1;
}

static void *swap(void *unused)
{
	(void)unused;
	while (!over) {
		memcpy(path, "secret/file", 11);
		__asm__ volatile("" : : : "memory");
		memcpy(path, "open/file\0\0", 11);
		__asm__ volatile("" : : : "memory");
	}
	return NULL;
}

static int raced(long most)
{
	pthread_t other;
	int won = 0;
	struct stat before, after;

	stat("secret/file", &before);
	pthread_create(&other, NULL, swap, NULL);
	for (long i = 0; i < most; i++) {
		chmod(path, 0640 + (unsigned)i % 2);
		stat("secret/file", &after);
		won |= before.st_mode != after.st_mode;
	}
	over = 1;
	pthread_join(other, NULL);
	return won;
}

/* A process that dumps its memory into its working directory. */
static int dumps(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &all);
		if (chdir("secret") == 0)
			abort();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return access("secret/core", F_OK) == 0;
}

int main(int argc, char **argv)
{
	int fd = open("secret/file", O_RDONLY);
	struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	int flags = FS_NODUMP_FL;

	printf("%s read\n", fd >= 0 && tells(dup(fd)) ? "can" : "cannot");
	TRY("race", raced(rounds(argc, argv)));
	TRY("chmod", fchmod(fd, 0600) == 0);
	TRY("chown", fchown(fd, getuid(), getgid()) == 0);
	TRY("times", futimens(fd, times) == 0);
	TRY("times by path", utime("secret/file", NULL) == 0);
	CAN("attribute", fsetxattr(fd, "user.hostile", "1", 1, 0) == 0);
	CAN("flags", ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0);
	TRY("link", link("secret/file", "open/link") == 0 && changes(open("open/link", O_WRONLY)));
	unlink("open/link");
	TRY("new name", close(creat("secret/new", 0600)) == 0 && unlink("secret/new") == 0);
	TRY("temporary", close(open("secret", O_TMPFILE | O_RDWR, 0600)) == 0);
	TRY("rename", rename("secret/file", "secret/other") == 0 && rename("secret/other", "secret/file") == 0);
	TRY("into", rename("open/file", "secret/moved") == 0 && rename("secret/moved", "open/file") == 0);
	TRY("above", rename("secret", "moved") == 0 && rename("moved", "secret") == 0);
	TRY("socket", ({
		    struct sockaddr_un name = { AF_UNIX, "secret/socket" };
		    int made = socket(AF_UNIX, SOCK_STREAM, 0);
		    bind(made, (void *)&name, sizeof name) == 0 && unlink("secret/socket") == 0;
	    }));
	/* A rule about what is not there yet: whoever comes that way later is led elsewhere. */
	TRY("way", symlink("open", "absent") == 0 && unlink("absent") == 0);
	TRY("way replaced", mkdir("absent", 0700) == 0 && rmdir("absent") == 0 &&
				    symlinkat("open", AT_FDCWD, "absent") == 0 && unlink("absent") == 0);
	TRY("exchanged", syscall(SYS_renameat2, AT_FDCWD, "secret", AT_FDCWD, "open", 2) == 0 &&
				 syscall(SYS_renameat2, AT_FDCWD, "secret", AT_FDCWD, "open", 2) == 0);
	CAN("attributes of FAT", ioctl(fd, FAT_IOCTL_SET_ATTRIBUTES, &flags) == 0);
	CAN("another name", linkat(fd, "", AT_FDCWD, "open/another", AT_EMPTY_PATH) == 0 &&
				    changes(open("open/another", O_WRONLY)));
	CAN("dump", dumps());
	CAN("mapped", mapped());
	TRY("reopened", reopened());
	TRY("mode 3", open("secret/file", O_WRONLY | O_RDWR) >= 0);
	TRY("emptied", open("secret/file", O_RDONLY | O_TRUNC) >= 0);
	TRY("write", changes(open("secret/file", O_RDWR)));
	TRY("truncate", truncate("secret/file", 0) == 0);
	TRY("remove", unlink("secret/file") == 0);
	return 0;
}
