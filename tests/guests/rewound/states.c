/*
 * State that the kernel holds for a program, of the kind that the argument names. It is prepared before the
 * input is read: there the program is rewound to. Then it is shown, changed and shown again, in a line each.
 * A kind that there is not here is told, and ends with status 77.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEN (16 * 4096)

static int fd;
static char *area;

static void must(long result, const char *what)
{
	if (result != -1)
		return;
	printf("there is no %s here: %s\n", what, strerror(errno));
	exit(77);
}

static void nothing(void)
{
}

/* What is refused at the point. */

static void terminal(void)
{
	must(fd = posix_openpt(O_RDWR | O_NOCTTY), "terminal");
}

static void queue(void)
{
	char name[40];
	snprintf(name, sizeof name, "/shunpike-%d", getpid());
	must(fd = mq_open(name, O_RDWR | O_CREAT, 0600, NULL), "message queue");
	mq_unlink(name);
}

static void fifo(void)
{
	char name[] = "/tmp/shunpike-fifo-XXXXXX";
	must(mkdtemp(name) ? 0 : -1, "folder");
	char path[sizeof name + 2];
	snprintf(path, sizeof path, "%s/f", name);
	must(mkfifo(path, 0600), "FIFO");
	must(fd = open(path, O_RDWR | O_NONBLOCK), "FIFO");
	unlink(path);
	rmdir(name);
}

static void stopped(void)
{
	pid_t child = fork();
	must(child, "process");
	if (child == 0)
		for (;;)
			pause();
	kill(child, SIGSTOP);
	must(waitpid(child, NULL, WUNTRACED), "stop");
}

/* What a run cannot take back. */

static void new_scheduling(void)
{
	struct {
		unsigned size, policy;
		unsigned long flags;
		int nice;
		unsigned priority;
		unsigned long runtime, deadline, period;
	} batch = { 48, SCHED_BATCH, 0, 0, 0, 0, 0, 0 };
	must(syscall(SYS_sched_setattr, 0, &batch, 0), "sched_setattr");
}

static void new_io_priority(void)
{
	must(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 7), "ioprio_set");
}

static void new_rights(void)
{
	struct landlock_ruleset_attr rules = { .handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SOCK };
	int set = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
	must(set, "Landlock");
	must(syscall(SYS_landlock_restrict_self, set, 0), "landlock_restrict_self");
}

static void without_new_privileges(void)
{
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
}

static void new_key(void)
{
	long key = syscall(SYS_add_key, "user", "shunpike", "v", 1, KEY_SPEC_PROCESS_KEYRING);
	must(key, "add_key");
}

static void registered(void)
{
	must(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0), "membarrier");
}

static void new_policy(void)
{
	unsigned long nodes = 1;
	must(syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64), "set_mempolicy");
}

static void new_segment(void)
{
	struct {
		unsigned number, base, limit, flags;
	} segment = { 0, 0x1000, 0xff, 0x51 };
	must(syscall(SYS_modify_ldt, 1, &segment, sizeof segment), "modify_ldt");
}

static void memory(void)
{
	area = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must((long)area, "memory");
	memset(area, 'o', LEN);
}

static void removed_folder(void)
{
	char name[] = "/tmp/shunpike-folder-XXXXXX";
	must(mkdtemp(name) ? chdir(name) : -1, "folder");
	rmdir(name);
}

static void show_folder(void)
{
	char name[4096];
	printf("%s\n", getcwd(name, sizeof name) ? name : "removed");
}

static void leave_folder(void)
{
	must(chdir("/usr"), "folder");
}

static void locked(void)
{
	must(mlock(area, LEN), "mlock");
}

static void not_inherited(void)
{
	must(madvise(area, LEN, MADV_DONTFORK), "MADV_DONTFORK");
}

static void file(void)
{
	must(fd = open("/tmp", O_TMPFILE | O_RDWR, 0600), "file");
	must(write(fd, "0123", 4), "file");
	must(lseek(fd, 2, SEEK_SET), "file");
}

/* Two descriptors of it: the first is closed in the run. */
static void file_twice(void)
{
	file();
	must(fd = dup(fd), "dup");
}

static void write_and_close(void)
{
	must(write(fd, "abcdef", 6), "file");
	close(fd - 1);
}

static char path[] = "/tmp/shunpike-file-XXXXXX";

static void named_file(void)
{
	must(fd = mkstemp(path), "file");
}

static void remove_name(void)
{
	must(unlink(path), "name");
}

