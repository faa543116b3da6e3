/* Threads that make calls at sites which are patched and put back meanwhile. Prints where the sites
 * are, and waits for the end of its input; then how many calls there were, and how many of them
 * went by a jump. Ends with 1 at a call with a wrong result. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define THREADS 8
/* The instruction before the call begins so far behind a multiple of 4096: at each place in a word,
 * across two cache lines, across two pages. */
#define PLACES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(61) X(4093)

/* gettid, by `mov $number, %eax; syscall; ret`. */
#define SITE(place)                                                                                \
	__asm__(".text\n"                                                                          \
		".balign 4096, 0xcc\n"                                                             \
		".skip " #place ", 0xcc\n"                                                         \
		"site_" #place ": mov $186, %eax\n"                                                \
		"syscall\n"                                                                        \
		"ret\n");                                                                          \
	extern long site_##place(void);
PLACES(SITE)

/* The same without room for the jump, and with a board for it: nobody executes what is before. */
#define SHORT_SITE(place)                                                                          \
	__asm__(".text\n"                                                                          \
		".balign 4096, 0xcc\n"                                                             \
		".skip 16 + " #place ", 0xcc\n"                                                    \
		"short_" #place ": mov $186, %al\n"                                                \
		"syscall\n"                                                                        \
		"ret\n"                                                                            \
		"to_short_" #place ": xor %eax, %eax\n"                                            \
		"jmp short_" #place "\n");                                                         \
	extern const char short_##place[];                                                         \
	extern long to_short_##place(void);
PLACES(SHORT_SITE)

/* Where trampolines go, and what they jump to with the address of the site's in r11. */
__asm__(".balign 4096, 0xcc\n"
	"trampolines: .skip 4096, 0xcc\n"
	"entry: lock incq taken(%rip)\n"
	"jmp *(%r11)\n");
extern const char trampolines[], entry[];
long taken;

#define NAME(place) site_##place,
#define TO_SHORT(place) to_short_##place,
static long (*const sites[])(void) = { PLACES(NAME) PLACES(TO_SHORT) };
#define SITES (sizeof sites / sizeof *sites)

static _Atomic int over;
static _Atomic long calls;

/* Does what the supervisor does at the breakpoint of a patch that is being written. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]--;
}

static void *make_calls(void *unused)
{
	long made = 0, me = syscall(SYS_gettid);

	while (!over) {
		for (unsigned i = 0; i < SITES; i++) {
			long result = sites[i]();

			if (result != me) {
				printf("site %u: %ld instead of %ld\n", i, result, me);
				fflush(stdout);
				_exit(1);
			}
			made++;
		}
	}
	calls += made;
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	pthread_t threads[THREADS];

	/* The more there is to come by, the more often who writes has a processor. */
	if (nice(19) < 0)
		return 2;
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, make_calls, NULL))
			return 2;
	printf("%ld %ld", (long)trampolines, (long)entry);
#define PRINT(place) printf(" %ld", (long)site_##place);
	PLACES(PRINT)
	printf("\n");
#define PRINT_SHORT(place) printf(" %ld", (long)short_##place);
	PLACES(PRINT_SHORT)
	printf("\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", (long)calls, taken);
	return 0;
}
