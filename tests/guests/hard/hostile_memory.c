/* @musl no
 * @late no: what it maps where the agent is just coming, nobody notes.
 * @alone no: its children are let go, and nobody puts right what they do to the agent's memory.
 * Programs that change the memory in which a tracer may have put itself: the page where its calls
 * are made, its tables, its threads' state. Natively nothing is there. They end as they would, or by
 * what they themselves have done. */
#include "../hard.h"
#include <asm/prctl.h>
#include <sys/shm.h>

#define ROUNDS 100
#define PAGE 0x1000ul
#define IMAGE 0x70000000ul
#define TABLES 0x70080000ul
#define TABLES_END 0x70100000ul
#define SLOT 0x45000ul
#define RING 0x5000ul
#define ARENA 0x2000000000ul
#define ARENA_LEN 0x8000000ul

static unsigned long gs(void)
{
	unsigned long base;

	MUST(!syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
	return base;
}

static void calls(void)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		MUST(getppid() > 0);
		MUST(access("/", F_OK) == 0);
		MUST(pread(-1, &byte, 1, 0) < 0 && errno == EBADF);
	}
}

static void *calls_until(void *done)
{
	while (!*(_Atomic int *)done)
		calls();
	return NULL;
}

/* Does it while another thread makes calls, and from several sites. */
static void change(void (*how)(void))
{
	_Atomic int done = 0;
	pthread_t other;

	calls();
	MUST(!pthread_create(&other, NULL, calls_until, (void *)&done));
	calls();
	how();
	calls();
	done = 1;
	MUST(!pthread_join(other, NULL));
	how();
	calls();
}

static void replaces(unsigned long start, unsigned long len)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

	syscall(SYS_mmap, start, len, PROT_READ | PROT_WRITE, flags, -1, 0ul);
}

static void maps_over_arena(void)
{
	replaces(ARENA, ARENA_LEN);
}

static void maps_over_tables(void)
{
	replaces(TABLES, TABLES_END - TABLES);
}

static void maps_over_image(void)
{
	replaces(IMAGE, TABLES - IMAGE);
}

/* All of it at once, and what lies between. */
static void unmaps_all(void)
{
	syscall(SYS_munmap, IMAGE, TABLES_END - IMAGE);
	syscall(SYS_munmap, ARENA, 1ul << 32);
}

static void moves_arena_away(void)
{
	syscall(SYS_mremap, ARENA, 64 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
}

/* Something else comes to where the slot is. */
static void moves_into_arena(void)
{
	char *mine = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(mine != MAP_FAILED);
	syscall(SYS_mremap, mine, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, ARENA);
}

static void attaches_over_arena(void)
{
	int id = shmget(IPC_PRIVATE, 1 << 20, 0600 | IPC_CREAT);

	MUST(id >= 0);
	syscall(SYS_shmat, id, ARENA, SHM_REMAP);
	MUST(!shmctl(id, IPC_RMID, NULL));
}

/* But for its own registers, and those of its parent: it would be the only one to miss them. */
static void drops(void)
{
	int advices[] = { MADV_DONTNEED, MADV_COLD, MADV_PAGEOUT, MADV_DONTFORK };

	for (unsigned i = 0; i < sizeof advices / sizeof *advices; i++) {
		syscall(SYS_madvise, IMAGE, TABLES_END - IMAGE, advices[i]);
		syscall(SYS_madvise, ARENA, ARENA_LEN, advices[i]);
	}
	syscall(SYS_madvise, gs() + RING, SLOT - RING, MADV_REMOVE);
}

static void locks_in(void)
{
	syscall(SYS_mprotect, ARENA, PAGE, PROT_NONE);
	syscall(SYS_mprotect, TABLES, PAGE, PROT_NONE);
	syscall(SYS_mprotect, IMAGE + PAGE, PAGE, PROT_READ);
}

/* By an instruction that is jumped to, and so never patched: from a call that a tracer makes in the
 * program it would go on with the registers that the call has written over. */
static long pwrite_itself(int fd, const void *bytes, unsigned long len, unsigned long at)
{
	register unsigned long r10 __asm__("r10") = at;
	long result;

	__asm__ volatile("jmp 1f\n1:\tsyscall"
			 : "=a"(result)
			 : "0"(SYS_pwrite64), "D"(fd), "S"(bytes), "d"(len), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* Writes over what it may not write to, by the file of its memory. */
static void writes_over(unsigned long start, unsigned long len)
{
	static const char zeros[PAGE];
	int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	MUST(memory >= 0);
	for (unsigned long at = start; at < start + len; at += PAGE)
		pwrite_itself(memory, zeros, PAGE, at);
	close(memory);
}

static void writes_over_tables(void)
{
	writes_over(TABLES, 16 * PAGE);
}

static void writes_over_slot(void)
{
	writes_over(gs() & ~(PAGE - 1), gs() ? PAGE : 0);
}

/* A new thread whose stack is the slot of its maker. */
static int ends_at_once(void *unused)
{
	(void)unused;
	return 0;
}

static void clones_into_slot(void)
{
	unsigned long base = gs();

	if (!base)
		return;
	for (int i = 0; i < 20; i++) {
		int pid = clone(ends_at_once, (void *)(base + 0x8000), CLONE_VM | SIGCHLD, NULL);

		MUST(pid > 0);
		await(pid);
	}
}

static void child(const char *name, void (*how)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(60);
		change(how);
		_exit(5);
	}
	MUST(pid > 0);
	say_end(name, await(pid));
}

int main(void)
{
#define CHILD(how) child(#how, how)
	CHILD(maps_over_arena);
	CHILD(maps_over_tables);
	CHILD(maps_over_image);
	CHILD(unmaps_all);
	CHILD(moves_arena_away);
	CHILD(moves_into_arena);
	CHILD(attaches_over_arena);
	CHILD(drops);
	CHILD(locks_in);
	CHILD(writes_over_tables);
	CHILD(writes_over_slot);
	CHILD(clones_into_slot);
	return 0;
}
