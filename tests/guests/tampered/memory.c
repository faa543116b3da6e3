/* What arguments point to is written over, before and behind calls.
 *
 * @options -e inject=chdir:poke_enter=@arg1=2f00 -e inject=read:poke_exit=@arg2=4142:when=1+2
 * @options -e inject=getcwd:retval=3:poke_enter=@arg1=4142:poke_exit=@arg1=61 -P /dev/zero -P /nowhere
 * @options -P /nothing -e inject=unlink,rmdir:poke_exit=@arg1=00,@arg2=00
 */
#include "../hard.h"

int main(void)
{
	char path[] = "/nowhere", buffer[16] = "0123456789";
	char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *constant = "/nothing";
	int zero = open("/dev/zero", O_RDONLY);

	MUST(chdir(path) == 0);
	MUST(path[0] == '/' && path[1] == 0 && path[2] == 'o');
	/* Only what uses one of the paths is tampered with. */
	strcpy(path, "/noone");
	MUST(chdir(path) == -1 && errno == ENOENT && !strcmp(path, "/noone"));

	MUST(read(zero, buffer, 10) == 10);
	MUST(!memcmp(buffer, "AB\0\0\0\0\0\0\0\0", 10));
	MUST(read(zero, buffer, 10) == 10 && buffer[0] == 0);
	/* Where nothing can be written, nothing else happens. */
	MUST(syscall(SYS_read, zero, NULL, 10) == -1 && errno == EFAULT);
	MUST(syscall(SYS_read, zero, shared, 10) == -1 && errno == EFAULT);
	MUST(read(zero, buffer, 10) == 10 && buffer[0] == 'A');

	/* Also where the guest may not write, and although there is no second argument. */
	MUST(unlink(constant) == -1 && errno == ENOENT);
	MUST(*(volatile const char *)constant == 0);
	return 0;
}
