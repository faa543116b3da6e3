/* What the hard guests share. They print what they saw, which must be the same under a tracer.
 * A line `count NAME N` says how many calls NAME all their tasks made; it may differ from run to
 * run, but must be what the trace shows. */
#ifndef HARD_H
#define HARD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the guest with a message if `condition` does not hold. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition,         \
				strerror(errno));                                                  \
			_exit(99);                                                                 \
		}                                                                                  \
	} while (0)

/* The next number below this one, of a generator that began with the same state in every run. */
static inline uint32_t pick(uint32_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % below;
}

/* Says how a child ended, which it must have done. */
static inline void say_end(const char *name, int status)
{
	if (WIFEXITED(status))
		printf("%s exited with %d\n", name, WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		printf("%s was killed by %d\n", name, WTERMSIG(status));
	else
		printf("%s did neither exit nor was it killed: %#x\n", name, status);
}

/* Waits for a child to end, whatever signals come meanwhile. */
static inline int await(pid_t child)
{
	int status;
	pid_t got;

	do
		got = waitpid(child, &status, __WALL);
	while (got < 0 && errno == EINTR);
	MUST(got == child);
	return status;
}

/* Has a child do something, for so many seconds at most, and says how that ended: with status 5 if
 * nothing ended the child before. */
static inline void in_child(const char *name, unsigned seconds, void (*does)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(seconds);
		does();
		_exit(5);
	}
	MUST(pid > 0);
	say_end(name, await(pid));
}

#endif
