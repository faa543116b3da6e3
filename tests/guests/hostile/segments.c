/* Other ways into the kernel: 32-bit code, the instruction for it, and frames of signals. */
#include "hostile.h"
#include <asm/ldt.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <ucontext.h>

#define USER32_CS 0x23
#define LDT_CS 7

/* Below 4 GiB: the code, and where what it needs lies behind it. */
static char *low;
#define STACK 0xf00
#define SAVED 0x800
#define WAY 0x808
#define PATH 0x900

__asm__(".pushsection .text\n"
	"enter:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, 0x800(%rdi)\n"
	"	lea 0xf00(%rdi), %rsp\n"
	"	lea 0x900(%rdi), %rbx\n"
	"	lcall *0x808(%rdi)\n"
	"	mov 0x800(%rdi), %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	"by_interrupt:\n"
	"	.code32\n"
	"	mov $5, %eax\n" /* open */
	"	xor %ecx, %ecx\n"
	"	xor %edx, %edx\n"
	"	int $0x80\n"
	"	lret\n"
	"by_instruction:\n"
	"	mov $5, %eax\n"
	"	xor %ecx, %ecx\n"
	"	mov %ecx, %ebp\n"
	"	xor %edx, %edx\n"
	"	syscall\n"
	"	lret\n"
	"	.code64\n"
	"leave:\n"
	"	.popsection\n");

extern char enter[], by_interrupt[], by_instruction[], leave[];

/* What a call that could not come back has opened. */
static void look(int signal)
{
	int won = 0;

	(void)signal;
	for (int fd = 3; fd < 8; fd++)
		won |= tells(fd);
	_exit(won);
}

/* Runs an attempt in a child, which may crash. */
static int in_child(int (*attempt)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGSEGV, look);
		signal(SIGILL, look);
		signal(SIGBUS, look);
		signal(SIGTRAP, look);
		_exit(attempt());
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static int through(const char *code, unsigned short segment)
{
	*(unsigned *)(low + WAY) = (unsigned)(unsigned long)low + (unsigned)(code - enter);
	*(unsigned short *)(low + WAY + 4) = segment;
	return tells(((int (*)(char *))low)(low));
}

static int segment(void) { return through(by_interrupt, USER32_CS); }
static int segment_instruction(void) { return through(by_instruction, USER32_CS); }

/* A segment of our own. */
static int own_segment(void)
{
	struct user_desc code = { .limit = 0xfffff, .seg_32bit = 1, .contents = 2, .limit_in_pages = 1, .useable = 1 };

	return syscall(SYS_modify_ldt, 1, &code, sizeof code) == 0 && through(by_interrupt, LDT_CS);
}

static int sysenter(void)
{
	int result;

	__asm__ volatile("push %%rbp\n\tmov %1, %%rbp\n\tsysenter\n\tpop %%rbp"
			 : "=a"(result)
			 : "r"(low + STACK), "a"(5), "b"(low + PATH), "c"(0), "d"(0)
			 : "memory");
	return tells(result);
}

static long entry;

/* The frame goes on where a call is made, with registers of its own choice. */
static void choose(int signal, siginfo_t *info, void *frame)
{
	greg_t *registers = ((ucontext_t *)frame)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	registers[REG_RIP] = entry;
	registers[REG_RAX] = SYS_open;
	registers[REG_RDI] = (greg_t)(low + PATH);
	registers[REG_RSI] = registers[REG_RDX] = 0;
}

static int by_frame(void)
{
	static const unsigned char code[] = { 0x0f, 0x05, 0x89, 0xc7, 0xcc }; /* syscall; mov %eax, %edi; int3 */
	struct sigaction action = { .sa_sigaction = choose, .sa_flags = SA_SIGINFO };

	memcpy(low, code, sizeof code);
	entry = (long)low;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	return 0;
}

static volatile char selector;

/* A call that is dispatched to a handler, which makes it. */
static void make(int signal)
{
	(void)signal;
	selector = 0;
	_exit(tells_path("secret/file"));
}

static int by_dispatch(void)
{
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) < 0)
		return 0;
	signal(SIGSYS, make);
	selector = 1;
	syscall(SYS_getppid);
	return 0;
}

int main(void)
{
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		return 1;
	memcpy(low, enter, (size_t)(leave - enter));
	strcpy(low + PATH, "secret/file");
	TRY("frame", in_child(by_frame));
	CAN("segment", in_child(segment));
	CAN("segment, by instruction", in_child(segment_instruction));
	CAN("own segment", in_child(own_segment));
	CAN("sysenter", in_child(sysenter));
	CAN("dispatch", in_child(by_dispatch));
	return 0;
}
