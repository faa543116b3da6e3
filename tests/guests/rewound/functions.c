/*
 * Functions with names of C and of C++, each of which writes a letter: so a run tells before which of them
 * it began. The last letter is written behind a function of the C library.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))

static void tell(char letter)
{
	if (write(STDOUT_FILENO, &letter, 1) != 1)
		_exit(1);
}

/* ns::one(int), over(int) and over(double). */
void one(int) __asm__("_ZN2ns3oneEi");
void over_int(int) __asm__("_Z4overi");
void over_double(double) __asm__("_Z4overd");

FUNCTION static void plain(void)
{
	tell('a');
}

FUNCTION void one(int number)
{
	tell('a' + number);
}

FUNCTION void over_int(int number)
{
	tell('a' + number);
}

FUNCTION void over_double(double number)
{
	tell('a' + (int)number);
}

int main(int argc, char **argv)
{
	plain();
	one(1);
	over_int(2);
	over_double(3.0);
	tell(strverscmp(argv[0], "") > 0 ? 'e' : '?');
	return argc - 1;
}
