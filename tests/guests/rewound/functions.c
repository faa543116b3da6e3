/*
 * Functions with names of C and of C++, each of which writes a letter: so a run tells before which of them
 * it began. The last letter but one is written behind a function of the C library, the last one by a function that is
 * chosen when the program is linked (IFUNC). With an argument, as many threads call a function at once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
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

static void really_chosen(void)
{
	tell('f');
}

static void (*choose(void))(void)
{
	return really_chosen;
}

void chosen(void) __attribute__((ifunc("choose")));

static atomic_int awaited;

FUNCTION static void together(void)
{
	tell('t');
}

static void *thread(void *unused)
{
	awaited--;
	while (awaited > 0)
		;
	together();
	return unused;
}

static int threads(int count)
{
	pthread_t list[64];
	awaited = count;
	for (int at = 0; at < count; at++)
		if (pthread_create(&list[at], NULL, thread, NULL))
			return 1;
	for (int at = 0; at < count; at++)
		pthread_join(list[at], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return threads(atoi(argv[1]));
	/* By pointers: the compiler knows what these do. */
	size_t (*volatile length)(const char *) = strlen;
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	char first;
	copy(&first, argv[0], length(argv[0]) > 0);
	plain();
	one(1);
	over_int(2);
	over_double(3.0);
	tell(strverscmp(argv[0], "") > 0 ? 'e' : '?');
	chosen();
	return 0;
}