static void new_lease(void)
{
	unlink(path);
	must(fcntl(fd, F_SETLEASE, F_WRLCK), "F_SETLEASE");
}

static void new_signal(void)
{
	must(fcntl(fd, F_SETSIG, SIGUSR1), "F_SETSIG");
}

/* What is put back. */

static void show_file(void)
{
	struct stat data;
	char content[9] = { 0 };
	fstat(fd, &data);
	if (pread(fd, content, sizeof content - 1, 0) < 0)
		strcpy(content, "unread");
	printf("%s, %d of %d\n", content, (int)lseek(fd, 0, SEEK_CUR), (int)data.st_size);
}

static void write_file(void)
{
	must(write(fd, "abcdef", 6), "file");
}

static void cut_file(void)
{
	must(ftruncate(fd, 1), "file");
}

static void memory_file(void)
{
	must(fd = memfd_create("states", 0), "file");
	write_file();
}

static void show_marks(void)
{
	char path[40], line[200];
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	FILE *marks = fopen(path, "r");
	while (marks && fgets(line, sizeof line, marks))
		if (!strncmp(line, "flags:", 6))
			fputs(line, stdout);
		else if (!strncmp(line, "lock:", 5))
			printf("locked\n");
	if (marks)
		fclose(marks);
}

static void folder(void)
{
	must(fd = open("/", O_RDONLY | O_DIRECTORY), "folder");
}

static void close_on_exec(void)
{
	must(fcntl(fd, F_SETFD, FD_CLOEXEC), "F_SETFD");
}

static void not_on_exec(void)
{
	must(ioctl(fd, FIONCLEX), "FIONCLEX");
}

static void folder_not_kept(void)
{
	folder();
	close_on_exec();
}

static void lock_whole(void)
{
	must(flock(fd, LOCK_EX), "flock");
}

static void lock_by_child(void)
{
	pid_t child = fork();
	must(child, "process");
	if (child == 0) {
		lock_whole();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void lock_by(int command)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 3 };
	must(fcntl(fd, command, &lock), "lock");
}

static void lock_part(void)
{
	lock_by(F_SETLK);
}

static void lock_open_file(void)
{
	lock_by(F_OFD_SETLK);
}

static void lock_and_lose(void)
{
	lock_whole();
	must(dup2(0, fd), "dup2");
}

static void show_name(void)
{
	char name[17] = { 0 };
	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
}

static void new_name(void)
{
	must(prctl(PR_SET_NAME, "another"), "PR_SET_NAME");
}

static void show_processors(void)
{
	cpu_set_t set;
	must(sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
	printf("%d processors\n", CPU_COUNT(&set));
}

/* A thread that does what it is told, a letter each, and answers when it has. */
static int orders[2], answers[2];
static pthread_t thread;
static pthread_mutex_t lock;

static void set_stack(int flags)
{
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof room, .ss_flags = flags };
	sigaltstack(&stack, NULL);
}

static void *serve(void *unused)
{
	char order;
	set_stack(0);
	while (read(orders[0], &order, 1) == 1 && order != 'e') {
		stack_t stack;
		sigaltstack(NULL, &stack);
		if (order == 's')
			printf("stack %d\n", stack.ss_flags);
		if (order == 'd')
			set_stack(SS_DISABLE);
		if (order == 'l')
			pthread_mutex_lock(&lock);
		must(write(answers[1], &order, 1), "answer");
	}
	return unused;
}

static void order(char letter)
{
	char answer;
	must(write(orders[1], &letter, 1), "order");
	must(read(answers[0], &answer, 1), "answer");
}

static void threaded(void)
{
	pthread_mutexattr_t robust;
	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &robust);
	must(pipe(orders), "pipe");
	must(pipe(answers), "pipe");
	must(-pthread_create(&thread, NULL, serve, NULL), "thread");
	order('-');
}

static void show_stack(void)
{
	order('s');
}

static void lose_stack(void)
{
	order('d');
}

static void lock_and_end(void)
{
	order('l');
	must(write(orders[1], "e", 1), "order");
	printf("%s\n", pthread_mutex_lock(&lock) == EOWNERDEAD ? "its owner is dead" : "locked");
}

/* A process of two threads: one takes a lock, and the other then ends both. */
static struct {
	pthread_mutex_t lock;
	sem_t begun, ordered, taken;
	int is_killed;
} *common;
static pid_t child;

