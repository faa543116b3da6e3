/* For 32-bit guests without a libc: the calls which they make, by number, and nothing else.
 *
 * A guest defines guest(); CALL(number, arguments...) makes a call with up to six arguments, which
 * are 0 where they are left out.
 */
#ifndef I386_H
#define I386_H

#include <asm/unistd_32.h>

#define BAD 0xbad
#define CALL(name, ...) call(__NR_##name, (long[6]){ __VA_ARGS__ })
#define P(...) (long)(__VA_ARGS__)
#define LONGS(...) P((long[]){ __VA_ARGS__ })
#define LONG_LONGS(...) P((long long[]){ __VA_ARGS__ })
#define SHORTS(...) P((short[]){ __VA_ARGS__ })

/* %ebp, which the compiler may need for its frame, holds the last argument. */
static __attribute__((noinline)) long call(long number, const long *arguments)
{
	static long last;
	long result;

	last = arguments[5];
	__asm__ volatile("push %%ebp\n\tmov %7, %%ebp\n\tint $0x80\n\tpop %%ebp"
			 : "=a"(result)
			 : "0"(number), "b"(arguments[0]), "c"(arguments[1]), "d"(arguments[2]),
			   "S"(arguments[3]), "D"(arguments[4]), "m"(last)
			 : "memory");
	return result;
}

static char buffer[65536] __attribute__((aligned(4096)));

static void guest(void);

void _start(void);

__attribute__((force_align_arg_pointer)) void _start(void)
{
	guest();
	CALL(exit_group, 0);
}

#endif
