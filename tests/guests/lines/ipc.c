/* System V messages, semaphores and shared memory, and POSIX message queues. */
#include "../guest.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static void messages(void)
{
	struct { long type; char text[8]; } out = { 3, "message" };
	static struct { long type; char text[8]; } in;
	int queue = syscall(SYS_msgget, IPC_PRIVATE, IPC_CREAT | 0600);

	LINE("msgget(IPC_PRIVATE, IPC_CREAT|0600) = " ID, queue);
	CALL(syscall(SYS_msgget, 0x1234567, 0), "msgget(0x1234567, 000)");
	CALL(syscall(SYS_msgsnd, queue, &out, 7L, IPC_NOWAIT), "msgsnd(" ID ", {mtype=3, mtext=\"message\"}, 7, IPC_NOWAIT)",
	     queue);
	CALL(syscall(SYS_msgrcv, queue, &in, 8L, 0L, 0), "msgrcv(" ID ", {mtype=3, mtext=\"message\\0\"}, 8, 0, 0)", queue);
	CALL(syscall(SYS_msgrcv, queue, &in, 8L, 5L, IPC_NOWAIT | MSG_NOERROR),
	     "msgrcv(" ID ", %p, 8, 5, MSG_NOERROR|IPC_NOWAIT)", queue, (void *)&in);
	CALL(syscall(SYS_msgctl, queue, IPC_RMID, NULL), "msgctl(" ID ", IPC_RMID, NULL)", queue);
	CALL(syscall(SYS_msgctl, queue, IPC_RMID, NULL), "msgctl(" ID ", IPC_RMID, NULL)", queue);
}

static void semaphores(void)
{
	struct sembuf operations[2] = { { 0, 1, SEM_UNDO }, { 1, -1, IPC_NOWAIT } };
	struct timespec brief = { 0, 1000 };
	int set = syscall(SYS_semget, IPC_PRIVATE, 2, 0600);

	LINE("semget(IPC_PRIVATE, 2, 0600) = " ID, set);
	CALL(syscall(SYS_semget, 0x1234567, 1, 0), "semget(0x1234567, 1, 000)");
	CALL(syscall(SYS_semop, set, operations, 1L), "semop(" ID ", [{sem_num=0, sem_op=1, sem_flg=SEM_UNDO}], 1)", set);
	CALL(syscall(SYS_semtimedop, set, operations, 2L, &brief),
	     "semtimedop(" ID ", [{sem_num=0, sem_op=1, sem_flg=SEM_UNDO}, {sem_num=1, sem_op=-1, sem_flg=IPC_NOWAIT}], 2, {tv_sec=0, tv_nsec=1000})", set);
	CALL(syscall(SYS_semop, set, (void *)1, 1L), "semop(" ID ", 0x1, 1)", set);
	CALL(syscall(SYS_semctl, set, 0, GETVAL, 0L), "semctl(" ID ", 0, GETVAL, NULL)", set);
	CALL(syscall(SYS_semctl, set, 0, IPC_RMID, 0L), "semctl(" ID ", 0, IPC_RMID, NULL)", set);
}

static void shared_memory(void)
{
	char *area;
	int id = syscall(SYS_shmget, IPC_PRIVATE, 4096L, IPC_CREAT | 0600);

	LINE("shmget(IPC_PRIVATE, 4096, IPC_CREAT|0600) = " ID, id);
	CALL(syscall(SYS_shmget, 0x1234567, 1L, 0), "shmget(0x1234567, 1, 000)");
	CALL_HEX((long)(area = (char *)syscall(SYS_shmat, id, NULL, SHM_RDONLY)), "shmat(" ID ", NULL, SHM_RDONLY)", id);
	CALL(syscall(SYS_shmdt, area), "shmdt(%p)", (void *)area);
	CALL(syscall(SYS_shmdt, NULL), "shmdt(NULL)");
	CALL(syscall(SYS_shmctl, id, IPC_RMID, NULL), "shmctl(" ID ", IPC_RMID, NULL)", id);
}

static void posix_queues(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 2, .mq_msgsize = 16 };
	static char in[16], name[32];
	static unsigned priority;
	int self = getpid(), queue;

	/* Several runs at a time each have a queue of their own. */
	sprintf(name, "guest-%d", self);
	begin();
	queue = syscall(SYS_mq_open, name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	LINE("mq_open(\"guest-" ID "\", O_RDWR|O_CREAT|O_EXCL, 0600, "
	     "{mq_flags=0, mq_maxmsg=2, mq_msgsize=16, mq_curmsgs=0}) = %d",
	     self, queue);
	CALL(syscall(SYS_mq_unlink, name), "mq_unlink(\"guest-" ID "\")", self);
	CALL(syscall(SYS_mq_unlink, name), "mq_unlink(\"guest-" ID "\")", self);
	CALL(syscall(SYS_mq_timedsend, queue, "five!", 5L, 9, NULL), "mq_timedsend(%d, \"five!\", 5, 9, NULL)", queue);
	CALL(syscall(SYS_mq_timedreceive, queue, in, 16L, &priority, NULL),
	     "mq_timedreceive(%d, \"five!\", 16, [9], NULL)", queue);
	CALL(syscall(SYS_mq_getsetattr, queue, NULL, &attributes),
	     "mq_getsetattr(%d, NULL, {mq_flags=0, mq_maxmsg=2, mq_msgsize=16, mq_curmsgs=0})", queue);
}

int main(void)
{
	posix_queues();
	messages();
	semaphores();
	shared_memory();
	end();
	return 0;
}
