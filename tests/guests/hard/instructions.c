/* @alone no: its children are to have the agent too.
 * A signal at each instruction that a call executes outside the program's own files: an agent's,
 * and those on the way to it. Each is found and met by a breakpoint that perf_event_open(2) sets.
 * Handlers meet the program only, whatever they do there; without a tracer there is nothing to
 * meet. Where there are no breakpoints the guest says so, and does nothing. */
#include "../hard.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

/* rax rdi rsi rdx r10 r8 r9 rbx rbp r12 r13 r14 r15, behind the call rcx too. */
enum { RAX, RDI, RSI, RDX, R10, R8, R9, RBX, RBP, R12, R13, R14, R15, RCX, REGISTERS };

/* Makes a call in memory of its own, where no file is mapped: nobody but the kernel sees to it. */
static long (*aside)(long number, long first, long second, long third);

static void make_aside(void)
{
	static const unsigned char code[] = {
		0x48, 0x89, 0xf8, /* mov %rdi, %rax */
		0x48, 0x89, 0xf7, /* mov %rsi, %rdi */
		0x48, 0x89, 0xd6, /* mov %rdx, %rsi */
		0x48, 0x89, 0xca, /* mov %rcx, %rdx */
		0x0f, 0x05,	  /* syscall */
		0xc3,		  /* ret */
	};
	void *page = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	MUST(page != MAP_FAILED);
	memcpy(page, code, sizeof code);
	MUST(!mprotect(page, sizeof code, PROT_READ | PROT_EXEC));
	aside = (long (*)(long, long, long, long))page;
}

/* Makes a call with `before`, whose number is in rbx and whose first argument is in r15. */
void own_call(const unsigned long *before, unsigned long *behind);
extern const char own_start[], own_site[], own_after[];

__asm__(".text\n"
	".globl own_call, own_start, own_site, own_after\n"
	".type own_call, @function\n"
	"own_call:\n"
	".cfi_startproc\n"
	"push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx, 0\n"
	"push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r12, 0\n"
	"push %r13\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r13, 0\n"
	"push %r14\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r14, 0\n"
	"push %r15\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r15, 0\n"
	"push %rsi\n.cfi_adjust_cfa_offset 8\n"
	"mov 0(%rdi), %rax\n"
	"mov 16(%rdi), %rsi\n"
	"mov 24(%rdi), %rdx\n"
	"mov 32(%rdi), %r10\n"
	"mov 40(%rdi), %r8\n"
	"mov 48(%rdi), %r9\n"
	"mov 56(%rdi), %rbx\n"
	"mov 64(%rdi), %rbp\n"
	"mov 72(%rdi), %r12\n"
	"mov 80(%rdi), %r13\n"
	"mov 88(%rdi), %r14\n"
	"mov 96(%rdi), %r15\n"
	"mov %rbx, %rax\n"
	"own_start:\n" /* Long enough for a jump. */
	"lea.d32 0(%r15), %rdi\n"
	"own_site:\n"
	"syscall\n"
	"own_after:\n"
	"push %rdi\n.cfi_adjust_cfa_offset 8\n"
	"mov 8(%rsp), %rdi\n"
	"mov %rax, 0(%rdi)\n"
	"pop %rax\n.cfi_adjust_cfa_offset -8\n"
	"mov %rax, 8(%rdi)\n"
	"mov %rsi, 16(%rdi)\n"
	"mov %rdx, 24(%rdi)\n"
	"mov %r10, 32(%rdi)\n"
	"mov %r8, 40(%rdi)\n"
	"mov %r9, 48(%rdi)\n"
	"mov %rbx, 56(%rdi)\n"
	"mov %rbp, 64(%rdi)\n"
	"mov %r12, 72(%rdi)\n"
	"mov %r13, 80(%rdi)\n"
	"mov %r14, 88(%rdi)\n"
	"mov %r15, 96(%rdi)\n"
	"mov %rcx, 104(%rdi)\n"
	"pop %rsi\n.cfi_adjust_cfa_offset -8\n"
	"pop %r15\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r15\n"
	"pop %r14\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r14\n"
	"pop %r13\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r13\n"
	"pop %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r12\n"
	"pop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n"
	"pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\n"
	"ret\n"
	".cfi_endproc\n"
	".size own_call, . - own_call\n");

/* Mapped code: the program's, or another's. */
struct text {
	unsigned long start, end;
};

static struct text own[256], others[64];
static int own_count, other_count;

/* Calls of every kind: not recorded, without and with memory that is copied before and after, and
 * with memory that cannot be read. */
