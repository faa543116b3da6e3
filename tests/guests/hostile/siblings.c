/* By other processes of the guest's own, and by what they can be made to do. */
#include "hostile.h"
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static char path[] = "open/file\0\0\0";
static volatile int over;

/* A child that has the directory open, and waits to be killed. */
static pid_t sibling(int *directory)
{
	int ready[2];
	char byte = 0;
	pid_t child;

	if (pipe(ready) < 0)
		return -1;
	*directory = open(".", O_PATH | O_DIRECTORY);
	child = fork();
	if (child == 0) {
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		return -1;
	close(ready[0]);
	close(ready[1]);
	return child;
}

static int by_links(pid_t of, const char *link, const char *rest)
{
	char name[4096];

	snprintf(name, sizeof name, "/proc/%d/%s/%s", of, link, rest);
	return tells_path(name);
}

/* A sibling opens what its memory says, and another process writes that. */
static int by_its_memory(int by_file)
{
	static char *shared;
	char name[64];
	struct iovec here = { "secret/file", 12 }, there = { path, 12 };
	int status = 0, fd = -1;
	pid_t child;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = fork();
	if (child == 0) {
		while (!__atomic_load_n(shared, __ATOMIC_ACQUIRE))
			usleep(1000);
		_exit(tells_path(path));
	}
	if (by_file) {
		snprintf(name, sizeof name, "/proc/%d/mem", child);
		fd = open(name, O_RDWR);
		status = pwrite(fd, "secret/file", 12, (off_t)(uintptr_t)path) < 0;
		close(fd);
	} else {
		status = process_vm_writev(child, &here, 1, &there, 1, 0) < 0;
	}
	__atomic_store_n(shared, 1, __ATOMIC_RELEASE);
	waitpid(child, &status, 0);
	munmap(shared, 4096);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* A directory is moved up and down while a path goes up from it. */
static void *move_about(void *unused)
{
	(void)unused;
	while (!over) {
		rename("open/deep/in", "open/in");
		rename("open/in", "open/deep/in");
	}
	return NULL;
}

static int while_moved(long most)
{
	pthread_t other;
	int won = 0;

	mkdir("open/deep", 0755);
	mkdir("open/deep/in", 0755);
	over = 0;
	pthread_create(&other, NULL, move_about, NULL);
	for (long i = 0; i < most; i += 10) {
		won |= tells_path("open/deep/in/../../../secret/file");
		won |= tells_path("open/in/../../secret/file");
	}
	over = 1;
	pthread_join(other, NULL);
	return won;
}

/* A descriptor's number gets another directory while a path begins there. */
static void *exchange(void *number)
{
	int here = open(".", O_PATH | O_DIRECTORY), below = open("open", O_PATH | O_DIRECTORY);

	while (!over) {
		dup2(here, *(int *)number);
		dup2(below, *(int *)number);
	}
	close(here);
	close(below);
	return NULL;
}

static int while_exchanged(long most)
{
	int number = open("open", O_PATH | O_DIRECTORY), won = 0;
	pthread_t other;

	over = 0;
	pthread_create(&other, NULL, exchange, &number);
	for (long i = 0; i < most; i += 10)
		won |= tells(openat(number, "secret/file", O_RDONLY));
	over = 1;
	pthread_join(other, NULL);
	close(number);
	return won;
}

/* Other namespaces, by the call that takes its flags from memory. */
static int by_clone3(void)
{
	struct clone_args args = { .flags = CLONE_NEWUSER | CLONE_NEWNS, .exit_signal = SIGCHLD };
	int status = 0;
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof args);

	if (child == 0)
		_exit(mount("secret", "open", NULL, MS_BIND, NULL) == 0 && tells_path("open/file"));
	waitpid(child, &status, 0);
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static int by_namespace(void)
{
	int own = open("/proc/self/ns/mnt", O_RDONLY), status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(setns(own, CLONE_NEWNS) == 0);
	waitpid(child, &status, 0);
	close(own);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

int main(int argc, char **argv)
{
	char here[2048], below[4096];
	int directory = -1;
	pid_t other = sibling(&directory);

	if (getcwd(here, sizeof here) == NULL)
		return 1;
	TRY("sibling's directory", by_links(other, "cwd", "secret/file"));
	snprintf(below, sizeof below, "%s/secret/file", here + 1);
	TRY("sibling's root", by_links(other, "root", below));
	snprintf(below, sizeof below, "fd/%d", directory);
	TRY("sibling's descriptor", by_links(other, below, "secret/file"));
	snprintf(below, sizeof below, "task/%d/cwd", other);
	TRY("sibling's thread", by_links(other, below, "secret/file"));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	TRY("sibling's memory", by_its_memory(0));
	TRY("sibling's memory by its file", by_its_memory(1));
	TRY("while moved", while_moved(rounds(argc, argv)));
	TRY("while exchanged", while_exchanged(rounds(argc, argv)));
	CAN("namespaces", by_clone3());
	CAN("namespace", by_namespace());
	return 0;
}
