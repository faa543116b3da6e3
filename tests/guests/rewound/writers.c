/*
 * Memory that the kernel writes for a program, in one of the ways in which it does. The way is the
 * letter that is read from the input: there the program is rewound to. All pages of the area are 'o'
 * then. A way that fails, or leaves the area as it was, is told, and ends with status 1.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 32
#define OLD 'o'

static char *area;
static char old[PAGES * PAGE];

static char *page(int number)
{
	return area + number * PAGE;
}

static long check(const char *what, long result)
{
	if (result < 0) {
		dprintf(1, "%s: %s\n", what, strerror(errno));
		_exit(1);
	}
	return result;
}

static void expect_written(const char *what, const char *at)
{
	for (int i = 0; i < PAGE; i++)
		if (at[i] != OLD)
			return;
	dprintf(1, "%s has written nothing\n", what);
	_exit(1);
}

/* All of what follows writes from the area's first page on, if nothing else is said. */

static void from_file(char way)
{
	int file = check("open", open("/proc/self/exe", O_RDONLY));
	struct iovec parts[2] = { { page(0) + 1, 9 }, { page(3), 2 * PAGE } };

	if (way == 'r')
		check("read", read(file, page(0), 2 * PAGE));
	if (way == 'p')
		check("pread", pread(file, page(0), 10, 100));
	if (way == 'v')
		check("readv", readv(file, parts, 2));
	if (way == 'V')
		check("preadv2", preadv2(file, parts, 2, 64, 0));
	close(file);
}

static void from_device(void)
{
	int file = check("open", open("/dev/zero", O_RDONLY));

	check("read", read(file, page(0), 3 * PAGE));
	close(file);
}

/* Past the page cache, where the file system can. */
static void direct(void)
{
	int file = check("open", open("/proc/self/exe", O_RDONLY | O_DIRECT));

	if (read(file, page(0), PAGE) < 0)
		check("read", read(check("open", open("/proc/self/exe", O_RDONLY)), page(0), PAGE));
}

static void from_socket(char way)
{
	int ends[2];
	struct iovec part = { page(0), 5 };
	struct mmsghdr many[1];
	struct msghdr message = {
		.msg_name = page(1), .msg_namelen = 128, .msg_iov = &part, .msg_iovlen = 1,
		.msg_control = page(2), .msg_controllen = 256,
	};

	check("socketpair", socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
	check("setsockopt", setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &(int){ 1 }, sizeof(int)));
	check("send", send(ends[0], "hello", 5, 0));
	if (way == 'R')
		check("recv", recv(ends[1], page(0), 5, 0));
	if (way == 'F') {
		*(socklen_t *)page(1) = 128;
		check("recvfrom", recvfrom(ends[1], page(0), 5, 0, (void *)page(2), (void *)page(1)));
	}
	if (way == 'M') {
		check("recvmsg", recvmsg(ends[1], &message, 0));
		expect_written("recvmsg", page(2));
	}
	if (way == 'N') {
		many[0].msg_hdr = message;
		memcpy(page(3), many, sizeof many);
		check("recvmmsg", recvmmsg(ends[1], (void *)page(3), 1, 0, NULL));
	}
	close(ends[0]);
	close(ends[1]);
}

static void from_pipe(char way)
{
	int ends[2], others[2];
	struct iovec part = { page(0), 5 };

	check("pipe", pipe(ends));
	check("pipe", pipe(others));
	check("write", write(ends[1], "hello", 5));
	/* Pages of ours go into a pipe, through another, and are copied back. */
	if (way == 'S') {
		struct iovec given = { page(8), 5 };

		check("read", read(ends[0], page(7), 5));
		check("vmsplice", vmsplice(ends[1], &given, 1, 0));
	}
	check("splice", splice(ends[0], NULL, others[1], NULL, 5, 0));
	memcpy(page(8), "new", 3);
	check("vmsplice", vmsplice(others[0], &part, 1, 0));
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(others[i]);
	}
	page(0)[7] = 'x';
}

static void directory(void)
{
	int folder = check("open", open("/", O_RDONLY | O_DIRECTORY));

	check("getdents64", syscall(SYS_getdents64, folder, page(0), PAGES * PAGE));
	close(folder);
}

static void handle(int signal)
{
	(void)signal;
}

/* The frame of a handler goes to a stack in the area. */
static void frame(void)
{
	stack_t stack = { .ss_sp = area, .ss_size = 8 * PAGE };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	check("sigaltstack", sigaltstack(&stack, NULL));
	check("sigaction", sigaction(SIGUSR1, &action, NULL));
	raise(SIGUSR1);
	expect_written("a handler", page(7));
	page(0)[0] = 'x';
}

static void *lock(void *mutex)
{
	check("lock", -pthread_mutex_lock(mutex));
	return NULL;
}

/* A thread ends with a lock: the kernel marks that (set_robust_list). */
static void robust(void)
{
	pthread_mutexattr_t robustly;
	pthread_mutex_t *mutex = (void *)page(0);
	pthread_t thread;

	pthread_mutexattr_init(&robustly);
	pthread_mutexattr_setrobust(&robustly, PTHREAD_MUTEX_ROBUST);
	memset(mutex, 0, sizeof *mutex);
	pthread_mutex_init(mutex, &robustly);
	check("thread", -pthread_create(&thread, NULL, lock, mutex));
	pthread_join(thread, NULL);
	if (!(*(volatile int *)mutex & FUTEX_OWNER_DIED))
		check("robust list", -1);
}

static int leave(void *unused)
{
	(void)unused;
	syscall(SYS_exit, 0);
	return 0;
}