static unsigned long calls[6][REGISTERS];
#define CALLS ((int)(sizeof calls / sizeof *calls))
#define GETPPID 0
#define READS 3

/* An instruction, and calls that come by: the first, and whether that which reads does. */
static struct place {
	unsigned long address;
	int call;
	int reads;
} places[4096];
static int place_count;

static const unsigned long by_library[1];
/* The call that is being made, if any. */
static __thread const unsigned long *volatile making;
static __thread int breakpoint_file;
static __thread struct perf_event_attr attributes;
static __thread sigjmp_buf back;
static volatile sig_atomic_t strangers, changed, cut_short, off_stack;
static _Atomic int hits;
static void (*volatile then)(void); /* What the handler does besides. */
static char alternate[1 << 16];

static void read_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], name[256], rights[8];
	struct text text;

	MUST(maps);
	own_count = other_count = 0;
	while (fgets(line, sizeof line, maps)) {
		name[0] = 0;
		MUST(sscanf(line, "%lx-%lx %7s %*s %*s %*s %255[^\n]", &text.start, &text.end, rights,
			    name) >= 3);
		if (!strchr(rights, 'x') || text.start == (unsigned long)aside)
			continue;
		if ((name[0] == '/' && !strstr(name, "memfd")) || strstr(name, "[v")) {
			MUST(own_count < 256);
			own[own_count++] = text;
		} else {
			MUST(other_count < 64);
			others[other_count++] = text;
		}
	}
	fclose(maps);
}

static int is_own(unsigned long address)
{
	for (int i = 0; i < own_count; i++)
		if (address >= own[i].start && address < own[i].end)
			return 1;
	return 0;
}

/* The registers at `rip` are those of the call, before it or behind it. */
static int are_right(const greg_t *found, const unsigned long *call, unsigned long rip)
{
	static const int order[] = { [RSI] = REG_RSI, [RDX] = REG_RDX, [R10] = REG_R10,
				     [R8] = REG_R8,   [R9] = REG_R9,   [RBX] = REG_RBX,
				     [RBP] = REG_RBP, [R12] = REG_R12, [R13] = REG_R13,
				     [R14] = REG_R14, [R15] = REG_R15 };

	for (int i = RSI; i <= R15; i++)
		if ((unsigned long)found[order[i]] != call[i])
			return 0;
	if (rip < (unsigned long)own_after && (unsigned long)found[REG_RAX] != call[RBX])
		return 0;
	if (rip == (unsigned long)own_after && (unsigned long)found[REG_RCX] != rip)
		return 0;
	return rip < (unsigned long)own_site || (unsigned long)found[REG_RDI] == call[R15];
}

#ifdef __GLIBC__
static void *callers[64];
static int caller_count;
#endif

static void unwind(void)
{
#ifdef __GLIBC__
	void *frames[64];
	int count = backtrace(frames, 64);

	for (int i = 0; i < count - 1; i++)
		if (!is_own((unsigned long)frames[i]))
			strangers++;
	/* Whatever lies before, the stack ends with the callers. */
	if (count < caller_count
	    || memcmp(frames + count - caller_count, callers, caller_count * sizeof *callers))
		cut_short++;
#endif
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	const greg_t *found = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned long rip = found[REG_RIP];
	int error = errno;

	(void)number, (void)info;
	if (!is_own(rip))
		strangers++;
	/* The instruction may be one that is executed anew. */
	MUST(!aside(SYS_ioctl, breakpoint_file, PERF_EVENT_IOC_DISABLE, 0));
	if (!making)
		return;
	hits++;
	if (making != by_library) {
		if (rip != (unsigned long)own_start && rip != (unsigned long)own_site
		    && rip != (unsigned long)own_after)
			strangers++;
		else if (!are_right(found, making, rip))
			changed++;
	}
	if (then)
		then();
	errno = error;
}

static void handle(void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = flags };

	MUST(!sigaction(SIGTRAP, &action, NULL));
}

/* The calling thread gets a breakpoint; nothing where there are none. */
static int have_breakpoint(void)
{
	attributes.size = sizeof attributes;
	attributes.type = PERF_TYPE_BREAKPOINT;
	attributes.bp_type = HW_BREAKPOINT_X;
	attributes.bp_addr = (unsigned long)places; /* where nothing is executed */
	attributes.bp_len = sizeof(long);
	attributes.sample_period = 1;
	attributes.exclude_kernel = attributes.exclude_hv = 1;
	attributes.sigtrap = attributes.remove_on_exec = 1;
	breakpoint_file =
		syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return breakpoint_file >= 0;
}