static void *take_common(void *unused)
{
	sem_wait(&common->ordered);
	pthread_mutex_lock(&common->lock);
	sem_post(&common->taken);
	for (;;)
		pause();
	return unused;
}

static void end_with_lock(void)
{
	must(-pthread_create(&thread, NULL, take_common, NULL), "thread");
	sem_post(&common->begun);
	sem_wait(&common->taken);
	if (common->is_killed)
		kill(getpid(), SIGTERM);
	_exit(0);
}

static void with_child(void)
{
	pthread_mutexattr_t shared;
	common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must((long)common, "memory");
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&common->lock, &shared);
	sem_init(&common->begun, 1, 0);
	sem_init(&common->ordered, 1, 0);
	sem_init(&common->taken, 1, 0);
	must(child = fork(), "process");
	if (child == 0)
		end_with_lock();
	sem_wait(&common->begun);
}

static void child_ends(void)
{
	sem_post(&common->ordered);
	must(waitpid(child, NULL, 0), "process");
	printf("%s\n", pthread_mutex_lock(&common->lock) == EOWNERDEAD ? "its owner is dead" : "locked");
}

static void child_is_killed(void)
{
	common->is_killed = 1;
	child_ends();
}

static int ends[2], epoll;

static void show_pair(void)
{
	int room = 0, told = 0;
	socklen_t len = sizeof room;
	char message[9] = { 0 };
	getsockopt(ends[0], SOL_SOCKET, SO_RCVBUF, &room, &len);
	getsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &told, &len);
	ssize_t got = recv(ends[1], message, sizeof message - 1, MSG_PEEK | MSG_DONTWAIT);
	printf("%zd %s %d %d\n", got, message, room, told);
}

static void pair_of(int kind)
{
	must(socketpair(AF_UNIX, kind, 0, ends), "pair");
}

static void stream_pair(void)
{
	pair_of(SOCK_STREAM);
}

static void datagram_pair(void)
{
	pair_of(SOCK_DGRAM);
}

static void packet_pair(void)
{
	pair_of(SOCK_SEQPACKET);
}

static void set_options(void)
{
	int room = 9999, yes = 1;
	must(setsockopt(ends[0], SOL_SOCKET, SO_RCVBUF, &room, sizeof room), "SO_RCVBUF");
	must(setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes), "SO_PASSCRED");
}

static void pair_with_options(void)
{
	stream_pair();
	set_options();
}

static void lose_pair(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void shut_pair(void)
{
	must(shutdown(ends[0], SHUT_WR), "shutdown");
}

static void unconnect_pair(void)
{
	struct sockaddr nobody = { .sa_family = AF_UNSPEC };
	must(connect(ends[0], &nobody, sizeof nobody), "connect");
}

static void name_pair(void)
{
	struct sockaddr name = { .sa_family = AF_UNIX };
	must(bind(ends[0], &name, sizeof name.sa_family), "bind");
}

/* An empty message comes before others. */
static void send_message(void)
{
	must(send(ends[0], "", 0, 0), "message");
	must(send(ends[0], "abc", 3, 0), "message");
}

static void watch(int fd, unsigned events, int operation)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	must(epoll_ctl(epoll, operation, fd, &event), "epoll");
}

static void show_watched(void)
{
	struct epoll_event event;
	printf("%d ready\n", epoll_wait(epoll, &event, 1, 0));
}

/* The end of a pipe that is ready always, which is told once. */
static void watched_once(void)
{
	must(pipe(ends), "pipe");
	must(epoll = epoll_create1(0), "epoll");
	watch(ends[1], EPOLLOUT | EPOLLET, EPOLL_CTL_ADD);
}

static void watched_once_and_told(void)
{
	struct epoll_event event;
	watched_once();
	epoll_wait(epoll, &event, 1, 0);
}

static void arm_again(void)
{
	watch(ends[1], EPOLLOUT | EPOLLET, EPOLL_CTL_MOD);
}

#define MANY 300

/* More than are taken at once. */
static void watched_many(void)
{
	int count;
	must(epoll = epoll_create1(0), "epoll");
	for (int at = 0; at < MANY; at++) {
		must(count = eventfd(1, 0), "eventfd");
		watch(count, EPOLLIN | EPOLLET, EPOLL_CTL_ADD);
	}
}

static void show_many(void)
{
	struct epoll_event events[MANY];
	printf("%d ready\n", epoll_wait(epoll, events, MANY, 0));
}

static void watched_not(void)
{
	must(pipe(ends), "pipe");
	must(epoll = epoll_create1(0), "epoll");
}

