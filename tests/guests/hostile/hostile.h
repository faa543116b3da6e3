/* What the hostile guests share. They are started in a directory with
 *   open/file      which they may read,
 *   secret/file    which begins with SECRET, and secret/program, which says "won program",
 *   alone          another such program, which is a secret too but where nothing is to be changed, and
 *   open/alone     a link to it.
 * Nobody is to make absent/file either where only changes are forbidden.
 * Each attempt to reach what is secret says `won NAME` or `lost NAME`. Without enforcement all are won,
 * but for those of `can`, which need rights that not everybody has. */
#ifndef HOSTILE_H
#define HOSTILE_H

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
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether a descriptor reads what is secret. It is closed. */
static inline int tells(int fd)
{
	char text[16] = "";
	ssize_t got;

	if (fd < 0)
		return 0;
	got = pread(fd, text, sizeof text - 1, 0);
	close(fd);
	return got > 0 && strncmp(text, "SECRET", 6) == 0;
}

static inline int tells_path(const char *path)
{
	return tells(open(path, O_RDONLY));
}

static inline void say(const char *name, int won)
{
	printf("%s %s\n", won ? "won" : "lost", name);
	fflush(stdout);
}

#define TRY(name, won) say(name, won)
#define CAN(name, won)                                                                             \
	do {                                                                                       \
		if (won)                                                                           \
			say(name, 1);                                                              \
	} while (0)

/* A path that a thread changes from one file to the other, until `over` says so. */
static char swapped[] __attribute__((unused)) = "open/file\0\0\0";

static inline void *swap_files(void *over)
{
	static const char good[] = "open/file\0\0", bad[] = "secret/file";

	while (!*(volatile int *)over) {
		memcpy(swapped, bad, sizeof swapped - 1);
		__asm__ volatile("" : : : "memory");
		memcpy(swapped, good, sizeof swapped - 1);
		__asm__ volatile("" : : : "memory");
	}
	return NULL;
}

/* A number from the command line. */
static inline long rounds(int argc, char **argv)
{
	return argc > 1 ? atol(argv[1]) : 1000;
}

#endif
