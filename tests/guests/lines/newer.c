/* Calls that are newer than strace 6.1.
 *
 * @strace no
 */
#include "../guest.h"

#define BAD 0xbadL

enum {
	CACHESTAT = 451,
	FCHMODAT2,
	MAP_SHADOW_STACK,
	FUTEX_WAKE_WORD,
	FUTEX_WAIT_WORD,
	FUTEX_REQUEUE_WORDS,
	STATMOUNT,
	LISTMOUNT,
	LSM_GET_SELF_ATTR,
	LSM_SET_SELF_ATTR,
	LSM_LIST_MODULES,
	MSEAL,
	SETXATTRAT,
	GETXATTRAT,
	LISTXATTRAT,
	REMOVEXATTRAT,
	OPEN_TREE_ATTR,
	FILE_GETATTR,
	FILE_SETATTR,
	LISTNS,
	RSEQ_SLICE_YIELD,
};

static void files(void)
{
	static const uint64_t range[2] = { 5, 0 };
	static uint64_t cached[5];
	static const struct {
		uint64_t value;
		uint32_t size, flags;
	} value = { (uintptr_t)"a\1value", 7, 1 }, wanted = { BAD, 16, 0 };
	static const struct {
		uint64_t xflags;
		uint32_t extsize, nextents, projid, cowextsize;
	} attr = { 1, 2, 3, 4, 5 };

	CALL(syscall(CACHESTAT, -1, range, cached, 0),
	     "cachestat(-1, {off=5, len=0}, %p, 0)", (void *)cached);
	CALL(syscall(CACHESTAT, -1, range, BAD, 0), "cachestat(-1, {off=5, len=0}, 0xbad, 0)");
	CALL(syscall(CACHESTAT, -1, BAD, BAD, 7), "cachestat(-1, 0xbad, 0xbad, 0x7)");
	CALL(syscall(CACHESTAT, 0, NULL, NULL, 1), "cachestat(0, NULL, NULL, 0x1)");
	CALL(syscall(FCHMODAT2, AT_FDCWD, "nowhere", 0640, AT_SYMLINK_NOFOLLOW),
	     "fchmodat2(AT_FDCWD, \"nowhere\", 0640, AT_SYMLINK_NOFOLLOW)");
	CALL(syscall(FCHMODAT2, -1, BAD, 0177777, 0x20000),
	     "fchmodat2(-1, 0xbad, 0177777, 0x20000 /* AT_??? */)");
	CALL(syscall(FCHMODAT2, AT_FDCWD, NULL, 0, 0), "fchmodat2(AT_FDCWD, NULL, 000, 0)");
	CALL(syscall(SETXATTRAT, AT_FDCWD, "nowhere", AT_SYMLINK_NOFOLLOW, "user.x", &value, 16L),
	     "setxattrat(AT_FDCWD, \"nowhere\", AT_SYMLINK_NOFOLLOW, \"user.x\", "
	     "{value=\"a\\1value\", size=7, flags=XATTR_CREATE}, 16)");
	CALL(syscall(SETXATTRAT, -1, BAD, 7, BAD, BAD, 16L),
	     "setxattrat(-1, 0xbad, 0x7 /* AT_??? */, 0xbad, 0xbad, 16)");
	CALL(syscall(SETXATTRAT, -1, NULL, 0, NULL, NULL, 0L), "setxattrat(-1, NULL, 0, NULL, NULL, 0)");
	CALL(syscall(GETXATTRAT, AT_FDCWD, "nowhere", AT_EMPTY_PATH, "user.x", &wanted, 16L),
	     "getxattrat(AT_FDCWD, \"nowhere\", AT_EMPTY_PATH, \"user.x\", {value=0xbad, size=16, "
	     "flags=0}, 16)");
	CALL(syscall(GETXATTRAT, -1, BAD, 1, BAD, BAD, 16L),
	     "getxattrat(-1, 0xbad, 0x1 /* AT_??? */, 0xbad, 0xbad, 16)");
	CALL(syscall(LISTXATTRAT, AT_FDCWD, "nowhere", AT_SYMLINK_NOFOLLOW, BAD, 100L),
	     "listxattrat(AT_FDCWD, \"nowhere\", AT_SYMLINK_NOFOLLOW, 0xbad, 100)");
	CALL(syscall(LISTXATTRAT, -1, BAD, 1, NULL, -1L),
	     "listxattrat(-1, 0xbad, 0x1 /* AT_??? */, NULL, 18446744073709551615)");
	CALL(syscall(REMOVEXATTRAT, AT_FDCWD, "nowhere", 0, "user.x"),
	     "removexattrat(AT_FDCWD, \"nowhere\", 0, \"user.x\")");
	CALL(syscall(REMOVEXATTRAT, -1, BAD, 0x20000, BAD),
	     "removexattrat(-1, 0xbad, 0x20000 /* AT_??? */, 0xbad)");
	CALL(syscall(FILE_GETATTR, AT_FDCWD, "nowhere", BAD, 24L, AT_SYMLINK_NOFOLLOW),
	     "file_getattr(AT_FDCWD, \"nowhere\", 0xbad, 24, AT_SYMLINK_NOFOLLOW)");
	CALL(syscall(FILE_GETATTR, -1, BAD, NULL, 0L, 0x20000),
	     "file_getattr(-1, 0xbad, NULL, 0, 0x20000 /* AT_??? */)");
	CALL(syscall(FILE_SETATTR, AT_FDCWD, "nowhere", &attr, 24L, AT_EMPTY_PATH),
	     "file_setattr(AT_FDCWD, \"nowhere\", {fa_xflags=0x1, fa_extsize=2, fa_nextents=3, "
	     "fa_projid=4, fa_cowextsize=5}, 24, AT_EMPTY_PATH)");
	CALL(syscall(FILE_SETATTR, -1, BAD, BAD, 24L, 0x20000),
	     "file_setattr(-1, 0xbad, 0xbad, 24, 0x20000 /* AT_??? */)");
}

