/* A 64-bit program that goes into 32-bit code and forks there: the child begins with its maker's %gs,
 * which 32-bit code has a segment for. */
#include "../hard.h"
#include <asm/ldt.h>

#define SAYS 0x12345678u

/* The stack, the way into 32-bit code and what that has read are behind the code, in a page below 4 GiB. */
__asm__(".pushsection .text\n"
	"enter:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, 0x800(%rdi)\n"
	"	lea 0xf00(%rdi), %rsp\n"
	"	lcall *0x808(%rdi)\n"
	"	mov 0x800(%rdi), %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	"narrow:\n"
	"	.code32\n"
	"	mov %esi, %gs\n"
	"	mov $2, %eax\n" /* fork */
	"	int $0x80\n"
	"	mov %gs:0, %edx\n"
	"	mov %edx, %ss:0x810(%edi)\n"
	"	lret\n"
	"	.code64\n"
	"leave:\n"
	"	.popsection\n");

extern char enter[], narrow[], leave[];

static long call32(long number, void *a)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void not_there(int number)
{
	(void)number;
	printf("no 32-bit code here\n");
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	int all = PROT_READ | PROT_WRITE | PROT_EXEC;
	char *page = mmap(NULL, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct user_desc *area = (void *)(page + 0xa00);
	unsigned *said = (void *)(page + 0x810);
	int selector, result;

	MUST(page != MAP_FAILED);
	for (int i = 0; i < 50; i++)
		MUST(getppid() > 0 && access("/", F_OK) == 0);
	signal(SIGSEGV, not_there);
	memcpy(page, enter, leave - enter);
	*(unsigned *)(page + 0x808) = (unsigned)(unsigned long)page + (narrow - enter);
	*(unsigned short *)(page + 0x80c) = 0x23;
	*(unsigned *)(page + 0xb00) = SAYS;
	area->entry_number = -1;
	area->base_addr = (unsigned)(unsigned long)page + 0xb00;
	area->limit = 0xfffff;
	area->seg_32bit = area->limit_in_pages = area->useable = 1;
	/* 243 is set_thread_area. */
	MUST(call32(243, area) == 0);
	selector = area->entry_number * 8 + 3;
	signal(SIGSEGV, SIG_DFL);
	result = ((int (*)(char *, long))page)(page, selector);
	if (result == 0)
		_exit(*said == SAYS ? 1 : 2);
	printf("kept %d, by a child %d\n", *said == SAYS, WEXITSTATUS(await(result)) == 1);
	return 0;
}
