/* Standard input is the guest's alone.
 *
 * @stdin first line\nsecond line\n
 * @steady
 */
#include "../hard.h"

int main(void)
{
	char line[64];

	while (fgets(line, sizeof line, stdin))
		printf("got %s", line);
	return 0;
}