static void watch_more(void)
{
	watch(ends[1], EPOLLOUT, EPOLL_CTL_ADD);
}

/* An eventfd, unlike a pipe, is kept when it is closed. */
static void watched_count(void)
{
	must(ends[1] = eventfd(0, 0), "eventfd");
	must(epoll = epoll_create1(0), "epoll");
}

static void watch_and_lose(void)
{
	watch_more();
	close(ends[1]);
}

/* Nobody can take that back: the descriptor by which it was watched is gone, and the file is not. */
static void watch_by_another(void)
{
	int other = dup(ends[1]);
	watch(other, EPOLLOUT, EPOLL_CTL_ADD);
	close(other);
}

/* What only looks as if it could not be taken back: it is of what the run itself has made. */

static void own_things(void)
{
	memory();
	locked();
	not_inherited();
	named_file();
	new_lease();
}

static const struct {
	const char *name;
	void (*prepare)(void), (*show)(void), (*change)(void);
} states[] = {
	{ "terminal", terminal, nothing, nothing },
	{ "queue", queue, nothing, nothing },
	{ "fifo", fifo, nothing, nothing },
	{ "stopped", stopped, nothing, nothing },
	{ "sched_setattr", nothing, nothing, new_scheduling },
	{ "ioprio_set", nothing, nothing, new_io_priority },
	{ "landlock_restrict_self", without_new_privileges, nothing, new_rights },
	{ "add_key", nothing, nothing, new_key },
	{ "membarrier", nothing, nothing, registered },
	{ "set_mempolicy", nothing, nothing, new_policy },
	{ "modify_ldt", nothing, nothing, new_segment },
	{ "folder", nothing, show_folder, leave_folder },
	{ "removed-folder", removed_folder, show_folder, leave_folder },
	{ "mlock", memory, nothing, locked },
	{ "madvise", memory, nothing, not_inherited },
	{ "removed", named_file, nothing, remove_name },
	{ "lease", named_file, nothing, new_lease },
	{ "fcntl", file, nothing, new_signal },
	{ "shutdown", datagram_pair, nothing, shut_pair },
	{ "connect", datagram_pair, nothing, unconnect_pair },
	{ "bind", packet_pair, nothing, name_pair },
	{ "own", nothing, nothing, own_things },
	{ "written", file, show_file, write_file },
	{ "written-twice", file_twice, show_file, write_and_close },
	{ "cut", file, show_file, cut_file },
	{ "memfd", memory_file, show_file, write_file },
	{ "cloexec", folder, show_marks, close_on_exec },
	{ "no-cloexec", folder_not_kept, show_marks, not_on_exec },
	{ "flock", file, show_marks, lock_whole },
	{ "folder-locked", folder, show_marks, lock_by_child },
	{ "locked", file, show_marks, lock_part },
	{ "ofd-locked", file, show_marks, lock_open_file },
	{ "lock-lost", file, show_marks, lock_and_lose },
	{ "stack", threaded, show_stack, lose_stack },
	{ "lock", threaded, nothing, lock_and_end },
	{ "lock-of-exited", with_child, nothing, child_ends },
	{ "lock-of-killed", with_child, nothing, child_is_killed },
	{ "name", nothing, show_name, new_name },
	{ "processors", nothing, show_processors, nothing },
	{ "datagram", datagram_pair, show_pair, send_message },
	{ "packet", packet_pair, show_pair, send_message },
	{ "datagram-lost", datagram_pair, show_pair, lose_pair },
	{ "packet-lost", packet_pair, show_pair, lose_pair },
	{ "options", stream_pair, show_pair, set_options },
	{ "options-lost", pair_with_options, show_pair, lose_pair },
	{ "once", watched_once, show_watched, nothing },
	{ "once-told", watched_once_and_told, show_watched, arm_again },
	{ "once-many", watched_many, show_many, nothing },
	{ "watched", watched_not, show_watched, watch_more },
	{ "watched-lost", watched_count, show_watched, watch_and_lose },
	{ "watched-by-another", watched_not, show_watched, watch_by_another },
};

int main(int count, char **args)
{
	char input;
	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t at = 0; count == 2 && at < sizeof states / sizeof *states; at++) {
		if (strcmp(states[at].name, args[1]))
			continue;
		states[at].prepare();
		must(read(0, &input, 1), "input");
		states[at].show();
		states[at].change();
		states[at].show();
		return 0;
	}
	return 99;
}
