/* What self-printing guests share.
 *
 * Between begin() and end() a guest makes system calls by CALL and says, for each, the line which
 * a trace of it must show. The lines are kept in memory while calls are made, so that printing
 * them is no part of the trace, and go to stdout after end().
 *
 *     begin();
 *     CALL(syscall(SYS_close, -1), "close(-1)");
 *     end();
 *
 * prints `close(-1) = -1 EBADF (Bad file descriptor)`. Every call between begin() and end(), of
 * the thread which made begin(), must have its line: no malloc, no stdio, raw calls only.
 * Lines follow strace 6.1.
 */
#ifndef GUEST_H
#define GUEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "errors.h"

static char expected[1 << 20];
static size_t expected_length;

/* The parts of one line are added by `say`; a line ends by '\n'. */
static inline void say_list(const char *format, va_list arguments)
{
	size_t room = sizeof expected - expected_length;
	int length = vsnprintf(expected + expected_length, room, format, arguments);

	if (length < 0 || (size_t)length >= room)
		abort();
	expected_length += length;
}

__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_list(format, arguments);
	va_end(arguments);
}

static inline void say_error(int error)
{
	for (size_t i = 0; i < sizeof error_names / sizeof *error_names; i++) {
		if (error_names[i].number == error) {
			say("-1 %s (%s)", error_names[i].name, error_names[i].text);
			return;
		}
	}
	say("-1 errno %d, which guest.h does not name", error);
}

/* Marks what differs from run to run: pids, times. Addresses need no mark. */
#define VARIES(format) "<?" format "?>"
#define ID VARIES("%d")

/* One whole line, for what is not a call: a signal, an exit. */
#define LINE(...) (say(__VA_ARGS__), say("\n"))

/* Makes the call `expression`; its line is the text which follows, `" = "` and the result. */
#define CALL_AS(result_format, expression, ...)                                                    \
	do {                                                                                       \
		long result_ = (expression);                                                       \
		int error_ = errno;                                                                \
		say(__VA_ARGS__);                                                                  \
		say(" = ");                                                                        \
		if (result_ == -1)                                                                 \
			say_error(error_);                                                         \
		else                                                                               \
			say(result_format, result_);                                               \
		say("\n");                                                                         \
	} while (0)

#define CALL(expression, ...) CALL_AS("%ld", expression, __VA_ARGS__)
/* A call whose result is an address, or another number shown in hexadecimal. */
#define CALL_HEX(expression, ...) CALL_AS("%#lx", expression, __VA_ARGS__)
/* A call whose result differs from run to run. */
#define CALL_VARIES(expression, ...) CALL_AS(VARIES("%ld"), expression, __VA_ARGS__)
/* A call whose result is a file mode. */
#define CALL_MODE(expression, ...) CALL_AS("%#03lo", expression, __VA_ARGS__)

static inline void begin(void)
{
	umask(022);
	syscall(SYS_faccessat, AT_FDCWD, "/guest/begin", F_OK);
}

/* Ends the part that counts, and prints its lines. */
static inline void end(void)
{
	syscall(SYS_faccessat, AT_FDCWD, "/guest/end", F_OK);
	for (size_t sent = 0; sent < expected_length;) {
		ssize_t length = write(1, expected + sent, expected_length - sent);

		if (length < 0)
			abort();
		sent += length;
	}
}

/* `size` bytes, of which the first `readable` can be read and the rest are not mapped. Both are
 * whole pages. */
static inline char *half_mapped(size_t readable, size_t size)
{
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || munmap(area + readable, size - readable))
		abort();
	return area;
}

#endif
