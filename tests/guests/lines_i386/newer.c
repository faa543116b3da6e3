/* Calls that are newer than strace 6.1.
 *
 * @strace no
 */
#include "../guest_i386.h"

enum {
	__NR_cachestat = 451,
	__NR_fchmodat2,
	__NR_map_shadow_stack,
	__NR_futex_wake,
	__NR_futex_wait,
	__NR_futex_requeue,
	__NR_statmount,
	__NR_listmount,
	__NR_lsm_get_self_attr,
	__NR_lsm_set_self_attr,
	__NR_lsm_list_modules,
	__NR_mseal,
	__NR_setxattrat,
	__NR_getxattrat,
	__NR_listxattrat,
	__NR_removexattrat,
	__NR_open_tree_attr,
	__NR_file_getattr,
	__NR_file_setattr,
	__NR_listns,
	__NR_rseq_slice_yield,
};

static void guest(void)
{
	begin();
	SHOW("cachestat(-1, 0xbad, 0xbad, 0x5)", cachestat, -1, BAD, BAD, 5);
	SHOW("cachestat(77, 0xffffffff, 0xffffffff, 0xffffffff)", cachestat, 77, -1, -1, -1);
	SHOW("fchmodat2(AT_FDCWD, \"no/where\", 000, 0)", fchmodat2, -100, P("no/where"));
	SHOW("fchmodat2(-1, 0xbad, 000, 0)", fchmodat2, -1, BAD);
	SHOW("map_shadow_stack(0xbad, 5, 0x5)", map_shadow_stack, BAD, 5, 5);
	SHOW("map_shadow_stack(0xffffffff, 4294967295, 0xffffffff)", map_shadow_stack, -1, -1, -1);
	SHOW("futex_wake(0xbad, 0x5, 5, 0)", futex_wake, BAD, 5, 5);
	SHOW("futex_wake(0xffffffff, 0xffffffff, -1, 0)", futex_wake, -1, -1, -1);
	SHOW("futex_wait(0xbad, 0x5, 0x5, 0, 0xbad, CLOCK_REALTIME)", futex_wait, BAD, 5, 5, 0, BAD);
	SHOW("futex_wait(0xffffffff, 0xffffffff, 0xffffffff, 0, 0xffffffff, CLOCK_REALTIME)",
	     futex_wait, -1, -1, -1, 0, -1);
	SHOW("futex_requeue(0xbad, 0x5, 5, 5)", futex_requeue, BAD, 5, 5, 5);
	SHOW("futex_requeue(0xffffffff, 0xffffffff, -1, -1)", futex_requeue, -1, -1, -1, -1);
	SHOW("statmount(0xbad, 0xbad, 5, 0x5)", statmount, BAD, BAD, 5, 5);
	SHOW("statmount(0xffffffff, 0xffffffff, 4294967295, 0xffffffff)", statmount, -1, -1, -1, -1);
	SHOW("listmount(0xbad, 0xbad, 5, LISTMOUNT_REVERSE|0x4)", listmount, BAD, BAD, 5, 5);
	SHOW("listmount(0xffffffff, 0xffffffff, 4294967295, LISTMOUNT_REVERSE|0xfffffffe)",
	     listmount, -1, -1, -1, -1);
	SHOW("lsm_get_self_attr(0 /* LSM_ATTR_??? */, 0xbad, 0xbad, 0)", lsm_get_self_attr, 0, BAD, BAD);
	SHOW("lsm_get_self_attr(0 /* LSM_ATTR_??? */, 0xffffffff, 0xffffffff, 0)",
	     lsm_get_self_attr, 0, -1, -1);
	SHOW("lsm_set_self_attr(0 /* LSM_ATTR_??? */, 0xbad, 5, 0x5)", lsm_set_self_attr, 0, BAD, 5, 5);
	SHOW("lsm_set_self_attr(0 /* LSM_ATTR_??? */, 0xffffffff, 4294967295, 0xffffffff)",
	     lsm_set_self_attr, 0, -1, -1, -1);
	SHOW("lsm_list_modules(0xbad, 0xbad, 0x5)", lsm_list_modules, BAD, BAD, 5);
	SHOW("lsm_list_modules(0xffffffff, 0xffffffff, 0xffffffff)", lsm_list_modules, -1, -1, -1);
	SHOW("mseal(0xbad, 5, 0x5)", mseal, BAD, 5, 5);
	SHOW("mseal(0xffffffff, 4294967295, 0xffffffff)", mseal, -1, -1, -1);
	SHOW("setxattrat(AT_FDCWD, \"no/where\", 0, \"no/where\", 0xbad, 5)",
	     setxattrat, -100, P("no/where"), 0, P("no/where"), BAD, 5);
	SHOW("setxattrat(-1, 0xbad, 0, 0xbad, 0xffffffff, 4294967295)",
	     setxattrat, -1, BAD, 0, BAD, -1, -1);
	SHOW("getxattrat(AT_FDCWD, \"no/where\", 0, \"no/where\", 0xbad, 5)",
	     getxattrat, -100, P("no/where"), 0, P("no/where"), BAD, 5);
	SHOW("getxattrat(-1, 0xbad, 0, 0xbad, 0xffffffff, 4294967295)",
	     getxattrat, -1, BAD, 0, BAD, -1, -1);
	SHOW("listxattrat(AT_FDCWD, \"no/where\", 0, 0xbad, 5)",
	     listxattrat, -100, P("no/where"), 0, BAD, 5);
	SHOW("listxattrat(-1, 0xbad, 0, 0xffffffff, 4294967295)", listxattrat, -1, BAD, 0, -1, -1);
	SHOW("removexattrat(AT_FDCWD, \"no/where\", 0, \"no/where\")",
	     removexattrat, -100, P("no/where"), 0, P("no/where"));
	SHOW("removexattrat(-1, 0xbad, 0, 0xbad)", removexattrat, -1, BAD, 0, BAD);
	SHOW("open_tree_attr(AT_FDCWD, \"no/where\", 0, NULL, 5)",
	     open_tree_attr, -100, P("no/where"), 0, 0, 5);
	SHOW("open_tree_attr(-1, 0xbad, 0, NULL, 4294967295)", open_tree_attr, -1, BAD, 0, 0, -1);
	SHOW("file_getattr(AT_FDCWD, \"no/where\", 0xbad, 5, 0)",
	     file_getattr, -100, P("no/where"), BAD, 5);
	SHOW("file_getattr(-1, 0xbad, 0xffffffff, 4294967295, 0)", file_getattr, -1, BAD, -1, -1);
	SHOW("file_setattr(AT_FDCWD, \"no/where\", 0xbad, 5, 0)",
	     file_setattr, -100, P("no/where"), BAD, 5);
	SHOW("file_setattr(-1, 0xbad, 0xffffffff, 4294967295, 0)", file_setattr, -1, BAD, -1, -1);
	SHOW("listns(0xbad, 0xbad, 5, 0x5)", listns, BAD, BAD, 5, 5);
	SHOW("listns(0xffffffff, 0xffffffff, 4294967295, 0xffffffff)", listns, -1, -1, -1, -1);
	SHOW("rseq_slice_yield()", rseq_slice_yield);
	end();
}
