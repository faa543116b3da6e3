/* Lengths, numbers and ends of pages that programs do not give. */
#include <errno.h>
#include <linux/kd.h>
#include <linux/sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define C(name, ...) syscall(SYS_##name, __VA_ARGS__)
#define I(request, argument) syscall(SYS_ioctl, -1, request, (long) (argument))

/* The end of a page behind which there is none. */
static char *end;

static void *number(unsigned back, uint32_t value)
{
	return memcpy(end - back, &value, sizeof value);
}

static void ipc(void)
{
	static const int commands[] = { 0x100, 0x102, 0x900, 9, 0x1fe, 0xfe };

	for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
		C(semctl, -1, 0, commands[i], 0);
		C(shmctl, -1, commands[i], 0);
		C(msgctl, -1, commands[i], 0);
	}
	memset(end - 32, 'm', 32);
	*(long *) (end - 16) = 5;
	C(msgsnd, -1, end - 16, 8, 0);
	C(msgsnd, -1, end - 16, 9, 0);
	C(msgsnd, -1, end - 8, 1, 0);
	C(msgsnd, -1, end - 8, 0, 0);
	C(msgsnd, -1, end - 7, 0, 0);
}

static void processes(void)
{
	static const uint64_t signals[] = { 1, 17, 64, 65, 0xffffffff, -1UL, 0x100000001, 0x80000000 };
	static uint64_t cpus[32], clone[11];
	struct {
		uint32_t size, policy;
		uint64_t flags, others[5];
	} scheduled = { 48, -1, 8, { 0 } };

	C(sched_setaffinity, -5, 136, cpus);
	C(sched_setaffinity, -5, 1000000, cpus);
	cpus[3] = 5;
	C(sched_setaffinity, -5, 127, cpus);
	C(sched_setaffinity, -5, 129, cpus);
	C(sched_setaffinity, -5, 136, memset(end - 130, 1, 130));
	C(sched_setaffinity, -5, 136, end - 127);
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
		clone[0] = CLONE_THREAD;
		clone[4] = signals[i];
		C(clone3, clone, 64);
	}
	C(sched_setattr, -5, &scheduled, 0);
	scheduled.policy = 1;
	C(sched_setattr, -5, &scheduled, 0);
	C(sched_setattr, -5, number(4, 13), 0);
	C(sched_setattr, -5, number(4, 48), 0);
	memset(end - 48, 0, 48);
	C(sched_setattr, -5, number(48, 56), 0);
	C(sched_setattr, -5, number(48, 0), 0);
	C(sched_setattr, -5, number(24, 13), 0);
	C(sched_setattr, -5, number(40, 0), 0);
	for (unsigned i = 0; i < 12; i++) {
		C(rt_sigpending, cpus, i);
		C(rt_sigpending, end - i, i);
		C(rt_sigprocmask, 99, cpus, 0, i);
	}
	for (int arch = 0; arch < 0x110000; arch += 0x10000)
		C(kexec_load, 0, 0, 0, arch);
}

static void memory(void)
{
	static const long modes[] = { 0x8000, 0x2001, 0x10000, 0x18000, 0x10001, 9, 0x8009, 1L << 40 };

	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
		C(set_mempolicy, modes[i], 0, 0);
		C(mbind, 0, 4096, modes[i], 0, 0, -1);
	}
}

static void mounts(void)
{
	static uint64_t attributes[6] = { 1 };

	for (int flag = 0x10; flag < 0x400000; flag *= 2)
		C(fsmount, -1, 0, flag);
	C(mount_setattr, -1, "x", 0x8900, attributes, 32);
	C(mount_setattr, -1, "x", 0x600, attributes, 40);
	attributes[4] = 1;
	C(mount_setattr, -1, "x", 0x200, attributes, 40);
	C(mount_setattr, -1, "x", 0x200, attributes, 48);
	memset(end - 40, 1, 40);
	C(mount_setattr, -1, "x", 0, end - 32, 40);
	C(mount_setattr, -1, "x", 0, end - 31, 32);
	C(mount_setattr, -1, "x", 0, end - 40, 41);
}

static void console(void)
{
	static const uint32_t counts[] = { 0, 1, 2, 255, 300, -1 };
	char *page = end - 4096;

	for (int leds = 0; leds < 0x108; leds += 3) {
		I(KDSETLED, leds);
		I(KDSKBLED, leds);
	}
	I(KDSIGACCEPT, 0);
	I(KDSIGACCEPT, 15);
	I(KDSIGACCEPT, 200);
	I(KDSIGACCEPT, -1L);
	I(KIOCSOUND, -1L);
	I(KIOCSOUND, 0x1000003e8);
	I(KDMKTONE, -1L);
	memset(end - 10, 'a', 10);
	end[-10] = 1;
	end[-1] = 0;
	I(KDSKBSENT, end - 10);
	I(KDGKBSENT, end - 10);
	I(KDGKBSENT, end - 1);
	I(KDSKBSENT, end - 1);
	I(KDSKBSENT, end);
	memset(page, 1, 4096);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		I(KDSKBDIACR, number(4, counts[i]));
		I(KDSKBDIACRUC, end - 4);
		I(KDSKBDIACRUC, number(32, counts[i]));
		I(KDGKBDIACR, end - 32);
	}
	I(KDSKBDIACR, number(4096, 5));
	I(KDSKBDIACRUC, page);
	memset(end - 16, 0, 16);
	I(GIO_UNIMAP, end - 16);
	I(GIO_UNIMAP, end - 15);
	I(PIO_UNIMAP, end - 16);
	end[-16] = 2;
	*(char **) (end - 8) = end - 4;
	I(PIO_UNIMAP, end - 16);
	I(GIO_UNIMAP, end - 16);
	memset(page, 1, 4096);
	I(PIO_UNISCRNMAP, end - 10);
	I(PIO_UNISCRNMAP, end - 1);
}

static void devices(void)
{
	static uint32_t segment[4] = { -2, 1, 2, 0x7f }, bridge[16];

	for (unsigned action = 0; action < 3; action++)
		for (unsigned request = 0x540a; request < 0x540c; request++) {
			I(request, action | 1L << 32);
			I(request, action);
			I(request, -1L);
		}
	memset(end - 20, 'x', 20);
	I(0x89a0, end - 20);
	I(0x89a0, end - 16);
	I(0x89a0, end - 15);
	end[-1] = 0;
	I(0x89a0, end - 15);
	I(0x89a1, end - 17);
	I(0x89a1, end - 3);
	bridge[4] = 1;
	I(0x89a2, bridge);
	bridge[4] = 99;
	I(0x89a3, bridge);
	I(0x40187013, end - 24);
	I(0x40187013, end - 8);
	C(set_thread_area, segment);
	C(get_thread_area, segment);
	segment[0] = -1;
	C(set_thread_area, segment);
	C(get_thread_area, segment);
}

int main(void)
{
	char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	end = pages + 4096;
	munmap(end, 4096);
	ipc();
	processes();
	memory();
	mounts();
	console();
	devices();
}