static void move_to(unsigned long address)
{
	attributes.bp_addr = address;
	MUST(!aside(SYS_ioctl, breakpoint_file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
		    (long)&attributes));
}

static void make(int call)
{
	unsigned long behind[REGISTERS];

	making = calls[call];
	own_call(making, behind);
	making = NULL;
	if (memcmp(&behind[RSI], &calls[call][RSI], (RCX - RSI) * sizeof *behind)
	    || behind[RDI] != calls[call][R15] || behind[RCX] != (unsigned long)own_after
	    || behind[RAX] != calls[call][RCX])
		changed++;
}

/* Size of a mapping with trampolines. */
#define TRAMPOLINES 0x10000

static void prepare(void)
{
	static char buffer[64];
	int file = open("/proc/self/exe", O_RDONLY);

	/* number, six arguments, result */
	const unsigned long wanted[CALLS][8] = {
		{ SYS_getppid, 0, 0, 0, 0, 0, 0, getppid() },
		{ SYS_openat, AT_FDCWD, (unsigned long)"/no/such/file", 0, 0, 0, 0, -ENOENT },
		{ SYS_openat, AT_FDCWD, 8, 0, 0, 0, 0, -EFAULT },
		{ SYS_pread64, file, (unsigned long)buffer, sizeof buffer, 0, 0, 0, sizeof buffer },
		{ SYS_write, -1, 16, 20, 0, 0, 0, -EBADF },
		{ 4000, 1, 2, 3, 4, 5, 6, -ENOSYS },
	};
	/* Where these are; the result's place is that of rcx, which calls change. */
	static const int order[] = { RBX, R15, RSI, RDX, R10, R8, R9, RCX };

	for (int i = 0; i < CALLS; i++) {
		for (int j = 0; j < REGISTERS; j++)
			calls[i][j] = 0x1111111111111111u * (j + 1);
		for (int j = 0; j < 8; j++)
			calls[i][order[j]] = wanted[i][j];
		/* Often enough that whoever patches sites has patched this one. */
		for (int j = 0; j < 5; j++)
			make(i);
	}
}

/* The part of the code in which the calls of this program may come by: all of it, or the trampoline
 * to which the site's first instruction jumps, if it lies there. */
static struct text part_of(struct text text)
{
	unsigned long target;
	int distance;

	if (*own_start != (char)0xe9)
		return text;
	memcpy(&distance, own_start + 1, sizeof distance);
	target = (unsigned long)own_start + 5 + distance;
	if (target >= text.start && target < text.end)
		return (struct text){ target, target + 64 };
	return text.end - text.start == TRAMPOLINES ? (struct text){ 0, 0 } : text;
}

static struct place *new_place(unsigned long address, int call)
{
	struct place *place = &places[place_count++];

	MUST(place_count < 4096);
	*place = (struct place){ address, call, 0 };
	return place;
}

/* Finds the places that the calls come by. No instruction begins with a byte of zeroes. */
static void find_places(void)
{
	for (int i = 0; i < other_count; i++) {
		struct text text = part_of(others[i]);

		for (unsigned long at = text.start; at < text.end; at++) {
			struct place *place = NULL;

			if (!*(volatile char *)at)
				continue;
			move_to(at);
			for (int j = 0; j < CALLS; j++) {
				int before = hits;

				make(j);
				if (hits == before)
					continue;
				if (!place)
					place = new_place(at, j);
				place->reads |= j == READS;
				move_to(at);
			}
		}
	}
}

/* Sees to it that an agent is awake when the call comes. */
static void meet(const struct place *place)
{
	make(GETPPID);
	make(GETPPID);
	move_to(place->address);
	make(place->call);
}

/* Where an agent comes by depends on a few other things too: on the room that it has. */
static int is_most(int count)
{
	return count >= place_count - place_count / 10;
}

static void jump(void)
{
	making = NULL;
	siglongjmp(back, 1);
}

static void jump_out_of_each(void)
{
	volatile int i, jumps = 0;

	then = jump;
	for (i = 0; i < place_count; i++) {
		if (sigsetjmp(back, 1))
			jumps++;
		else
			meet(&places[i]);
	}
	then = NULL;
	MUST(is_most(jumps));
}

static void look_at_stack(void)
{
	char here;

	if (&here < alternate || &here >= alternate + sizeof alternate)
		off_stack++;
	unwind();
}

