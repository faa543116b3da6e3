/* Keys, and rules for files that a program gives itself. */
#include "../guest.h"
#include <linux/keyctl.h>
#include <linux/landlock.h>

#define BAD 0xbadL

static void keys(void)
{
	CALL(syscall(SYS_add_key, "no such type", "name", "payload", 7L, KEY_SPEC_THREAD_KEYRING),
	     "add_key(\"no such type\", \"name\", \"payload\", 7, KEY_SPEC_THREAD_KEYRING)");
	CALL(syscall(SYS_add_key, "user", "", BAD, 3L, KEY_SPEC_PROCESS_KEYRING),
	     "add_key(\"user\", \"\", 0xbad, 3, KEY_SPEC_PROCESS_KEYRING)");
	CALL(syscall(SYS_add_key, BAD, -1L, NULL, 0L, 12345),
	     "add_key(0xbad, 0xffffffffffffffff, NULL, 0, 12345)");
	CALL(syscall(SYS_add_key, NULL, NULL, "a\0b", 3L, KEY_SPEC_SESSION_KEYRING),
	     "add_key(NULL, NULL, \"a\\0b\", 3, KEY_SPEC_SESSION_KEYRING)");
	CALL(syscall(SYS_request_key, "no such type", "name", NULL, 0),
	     "request_key(\"no such type\", \"name\", NULL, 0)");
	CALL(syscall(SYS_request_key, "user", BAD, "info", KEY_SPEC_USER_KEYRING),
	     "request_key(\"user\", 0xbad, \"info\", KEY_SPEC_USER_KEYRING)");
	CALL(syscall(SYS_request_key, BAD, NULL, -1L, -99),
	     "request_key(0xbad, NULL, 0xffffffffffffffff, -99)");
	CALL(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, 0x7fffffff, 0),
	     "keyctl(KEYCTL_GET_KEYRING_ID, 2147483647, 0)");
	CALL(syscall(SYS_keyctl, KEYCTL_UPDATE, 0x7fffffff, BAD, 3L),
	     "keyctl(KEYCTL_UPDATE, 2147483647, 0xbad, 3)");
	CALL(syscall(SYS_keyctl, KEYCTL_REVOKE, 0x7fffffff), "keyctl(KEYCTL_REVOKE, 2147483647)");
	CALL(syscall(SYS_keyctl, KEYCTL_REVOKE, KEY_SPEC_REQUESTOR_KEYRING),
	     "keyctl(KEYCTL_REVOKE, KEY_SPEC_REQUESTOR_KEYRING)");
	CALL(syscall(SYS_keyctl, KEYCTL_DESCRIBE, 0x7fffffff, BAD, 10L),
	     "keyctl(KEYCTL_DESCRIBE, 2147483647, 0xbad, 10)");
	CALL(syscall(SYS_keyctl, KEYCTL_READ, 0x7fffffff, BAD, 10L),
	     "keyctl(KEYCTL_READ, 2147483647, 0xbad, 10)");
	CALL(syscall(SYS_keyctl, KEYCTL_SEARCH, 0x7fffffff, "user", "name", KEY_SPEC_THREAD_KEYRING),
	     "keyctl(KEYCTL_SEARCH, 2147483647, \"user\", \"name\", KEY_SPEC_THREAD_KEYRING)");
	CALL(syscall(SYS_keyctl, KEYCTL_SEARCH, 0x7fffffff, BAD, NULL, 1),
	     "keyctl(KEYCTL_SEARCH, 2147483647, 0xbad, NULL, 1)");
	CALL(syscall(SYS_keyctl, KEYCTL_SETPERM, 0x7fffffff, 0x3f010000),
	     "keyctl(KEYCTL_SETPERM, 2147483647, KEY_POS_VIEW|KEY_POS_READ|KEY_POS_WRITE|"
	     "KEY_POS_SEARCH|KEY_POS_LINK|KEY_POS_SETATTR|KEY_USR_VIEW)");
	CALL(syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, 0x7fffffff, 60),
	     "keyctl(KEYCTL_SET_TIMEOUT, 2147483647, 60)");
	CALL(syscall(SYS_keyctl, 12345, 1L, 2L, 3L, 4L),
	     "keyctl(0x3039 /* KEYCTL_??? */, 0x1, 0x2, 0x3, 0x4)");
	CALL(syscall(SYS_keyctl, -1, BAD, -1L, -1L, -1L),
	     "keyctl(0xffffffff /* KEYCTL_??? */, 0xbad, 0xffffffffffffffff, 0xffffffffffffffff, "
	     "0xffffffffffffffff)");
}

static void rules(void)
{
	struct landlock_ruleset_attr attr = { LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE };
	struct landlock_path_beneath_attr beneath = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
						      .parent_fd = -1 };

	CALL(syscall(SYS_landlock_create_ruleset, &attr, 8L, 0x80),
	     "landlock_create_ruleset({handled_access_fs=LANDLOCK_ACCESS_FS_EXECUTE|"
	     "LANDLOCK_ACCESS_FS_WRITE_FILE}, 8, 0x80 /* LANDLOCK_CREATE_RULESET_??? */)");
	CALL(syscall(SYS_landlock_create_ruleset, BAD, 8L, 0), "landlock_create_ruleset(0xbad, 8, 0)");
	CALL(syscall(SYS_landlock_create_ruleset, BAD, 0L, 0x80000001),
	     "landlock_create_ruleset(0xbad, 0, LANDLOCK_CREATE_RULESET_VERSION|0x80000000)");
	CALL(syscall(SYS_landlock_create_ruleset, &attr, 1L, 0),
	     "landlock_create_ruleset(%p, 1, 0)", (void *)&attr);
	CALL(syscall(SYS_landlock_add_rule, -1, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0),
	     "landlock_add_rule(-1, LANDLOCK_RULE_PATH_BENEATH, "
	     "{allowed_access=LANDLOCK_ACCESS_FS_READ_FILE, parent_fd=-1}, 0)");
	CALL(syscall(SYS_landlock_add_rule, 0, LANDLOCK_RULE_PATH_BENEATH, BAD, 0),
	     "landlock_add_rule(0, LANDLOCK_RULE_PATH_BENEATH, 0xbad, 0)");
	CALL(syscall(SYS_landlock_add_rule, -1, 77, &beneath, 0),
	     "landlock_add_rule(-1, 0x4d /* LANDLOCK_RULE_??? */, %p, 0)", (void *)&beneath);
	CALL(syscall(SYS_landlock_restrict_self, -1, 0), "landlock_restrict_self(-1, 0)");
	CALL(syscall(SYS_landlock_restrict_self, 0, 0), "landlock_restrict_self(0, 0)");
}

int main(void)
{
	begin();
	keys();
	rules();
	end();
	return 0;
}
