/* exec with thousands of arguments and variables, and with very long ones.
 *
 * @steady
 */
#include "../hard.h"

#define MANY 3000
#define LONG 100000

static unsigned sum_of(char **strings)
{
	unsigned sum = 0;

	for (; *strings; strings++) {
		for (char *c = *strings; *c; c++)
			sum = sum * 31 + (unsigned char)*c;
	}
	return sum;
}

int main(int argc, char **argv, char **envp)
{
	static char *arguments[MANY + 2], *variables[MANY + 2];
	char *long_one = malloc(LONG + 1);

	if (argc > 1) {
		printf("%d arguments, sums %u %u\n", argc, sum_of(argv + 1), sum_of(envp));
		return 0;
	}
	memset(long_one, 'a', LONG);
	long_one[LONG] = 0;
	for (int i = 0; i < MANY; i++) {
		arguments[i] = i % 100 == 3 ? "\377\001 odd \n" : "an argument";
		variables[i] = "VARIABLE=value";
	}
	arguments[1] = long_one;
	variables[1] = long_one;
	execve("/proc/self/exe", arguments, variables);
	return 1;
}