/* On an alternate stack, which is another one each time. */
static void unwind_at_each(void)
{
	int before = hits;

	then = look_at_stack;
#ifdef __GLIBC__
	caller_count = backtrace(callers, 64) - 1;
	memmove(callers, callers + 1, caller_count * sizeof *callers);
#endif
	handle(on_trap, SA_SIGINFO | SA_ONSTACK);
	for (int i = 0; i < place_count; i++) {
		size_t unused = i % 16 * 64;
		stack_t stack = { .ss_sp = alternate + unused, .ss_size = sizeof alternate - unused };

		MUST(!sigaltstack(&stack, NULL));
		meet(&places[i]);
	}
	handle(on_trap, SA_SIGINFO);
	then = NULL;
	MUST(is_most(hits - before));
}

/* A breakpoint's signal ends who does not handle it. */
static void die_at_each(void)
{
	struct rlimit none = { 0, 0 };
	int status, died = 0;

	MUST(!setrlimit(RLIMIT_CORE, &none));
	for (int i = 0; i < place_count; i++) {
		pid_t child = fork();

		if (child == 0) {
			calls[GETPPID][RCX] = getppid();
			MUST(have_breakpoint());
			signal(SIGTRAP, SIG_DFL);
			meet(&places[i]);
			_exit(0);
		}
		MUST(child > 0);
		status = await(child);
		MUST(status == 0 || WTERMSIG(status) == SIGTRAP);
		died += status != 0;
	}
	MUST(is_most(died));
}

/* A thread that is cancelled while it makes a call. */
struct victim {
	struct place place;
	int file;
	int has_read;
};

static int ends[2];

static void cancel(void)
{
	MUST(!pthread_cancel(pthread_self()));
#ifndef __GLIBC__
	/* The signal by which other threads cancel; it waits until this handler has returned. */
	MUST(!syscall(SYS_tkill, syscall(SYS_gettid), 33));
#endif
}

static void arm(struct victim *victim)
{
	MUST(have_breakpoint());
	victim->file = breakpoint_file;
	move_to(victim->place.address);
}

static void *is_cancelled_at_once(void *victim)
{
	arm(victim);
	MUST(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	make(((struct victim *)victim)->place.call);
	return NULL;
}

static void *is_cancelled_in_read(void *argument)
{
	struct victim *victim = argument;
	char byte;

	arm(victim);
	making = by_library;
	victim->has_read = read(ends[0], &byte, 1) == 1;
	making = NULL;
	pthread_testcancel();
	return NULL;
}

static int lost_bytes;

/* Threads cancel themselves at each place, or at each that a call of the library may come by. */
static void cancel_at_each(void *(*body)(void *), int all)
{
	pthread_t thread;
	void *result;
	int there;
	char byte;

	for (int i = 0; i < place_count; i++) {
		struct victim victim = { places[i], -1, 0 };
		int before = hits;

		if (!all && !places[i].reads)
			continue;
		MUST(write(ends[1], "x", 1) == 1);
		then = cancel;
		MUST(!pthread_create(&thread, NULL, body, &victim));
		MUST(!pthread_join(thread, &result));
		then = NULL;
		MUST(!close(victim.file));
		MUST(result == (hits > before ? PTHREAD_CANCELED : NULL));
		MUST(!ioctl(ends[0], FIONREAD, &there));
		if (there)
			MUST(read(ends[0], &byte, 1) == 1);
#ifndef __GLIBC__
		/* Whoever is cancelled in a call has not made it. glibc has kept to that since 2.41. */
		if ((there == 0) != victim.has_read)
			lost_bytes++;
#endif
	}
}

static void *returns(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (!have_breakpoint()) {
		fprintf(stderr, "no breakpoints here: %s\n", strerror(errno));
	} else {
		make_aside();
		/* What is loaded when it is first used. */
		MUST(!pthread_create(&thread, NULL, returns, NULL));
		MUST(!pthread_cancel(thread) && !pthread_join(thread, NULL));
		read_mappings();
		unwind();
		read_mappings();
		MUST(!pipe(ends));
		prepare();
		strangers = 0;
		handle(on_trap, SA_SIGINFO);
		find_places();
		jump_out_of_each();
		unwind_at_each();
		die_at_each();
		cancel_at_each(is_cancelled_at_once, 1);
		cancel_at_each(is_cancelled_in_read, 0);
		/* An agent that has been met has more instructions than that. */
		MUST(!other_count || place_count > 300);
		fprintf(stderr, "%d places\n", place_count);
	}
	printf("handlers found the program elsewhere: %d\n", strangers);
	printf("registers changed: %d\n", changed);
	printf("stacks cut short: %d, handlers on another stack: %d\n", cut_short, off_stack);
	printf("bytes lost by threads that were cancelled: %d\n", lost_bytes);
	return 0;
}
