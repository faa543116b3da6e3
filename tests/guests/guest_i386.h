/* What self-printing 32-bit guests share: guest.h for programs without a libc.
 *
 * Between begin() and end() a guest makes system calls by SHOW and says, for each, the line which a trace
 * of it must show, without ` = ` and the result:
 *
 *     begin();
 *     SHOW("close(-1)", close, -1);
 *     end();
 *
 * No capability is left after begin(): what only the mighty may do fails. Lines follow strace 6.1.
 */
#ifndef GUEST_I386_H
#define GUEST_I386_H

#include "compared_i386/i386.h"
#include "errors.h"

static char expected[1 << 16];
static unsigned long expected_length;

static void say(const char *text)
{
	while (*text)
		expected[expected_length++] = *text++;
}

static void say_number(unsigned long number, unsigned long base)
{
	if (number >= base)
		say_number(number / base, base);
	say((char[]){ "0123456789abcdef"[number % base], 0 });
}

static void say_error(long error)
{
	say("-1 ");
	for (unsigned at = 0; at < sizeof error_names / sizeof *error_names; at++) {
		if (error_names[at].number == error) {
			say(error_names[at].name);
			say(" (");
			say(error_names[at].text);
			say(")");
			return;
		}
	}
	say("an error that errors.h does not name: ");
	say_number(error, 10);
}

/* One line: what was called, and what stands before and behind the digits of its result. */
static void line(const char *text, long result, const char *before, unsigned long base, const char *behind)
{
	say(text);
	say(" = ");
	if (result < 0 && result > -4096) {
		say_error(-result);
	} else {
		say(before);
		say_number(result, base);
		say(behind);
	}
	say("\n");
}

#define SHOW(text, ...) line(text, CALL(__VA_ARGS__), "", 10, "")
/* A call whose result is an address, or another number shown in hexadecimal. */
#define SHOW_HEX(text, ...) line(text, CALL(__VA_ARGS__), "0x", 16, "")
/* A call whose result is a file mode. */
#define SHOW_MODE(text, ...) line(text, CALL(__VA_ARGS__), "0", 8, "")
/* A call whose result differs from run to run. */
#define SHOW_VARIES(text, ...) line(text, CALL(__VA_ARGS__), "<?", 10, "?>")
/* A call with something told behind its result. */
#define SHOW_NOTE(note, text, ...) line(text, CALL(__VA_ARGS__), "", 10, note)

static void begin(void)
{
	/* Version 3, of this thread, and nothing. */
	long all[] = { 0x20080522, 0 }, none[6] = { 0 };

	if (CALL(capset, P(all), P(none)))
		CALL(exit_group, 1);
	CALL(umask, 022);
	CALL(setpgid, 0, 0);
	CALL(faccessat, -100, P("/guest/begin"), 0);
}

/* Ends the part that counts, and prints its lines. */
static void end(void)
{
	CALL(faccessat, -100, P("/guest/end"), 0);
	for (unsigned long sent = 0; sent < expected_length;) {
		long length = CALL(write, 1, P(expected + sent), expected_length - sent);

		if (length < 0)
			CALL(exit_group, 1);
		sent += length;
	}
}

#endif
