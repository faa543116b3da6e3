/* @musl no
 * @alone no: its children are let go, and nobody puts right what they do to the agent's memory.
 * Programs that look for what a tracer may have put into them, and spoil it: their state at %gs,
 * code and memory at fixed addresses, their own code. They end as they would without a tracer. */
#include "../hard.h"
#include <setjmp.h>
#include <asm/prctl.h>

#define ROUNDS 300
#define SLOT 0x45000ul
#define RING 0x5000ul
#define IMAGE 0x70000000ul
#define TABLES 0x70080000ul
#define ARENA 0x2000000000ul
#define ARENA_LEN 0x80000000ul

static unsigned long gs(void)
{
	unsigned long base;

	__asm__ volatile("rdgsbase %0" : "=r"(base));
	return base;
}

static void set_gs(unsigned long base)
{
	__asm__ volatile("wrgsbase %0" : : "r"(base));
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

/* Garbage all over the ring, its positions and the state, while calls are made. */
static void scribbles(void)
{
	unsigned long random = 88172645463325252ul, base;

	calls();
	base = gs();
	if (!base)
		return;
	for (int i = 0; i < 20000; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		unsigned long at = random % SLOT & ~7ul;
		/* Its stack and its registers would be missed by nobody but the scribbler. */
		if (at >= 0x98 && (at < 0x2000 || at >= RING))
			*(volatile unsigned long *)(base + at) = i % 3 ? random >> (i % 64) : i % 256ul;
		getppid();
	}
}

static void *scribbles_on(void *slot)
{
	unsigned long random = 362436069ul;

	for (int i = 0; i < 300000; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		*(volatile unsigned long *)((char *)slot + RING + random % (SLOT - RING) / 8 * 8) =
			i % 2 ? random : 88ul | 1ul << 32;
	}
	return slot;
}

/* Another thread writes into the ring at the same time. */
static void is_scribbled_on(void)
{
	pthread_t thread;

	calls();
	if (!gs())
		return;
	MUST(!pthread_create(&thread, NULL, scribbles_on, (void *)gs()));
	for (int i = 0; i < 50; i++)
		calls();
	MUST(!pthread_join(thread, NULL));
}

/* Says again and again that something old is about to be published, and that the ring is empty. */
static void lies(void)
{
	calls();
	unsigned long base = gs();
	for (int i = 0; i < 20000; i++) {
		if (base) {
			*(volatile unsigned long *)(base + 0x108) = 1;
			*(volatile unsigned long *)(base + 0x088) = 40;
			*(volatile unsigned long *)(base + 0x090) = i % 2 ? 1 : ~0ul;
			*(volatile unsigned long *)(base + 0x140) = *(volatile unsigned long *)(base + 0x100);
		}
		getppid();
	}
}

static void unmaps_arena(void)
{
	calls();
	syscall(SYS_munmap, ARENA, ARENA_LEN);
	calls();
}

static void protects_arena(void)
{
	calls();
	syscall(SYS_mprotect, ARENA, ARENA_LEN, PROT_READ);
	calls();
}

static void unmaps_image(void)
{
	calls();
	syscall(SYS_munmap, IMAGE, 0x80000);
	calls();
}

static void protects_image(void)
{
	calls();
	syscall(SYS_mprotect, IMAGE, 0x80000, PROT_NONE);
	calls();
}

static void moves_tables(void)
{
	calls();
	syscall(SYS_mremap, TABLES, 0x1000, 0x1000, MREMAP_MAYMOVE | MREMAP_FIXED, 0x7fff0000);
	calls();
}

/* All that is executable, has no name, and may hold code that belongs to a tracer. */
static void unmaps_nameless_code(void)
{
	FILE *maps;
	char line[512], rights[8], name[256];
	unsigned long start, end, starts[16], ends[16];
	int found = 0;

	calls();
	maps = fopen("/proc/self/maps", "r");
	MUST(maps);
	while (fgets(line, sizeof line, maps)) {
		name[0] = 0;
		sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &start, &end, rights, name);
		if (!name[0] && rights[2] == 'x' && found < 16) {
			starts[found] = start;
			ends[found++] = end;
		}
	}
	fclose(maps);
	for (int i = 0; i < found; i++)
		syscall(SYS_munmap, starts[i], ends[i] - starts[i]);
	calls();
}