static void mounts(void)
{
	static const uint64_t request[3] = { 24, 5, 3 }, of_namespace[4] = { 32, -1, 3, 7 };

	CALL(syscall(STATMOUNT, request, BAD, 512L, 0),
	     "statmount({size=24, mnt_id=0x5, param=STATMOUNT_SB_BASIC|STATMOUNT_MNT_BASIC}, 0xbad, 512, 0)");
	CALL(syscall(STATMOUNT, BAD, BAD, 512L, 1), "statmount(0xbad, 0xbad, 512, 0x1)");
	CALL(syscall(STATMOUNT, NULL, NULL, 0L, 0), "statmount(NULL, NULL, 0, 0)");
	CALL(syscall(LISTMOUNT, request, BAD, 0L, 0),
	     "listmount({size=24, mnt_id=0x5, param=0x3}, 0xbad, 0, 0)");
	CALL(syscall(LISTMOUNT, of_namespace, BAD, 0L, 1),
	     "listmount({size=32, mnt_id=LSMT_ROOT, param=0x3, mnt_ns_id=0x7}, 0xbad, 0, LISTMOUNT_REVERSE)");
	CALL(syscall(LISTMOUNT, BAD, BAD, 5L, 1), "listmount(0xbad, 0xbad, 5, LISTMOUNT_REVERSE)");
	CALL(syscall(LISTMOUNT, NULL, NULL, -1L, 0x80),
	     "listmount(NULL, NULL, 18446744073709551615, 0x80 /* LISTMOUNT_??? */)");
	CALL(syscall(OPEN_TREE_ATTR, -1, "nowhere", 1, BAD, 32L),
	     "open_tree_attr(-1, \"nowhere\", OPEN_TREE_CLONE, 0xbad, 32)");
	CALL(syscall(OPEN_TREE_ATTR, AT_FDCWD, BAD, 0x8000, NULL, 0L),
	     "open_tree_attr(AT_FDCWD, 0xbad, AT_RECURSIVE, NULL, 0)");
	CALL(syscall(LISTNS, BAD, BAD, 5L, 0), "listns(0xbad, 0xbad, 5, 0)");
	CALL(syscall(LISTNS, NULL, NULL, 0L, 1), "listns(NULL, NULL, 0, 0x1)");
}

