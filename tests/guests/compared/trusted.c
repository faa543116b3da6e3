/* Requests to environments that are to be trusted, of which each says itself how long it is. */
#include <linux/tee.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define I(request, argument) syscall(SYS_ioctl, -1, request, (long) (argument))

static struct tee_ioctl_buf_data whole;

/* So many parameters behind a struct of so many bytes, the last four of which count them. */
static void ask(unsigned request, char *at, unsigned head, unsigned count, int more)
{
	struct tee_ioctl_param *parameters = (struct tee_ioctl_param *) (at + head);

	for (unsigned i = 0; i < count; i++)
		parameters[i] = (struct tee_ioctl_param){ .attr = i < 8 ? i : i << 16, .a = i, .b = 2, .c = -1 };
	memcpy(at + head - 4, &count, sizeof count);
	whole.buf_ptr = (uintptr_t) at;
	whole.buf_len = head + count * sizeof *parameters + more;
	I(request, &whole);
}

int main(void)
{
	static const struct { unsigned request, size; } asked[] = {
		{ TEE_IOC_OPEN_SESSION, sizeof(struct tee_ioctl_open_session_arg) },
		{ TEE_IOC_INVOKE, sizeof(struct tee_ioctl_invoke_arg) },
		{ TEE_IOC_SUPPL_RECV, sizeof(struct tee_iocl_supp_recv_arg) },
		{ TEE_IOC_SUPPL_SEND, sizeof(struct tee_iocl_supp_send_arg) },
	};
	static char room[4096];
	char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + 4096;

	munmap(end, 4096);
	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
		unsigned request = asked[i].request, size = asked[i].size;

		memset(room, 0, sizeof room);
		for (unsigned count = 0; count < 9; count++) {
			ask(request, room, size, count, 0);
			ask(request, room, size, count, 8);
			ask(request, room, size, count, -8);
		}
		for (unsigned login = 0; login < 7; login++) {
			/* There is no third one. */
			room[32] = login == 3 ? 0 : login;
			ask(request, room, size, 0, 0);
		}
		memset(end - size, 0, size);
		whole = (struct tee_ioctl_buf_data){ .buf_ptr = (uintptr_t) (end - size), .buf_len = size };
		I(request, &whole);
		end[-4] = 1;
		whole.buf_len += sizeof(struct tee_ioctl_param);
		I(request, &whole);
		whole.buf_ptr = 1;
		I(request, &whole);
		whole.buf_ptr = 0;
		I(request, &whole);
		I(request, 1);
	}
}
