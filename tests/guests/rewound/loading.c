/*
 * Calls the function of each library that it is given, the last one's in a child first, and writes a letter
 * after each. Before that it maps memory of no file, with descriptors that such a call is not about.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1 << 16 };

static void load(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		_exit(2);
	int (*function)(int) = (int (*)(int))dlsym(handle, "_Z5parsei");
	if (!function || function(6) != 7)
		_exit(3);
}

static void map_no_file(int fd)
{
	static const char zeroes[SIZE];
	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (memory == MAP_FAILED || memcmp(memory, zeroes, SIZE))
		_exit(4);
}

int main(int argc, char **argv)
{
	/* To open the reading end of this once more would take a writer. */
	int ends[2], status;
	if (pipe(ends) || close(ends[1]))
		return 5;
	map_no_file(ends[0]);
	close(ends[0]);
	map_no_file(open(argv[argc - 1], O_RDONLY));

	pid_t child = fork();
	if (!child) {
		load(argv[argc - 1]);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		return 6;

	for (int i = 1; i < argc; i++) {
		char letter = 'a' + i - 1;
		load(argv[i]);
		if (write(STDOUT_FILENO, &letter, 1) != 1)
			return 7;
	}
	return 0;
}
