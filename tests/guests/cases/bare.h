/* For guests without a libc: from entry to exit they make only the calls which they show. */
#ifndef BARE_H
#define BARE_H

#define _GNU_SOURCE

#include <sys/syscall.h>

static inline long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return number;
}

#define CALL(name, a, b, c, d) call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

void _start(void);

#endif
