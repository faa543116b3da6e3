/* Calls for those who run the system. First all capabilities are given up, so that none can succeed. */
#include "../guest.h"
#include <linux/capability.h>

#define BAD 0xbadL

static void modules(void)
{
	CALL(syscall(SYS_init_module, BAD, 5L, "option=1"), "init_module(0xbad, 5, \"option=1\")");
	CALL(syscall(SYS_init_module, BAD, -1L, BAD), "init_module(0xbad, 18446744073709551615, 0xbad)");
	CALL(syscall(SYS_init_module, NULL, 0L, NULL), "init_module(NULL, 0, NULL)");
	CALL(syscall(SYS_finit_module, -1, "option=1", 3),
	     "finit_module(-1, \"option=1\", MODULE_INIT_IGNORE_MODVERSIONS|"
	     "MODULE_INIT_IGNORE_VERMAGIC)");
	CALL(syscall(SYS_finit_module, 0, BAD, 0x100),
	     "finit_module(0, 0xbad, 0x100 /* MODULE_INIT_??? */)");
	CALL(syscall(SYS_finit_module, -1, NULL, 0), "finit_module(-1, NULL, 0)");
	CALL(syscall(SYS_create_module, NULL, 100L), "create_module(0, 0x64)");
	CALL(syscall(SYS_create_module, BAD, -1L), "create_module(0xbad, 0xffffffffffffffff)");
	CALL(syscall(SYS_query_module, -1L, 2, BAD, 100L, BAD),
	     "query_module(0xffffffffffffffff, 0x2, 0xbad, 0x64, 0xbad)");
	CALL(syscall(SYS_query_module, NULL, 1, NULL, 0L, NULL), "query_module(0, 0x1, 0, 0, 0)");
	CALL(syscall(SYS_get_kernel_syms, BAD), "get_kernel_syms(0xbad)");
	CALL(syscall(SYS_get_kernel_syms, NULL), "get_kernel_syms(0)");
}

static void another_kernel(void)
{
	struct {
		const void *buf;
		size_t bufsz;
		const void *mem;
		size_t memsz;
	} segments[] = { { (void *)BAD, 1, (void *)0x1000, 4096 }, { NULL, 0, NULL, 0 } };

	CALL(syscall(SYS_kexec_load, 0x1000L, 2L, segments, 0x3e0001L),
	     "kexec_load(0x1000, 2, [{buf=0xbad, bufsz=1, mem=0x1000, memsz=4096}, {buf=NULL, "
	     "bufsz=0, mem=NULL, memsz=0}], KEXEC_ARCH_X86_64|KEXEC_ON_CRASH)");
	CALL(syscall(SYS_kexec_load, 0L, 0L, NULL, 0L), "kexec_load(NULL, 0, NULL, KEXEC_ARCH_DEFAULT)");
	CALL(syscall(SYS_kexec_load, -1L, 1L, BAD, 0x30000L),
	     "kexec_load(0xffffffffffffffff, 1, 0xbad, KEXEC_ARCH_386)");
	CALL(syscall(SYS_kexec_load, 0L, 17L, BAD, 2L),
	     "kexec_load(NULL, 17, 0xbad, KEXEC_ARCH_DEFAULT|KEXEC_PRESERVE_CONTEXT)");
	CALL(syscall(SYS_kexec_file_load, -1, -1, 5L, "quiet", 1L),
	     "kexec_file_load(-1, -1, 5, \"quiet\", KEXEC_FILE_UNLOAD)");
	CALL(syscall(SYS_kexec_file_load, -1, -1, 1L, BAD, 4L),
	     "kexec_file_load(-1, -1, 1, 0xbad, KEXEC_FILE_NO_INITRAMFS)");
	CALL(syscall(SYS_kexec_file_load, -1, -1, 0L, NULL, 0x10L),
	     "kexec_file_load(-1, -1, 0, NULL, 0x10 /* KEXEC_FILE_??? */)");
	CALL(syscall(SYS_reboot, 0, 0, 0, NULL),
	     "reboot(0 /* LINUX_REBOOT_MAGIC_??? */, 0 /* LINUX_REBOOT_MAGIC_??? */, "
	     "LINUX_REBOOT_CMD_CAD_OFF)");
	CALL(syscall(SYS_reboot, 0xfee1dead, 0, 1, BAD),
	     "reboot(LINUX_REBOOT_MAGIC1, 0 /* LINUX_REBOOT_MAGIC_??? */, 0x1 /* "
	     "LINUX_REBOOT_CMD_??? */)");
	CALL(syscall(SYS_reboot, 0, 0, 0xa1b2c3d4, BAD),
	     "reboot(0 /* LINUX_REBOOT_MAGIC_??? */, 0 /* LINUX_REBOOT_MAGIC_??? */, "
	     "LINUX_REBOOT_CMD_RESTART2, 0xbad)");
	CALL(syscall(SYS_reboot, 0, 0, 0xa1b2c3d4, "elsewhere"),
	     "reboot(0 /* LINUX_REBOOT_MAGIC_??? */, 0 /* LINUX_REBOOT_MAGIC_??? */, "
	     "LINUX_REBOOT_CMD_RESTART2, \"elsewhere\")");
	CALL(syscall(SYS_kexec_file_load, -1, -1, 0L, BAD, 4L),
	     "kexec_file_load(-1, -1, 0, \"\", KEXEC_FILE_NO_INITRAMFS)");
	CALL(syscall(SYS_reboot, 0, 672274793, 0x1234567, NULL),
	     "reboot(0 /* LINUX_REBOOT_MAGIC_??? */, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART)");
}

static void names_and_places(void)
{
	CALL(syscall(SYS_setdomainname, BAD, 5), "setdomainname(0xbad, 5)");
	CALL(syscall(SYS_setdomainname, NULL, -1), "setdomainname(NULL, 4294967295)");
	CALL(syscall(SYS_vhangup), "vhangup()");
	CALL(syscall(SYS_iopl, 4), "iopl(4)");
	CALL(syscall(SYS_iopl, -1), "iopl(-1)");
	CALL(syscall(SYS_lookup_dcookie, 0x123456789L, BAD, 16L), "lookup_dcookie(4886718345, 0xbad, 16)");
	CALL(syscall(SYS_lookup_dcookie, -1L, NULL, 0L), "lookup_dcookie(18446744073709551615, NULL, 0)");
}

/* No mode bits: nothing is set. */
static void clocks(void)
{
	CALL(syscall(SYS_adjtimex, BAD), "adjtimex(0xbad)");
	CALL(syscall(SYS_adjtimex, NULL), "adjtimex(NULL)");
	CALL(syscall(SYS_clock_adjtime, 1, BAD), "clock_adjtime(CLOCK_MONOTONIC, 0xbad)");
	CALL(syscall(SYS_clock_adjtime, 99, BAD), "clock_adjtime(0x63 /* CLOCK_??? */, 0xbad)");
	CALL(syscall(SYS_clock_adjtime, 0, NULL), "clock_adjtime(CLOCK_REALTIME, NULL)");
}

int main(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (syscall(SYS_capset, &header, none))
		abort();
	begin();
	modules();
	another_kernel();
	names_and_places();
	clocks();
	end();
	return 0;
}
