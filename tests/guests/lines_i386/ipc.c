/* System V IPC, one by one and by `ipc`, and message queues. */
#include "../guest_i386.h"

static void guest(void)
{
	begin();
	SHOW("mq_open(\"no/where\", O_RDONLY)", mq_open, P("no/where"), 0);
	SHOW("mq_open(0xbad, O_RDWR|O_CREAT, 0600, 0xbad)", mq_open, BAD, 0x42, 0600, BAD);
	SHOW("mq_unlink(\"no/where\")", mq_unlink, P("no/where"));
	SHOW("mq_unlink(0xbad)", mq_unlink, BAD);
	SHOW("mq_timedsend(-1, 0xbad, 5, 5, 0xbad)", mq_timedsend, -1, BAD, 5, 5, BAD);
	SHOW("mq_timedsend(77, 0xffffffff, 4294967295, 4294967295, 0xffffffff)",
	     mq_timedsend, 77, -1, -1, -1, -1);
	SHOW("mq_timedreceive(-1, 0xbad, 5, 0xbad, 0xbad)", mq_timedreceive, -1, BAD, 5, BAD, BAD);
	SHOW("mq_timedreceive(77, 0xffffffff, 4294967295, 0xffffffff, 0xffffffff)",
	     mq_timedreceive, 77, -1, -1, -1, -1);
	SHOW("mq_notify(-1, 0xbad)", mq_notify, -1, BAD);
	SHOW("mq_notify(77, 0xffffffff)", mq_notify, 77, -1);
	SHOW("mq_getsetattr(-1, 0xbad, 0xbad)", mq_getsetattr, -1, BAD, BAD);
	SHOW("mq_getsetattr(77, 0xffffffff, 0xffffffff)", mq_getsetattr, 77, -1, -1);
	SHOW("semget(0x5, 1, 000)", semget, 5, 1, 0);
	SHOW("semctl(-1, 0, GETNCNT, NULL)", semctl, -1, 0, 14, 0);
	SHOW("semctl(-1, 1, IPC_64|GETALL, 0xbad)", semctl, -1, 1, 0x10d, BAD);
	SHOW("shmget(0x5, 100, 000)", shmget, 5, 100, 0);
	SHOW("shmctl(-1, IPC_STAT, 0xbad)", shmctl, -1, 2, BAD);
	SHOW("shmat(5, 0xbad, 0)", shmat, 5, BAD);
	SHOW("shmat(-1, 0xffffffff, 0)", shmat, -1, -1);
	SHOW("shmdt(0xbad)", shmdt, BAD);
	SHOW("shmdt(0xffffffff)", shmdt, -1);
	SHOW("msgget(0x5, 000)", msgget, 5, 0);
	SHOW("msgsnd(5, 0xbad, 5, 0)", msgsnd, 5, BAD, 5);
	SHOW("msgsnd(-1, 0xffffffff, 4294967295, 0)", msgsnd, -1, -1, -1);
	SHOW("msgrcv(5, 0xbad, 5, 5, 0)", msgrcv, 5, BAD, 5, 5);
	SHOW("msgrcv(-1, 0xffffffff, 4294967295, -1, 0)", msgrcv, -1, -1, -1, -1);
	SHOW("msgctl(-1, IPC_STAT, 0xbad)", msgctl, -1, 2, BAD);
	end();
}