static void *sleeps(void *unused)
{
	calls();
	pause();
	return unused;
}

static void changes_gs(void)
{
	unsigned long mine, bases[] = { 0, 0x1234, ARENA + ARENA_LEN + SLOT, ARENA + 4000 * SLOT + 8,
				0x123456789000 };
	pthread_t thread;

	MUST(!pthread_create(&thread, NULL, sleeps, NULL));
	calls();
	mine = gs();
	for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
		set_gs(bases[i]);
		calls();
		set_gs(mine);
		calls();
	}
	if (mine) {
		set_gs(mine + SLOT);
		for (int i = 0; i < ROUNDS; i++)
			getppid();
		set_gs(mine);
	}
	calls();
}

static long call32(long number, long a)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void uses_int80(void)
{
	for (int i = 0; i < 100; i++) {
		MUST(call32(20, 0) == getpid());
		calls();
	}
}

static void uses_io_uring(void)
{
	char params[120] = { 0 };
	long file = syscall(425, 4, params);

	if (file >= 0)
		close(file);
	calls();
}

static void writes_own_text(void)
{
	unsigned char was[64];
	unsigned long at = (unsigned long)getppid;
	int memory = open("/proc/self/mem", O_RDWR);

	MUST(memory >= 0);
	memcpy(was, (void *)at, sizeof was);
	calls();
	for (int i = 0; i < 20; i++) {
		if (pwrite(memory, was, 16, at) != 16)
			break;
		calls();
	}
	close(memory);
}

static sigjmp_buf back;

static void jumps_back(int number)
{
	siglongjmp(back, number);
}

/* Makes calls at the address where those of a tracer's are not seen. */
static void jumps_in(void)
{
	struct sigaction action = { .sa_handler = jumps_back, .sa_flags = SA_NODEFER };

	/* The C library may find its stack smashed, and say so. */
	close(2);
	for (int number = SIGILL; number <= SIGSEGV; number++)
		if (number != SIGKILL)
			MUST(!sigaction(number, &action, NULL));
	calls();
	for (volatile long number = 0; number < 470; number++) {
		/* These end the program, its connection to us, or stop it for good. */
		if (number == SYS_pause || number == SYS_exit || number == SYS_exit_group
		    || number == SYS_rt_sigsuspend || number == SYS_fork || number == SYS_vfork
		    || number == SYS_clone || number == SYS_rt_sigreturn || number == SYS_clone3
		    || number == SYS_select || number == SYS_vhangup || number == SYS_setsid
		    || number == SYS_close_range || number == SYS_sync || number == SYS_munmap)
			continue;
		if (sigsetjmp(back, 1))
			continue;
		__asm__ volatile("sub $256, %%rsp\n\tcall *%1\n\tadd $256, %%rsp"
				 : "+a"((long){ number })
				 : "r"(IMAGE), "D"(-1l), "S"(-1l), "d"(-1l)
				 : "rcx", "r11", "memory", "cc");
	}
	calls();
}

int main(void)
{
#define CHILD(name) in_child(#name, 60, name)
	CHILD(scribbles);
	CHILD(is_scribbled_on);
	CHILD(lies);
	CHILD(unmaps_arena);
	CHILD(protects_arena);
	CHILD(unmaps_image);
	CHILD(protects_image);
	CHILD(moves_tables);
	CHILD(unmaps_nameless_code);
	CHILD(changes_gs);
	CHILD(uses_int80);
	CHILD(uses_io_uring);
	CHILD(writes_own_text);
	CHILD(jumps_in);
	return 0;
}