/* The kernel writes a thread's id where it begins, and 0 where it has ended. */
static void clear_tid(void)
{
	static char stack[1 << 15];
	volatile int *told = (int *)page(0), *cleared = (int *)page(3);
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	int was = *cleared;

	check("clone", clone(leave, stack + sizeof stack, flags, NULL, told, NULL, cleared));
	while (*cleared == was)
		syscall(SYS_futex, cleared, FUTEX_WAIT, was, NULL, NULL, 0);
}

/* A process of ours writes to our memory. */
static void other_process(char way)
{
	pid_t us = getpid(), child = check("fork", fork());
	int status;

	if (child == 0) {
		struct iovec from = { "new", 3 }, to = { page(0), 3 };

		if (way == 'W')
			check("process_vm_writev", process_vm_writev(us, &from, 1, &to, 1, 0));
		if (way == 'm') {
			char path[32];

			sprintf(path, "/proc/%d/mem", us);
			int memory = check("open", open(path, O_WRONLY));

			check("pwrite", pwrite(memory, "new", 3, (long)page(0)));
		}
		_exit(0);
	}
	check("waitpid", waitpid(child, (int *)memcpy(page(5), "1234", 4), 0));
	status = *(int *)page(5);
	if (status != 0)
		_exit(1);
}

/* Results of all kinds, a page each. */
static void results(void)
{
	int at = 0, epoll = check("epoll_create1", epoll_create1(0));
	int ends[2];
	struct pollfd poller;
	fd_set *set = (void *)page(20);
	struct timespec now = { 0, 1 };

	check("pipe", pipe(ends));
	check("write", write(ends[1], "x", 1));
	struct epoll_event event = { EPOLLIN, { .fd = 7 } };
	check("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
	check("epoll_wait", epoll_wait(epoll, (void *)page(at++), 4, 0));
	poller = (struct pollfd){ ends[0], POLLIN, 0 };
	memcpy(page(at), &poller, sizeof poller);
	check("poll", poll((void *)page(at++), 1, 0));
	check("getcwd", syscall(SYS_getcwd, page(at++), PAGE));
	check("uname", uname((void *)page(at++)));
	check("stat", stat("/", (void *)page(at++)));
	check("statx", statx(AT_FDCWD, "/", 0, STATX_ALL, (void *)page(at++)));
	check("getrandom", getrandom(page(at++), PAGE, 0));
	check("readlink", readlink("/proc/self/exe", page(at++), PAGE));
	check("sysinfo", sysinfo((void *)page(at++)));
	check("getrusage", getrusage(RUSAGE_SELF, (void *)page(at++)));
	check("clock_gettime", syscall(SYS_clock_gettime, CLOCK_MONOTONIC, page(at++)));
	check("ioctl", ioctl(ends[0], FIONREAD, page(at++)));
	check("mincore", mincore(area, PAGES * PAGE, (void *)page(at++)));
	check("sched_getaffinity", syscall(SYS_sched_getaffinity, 0, 128, page(at++)));
	check("rt_sigprocmask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, page(at++), 8));
	check("getresuid", getresuid((void *)page(at), (void *)page(at + 1), (void *)page(at + 2)));
	at += 3;
	FD_ZERO(set);
	FD_SET(ends[0], set);
	check("pselect6", pselect(ends[0] + 1, set, NULL, NULL, &now, NULL));
	check("prlimit64", prlimit(0, RLIMIT_STACK, NULL, (void *)page(at++)));
	for (int i = 0; i < at; i++)
		expect_written("a call", page(i));
	close(epoll);
	close(ends[0]);
	close(ends[1]);
}

/* What is refused: the kernel would write later, or what nobody looks at. */
static void refused(char way)
{
	aio_context_t context = 0;
	struct iocb request = { .aio_lio_opcode = IOCB_CMD_PREAD, .aio_buf = (long)page(0),
				.aio_nbytes = PAGE };
	struct iocb *requests[1] = { &request };

	if (way == 'a') {
		request.aio_fildes = check("open", open("/proc/self/exe", O_RDONLY));
		check("io_setup", syscall(SYS_io_setup, 8, &context));
		check("io_submit", syscall(SYS_io_submit, context, 1, requests));
		check("io_getevents", syscall(SYS_io_getevents, context, 1, 1, page(2), NULL));
	}
	if (way == 'u')
		syscall(SYS_io_uring_setup, 1, page(0));
	if (way == 'T')
		ptrace(PTRACE_POKEDATA, getpid(), page(0), 1);
	page(0)[0] = 'x';
}

int main(void)
{
	char way;

	area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(area, OLD, PAGES * PAGE);
	memset(old, OLD, sizeof old);
	/* Where only ancestors may look into others' memory. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	check("input", read(0, &way, 1));
	if (memcmp(area, old, sizeof old) != 0) {
		dprintf(1, "the area was not put back\n");
		return 1;
	}
	if (strchr("rpvV", way))
		from_file(way);
	else if (strchr("RFMN", way))
		from_socket(way);
	else if (strchr("sS", way))
		from_pipe(way);
	else if (strchr("Wm", way))
		other_process(way);
	else if (strchr("auT", way))
		refused(way);
	else if (way == 'z')
		from_device();
	else if (way == 'D')
		direct();
	else if (way == 'g')
		directory();
	else if (way == 'f')
		frame();
	else if (way == 'b')
		robust();
	else if (way == 't')
		clear_tid();
	else if (way == 'c')
		results();
	else
		return 2;
	if (memcmp(area, old, sizeof old) == 0) {
		dprintf(1, "way %c has written nothing\n", way);
		return 1;
	}
	return 0;
}
