/* Ends with a bit for each call that tells of a read-only file system, from the lowest: four about a file in
 * a read-only place, and four about another. */
#include "../compared_i386/i386.h"

/* ST_RDONLY, and where the flags are in struct statfs and in struct statfs64. */
#define READ_ONLY 1
#define FLAGS 44
#define FLAGS64 64
#define SIZE64 84

static int bit;
static int told;

static void tell(long result, long offset)
{
	if (result)
		CALL(exit_group, 255);
	told |= (*(long *)(buffer + offset) & READ_ONLY) << bit++;
}

static void tell_of(const char *path)
{
	long file = CALL(open, P(path), 0, 0);

	tell(CALL(statfs, P(path), P(buffer)), FLAGS);
	tell(CALL(fstatfs, file, P(buffer)), FLAGS);
	tell(CALL(statfs64, P(path), SIZE64, P(buffer)), FLAGS64);
	tell(CALL(fstatfs64, file, SIZE64, P(buffer)), FLAGS64);
}

static void guest(void)
{
	tell_of("/place/version");
	tell_of("/dev/null");
	CALL(exit_group, told);
}