static void words(void)
{
	static const struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} waiters[2] = { { 1, BAD, 0x82, 0 }, { 2, 0, 0x82, 0 } };

	CALL(syscall(FUTEX_WAKE_WORD, BAD, 1L, 1, 0x82),
	     "futex_wake(0xbad, 0x1, 1, FUTEX_32|FUTEX_PRIVATE_FLAG)");
	CALL(syscall(FUTEX_WAKE_WORD, NULL, -1L, -1, 0x100),
	     "futex_wake(NULL, 0xffffffffffffffff, -1, 0x100 /* FUTEX_??? */)");
	CALL(syscall(FUTEX_WAIT_WORD, BAD, 1L, 2L, 0x82, BAD, 1),
	     "futex_wait(0xbad, 0x1, 0x2, FUTEX_32|FUTEX_PRIVATE_FLAG, 0xbad, CLOCK_MONOTONIC)");
	CALL(syscall(FUTEX_WAIT_WORD, NULL, 1L, -1L, 3, NULL, 0),
	     "futex_wait(NULL, 0x1, 0xffffffffffffffff, FUTEX_32|0x1, NULL, CLOCK_REALTIME)");
	CALL(syscall(FUTEX_REQUEUE_WORDS, waiters, 0, 1, 1),
	     "futex_requeue([{val=0x1, uaddr=0xbad, flags=FUTEX_32|FUTEX_PRIVATE_FLAG}, {val=0x2, "
	     "uaddr=NULL, flags=FUTEX_32|FUTEX_PRIVATE_FLAG}], 0, 1, 1)");
	CALL(syscall(FUTEX_REQUEUE_WORDS, waiters, 9, 1, 1),
	     "futex_requeue([{val=0x1, uaddr=0xbad, flags=FUTEX_32|FUTEX_PRIVATE_FLAG}, {val=0x2, "
	     "uaddr=NULL, flags=FUTEX_32|FUTEX_PRIVATE_FLAG}], 0x9, 1, 1)");
	CALL(syscall(FUTEX_REQUEUE_WORDS, BAD, 0, -1, -1), "futex_requeue(0xbad, 0, -1, -1)");
	CALL(syscall(FUTEX_REQUEUE_WORDS, NULL, 0, 0, 0), "futex_requeue(NULL, 0, 0, 0)");
}

static void security(void)
{
	static const struct {
		uint64_t id, flags, len, ctx_len;
		char ctx[8];
	} context = { 101, 3, 40, 5, "abc\1\2" };

	CALL(syscall(LSM_GET_SELF_ATTR, 100, BAD, BAD, 0),
	     "lsm_get_self_attr(LSM_ATTR_CURRENT, 0xbad, 0xbad, 0)");
	CALL(syscall(LSM_GET_SELF_ATTR, 0, NULL, NULL, 1),
	     "lsm_get_self_attr(0 /* LSM_ATTR_??? */, NULL, NULL, LSM_FLAG_SINGLE)");
	CALL(syscall(LSM_GET_SELF_ATTR, 99, NULL, BAD, 2),
	     "lsm_get_self_attr(0x63 /* LSM_ATTR_??? */, NULL, 0xbad, 0x2 /* LSM_FLAG_??? */)");
	CALL(syscall(LSM_SET_SELF_ATTR, 100, BAD, 32, 0),
	     "lsm_set_self_attr(LSM_ATTR_CURRENT, 0xbad, 32, 0)");
	CALL(syscall(LSM_SET_SELF_ATTR, 100, &context, 40, 8),
	     "lsm_set_self_attr(LSM_ATTR_CURRENT, {id=LSM_ID_SELINUX, flags=0x3, len=40, ctx_len=5, "
	     "ctx=\"abc\\1\\2\"}, 40, 0x8)");
	CALL(syscall(LSM_SET_SELF_ATTR, 77, NULL, 0, 1),
	     "lsm_set_self_attr(0x4d /* LSM_ATTR_??? */, NULL, 0, 0x1)");
	CALL(syscall(LSM_LIST_MODULES, BAD, BAD, 0), "lsm_list_modules(0xbad, 0xbad, 0)");
	CALL(syscall(LSM_LIST_MODULES, NULL, NULL, 1), "lsm_list_modules(NULL, NULL, 0x1)");
}

static void memory(void)
{
	CALL(syscall(MSEAL, BAD, 4096L, 0L), "mseal(0xbad, 4096, 0)");
	CALL(syscall(MSEAL, 0x1000L, 4096L, 1L), "mseal(0x1000, 4096, 0x1)");
	CALL(syscall(MSEAL, NULL, -1L, -1L), "mseal(NULL, 18446744073709551615, 0xffffffffffffffff)");
	CALL(syscall(MAP_SHADOW_STACK, BAD, 4096L, 1), "map_shadow_stack(0xbad, 4096, 0x1)");
	CALL(syscall(MAP_SHADOW_STACK, NULL, 0L, 0x100), "map_shadow_stack(NULL, 0, 0x100)");
	CALL(syscall(RSEQ_SLICE_YIELD), "rseq_slice_yield()");
}

int main(void)
{
	begin();
	files();
	mounts();
	words();
	security();
	memory();
	end();
	return 0;
}
