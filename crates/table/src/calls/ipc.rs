//! System V shared memory, semaphores and messages; POSIX message queues.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Ret, Source, Target, Width, arg, call, flags, parts,
    structs,
};

const IPC: Classes = Classes::IPC;
const SHARED: Classes = IPC.or(Classes::MEMORY);
const DESC: Classes = Classes::DESC;

const KEY: Arg = arg("key", Kind::flags(&flags::IPC_KEY));
const TIMEOUT: Kind = struct_in!(TIMESPEC);
const OPERATIONS: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::SEM_OPERATION), Len::IntArg(2)));

/// Commands of `shmctl(2)`, `semctl(2)` and `msgctl(2)`, from linux/ipc.h and its siblings.
mod command {
    pub const IPC_SET: u64 = 1;
    /// With it the command is another one to 64-bit programs, and refused.
    pub const IPC_64: u64 = 0x100;
    pub const IPC_STAT: u64 = 2;
    pub const IPC_INFO: u64 = 3;
    pub const SHM_STAT: u64 = 13;
    pub const SHM_INFO: u64 = 14;
    pub const SHM_STAT_ANY: u64 = 15;
    pub const SEM_STAT: u64 = 18;
    pub const SEM_INFO: u64 = 19;
    pub const SEM_STAT_ANY: u64 = 20;
    pub const MSG_STAT: u64 = 11;
    pub const MSG_INFO: u64 = 12;
    pub const MSG_STAT_ANY: u64 = 13;
}
use command::*;

static SHM_STATE: Target = Target::One(&Kind::Struct(&structs::SHM_STATE));
static SEM_STATE: Target = Target::One(&Kind::Struct(&structs::SEM_STATE));
static MSG_STATE: Target = Target::One(&Kind::Struct(&structs::MSG_STATE));
static SEM_LIMITS: Target = Target::One(&Kind::Struct(&structs::SEM_LIMITS));
static MSG_LIMITS: Target = Target::One(&Kind::Struct(&structs::MSG_LIMITS));

pub(super) const SHM_BUFFER: [(u64, Kind); 7] = [
    (IPC_SET, struct_in!(SHM_CHANGE)),
    (IPC_64 | IPC_SET, struct_in!(SHM_CHANGE)),
    (IPC_STAT, Kind::Ptr(Dir::Out, &SHM_STATE)),
    (SHM_STAT, Kind::Ptr(Dir::Out, &SHM_STATE)),
    (SHM_STAT_ANY, Kind::Ptr(Dir::Out, &SHM_STATE)),
    (IPC_INFO, struct_out!(SHM_LIMITS)),
    (SHM_INFO, struct_out!(SHM_USE)),
];
pub(super) const SEM_BUFFER: [(u64, Kind); 7] = [
    (IPC_SET, struct_in!(SEM_CHANGE)),
    (IPC_64 | IPC_SET, struct_in!(SEM_CHANGE)),
    (IPC_STAT, Kind::Ptr(Dir::Out, &SEM_STATE)),
    (SEM_STAT, Kind::Ptr(Dir::Out, &SEM_STATE)),
    (SEM_STAT_ANY, Kind::Ptr(Dir::Out, &SEM_STATE)),
    (IPC_INFO, Kind::Ptr(Dir::Out, &SEM_LIMITS)),
    (SEM_INFO, Kind::Ptr(Dir::Out, &SEM_LIMITS)),
];
pub(super) const MSG_BUFFER: [(u64, Kind); 7] = [
    (IPC_SET, struct_in!(MSG_CHANGE)),
    (IPC_64 | IPC_SET, struct_in!(MSG_CHANGE)),
    (IPC_STAT, Kind::Ptr(Dir::Out, &MSG_STATE)),
    (MSG_STAT, Kind::Ptr(Dir::Out, &MSG_STATE)),
    (MSG_STAT_ANY, Kind::Ptr(Dir::Out, &MSG_STATE)),
    (IPC_INFO, Kind::Ptr(Dir::Out, &MSG_LIMITS)),
    (MSG_INFO, Kind::Ptr(Dir::Out, &MSG_LIMITS)),
];

/// A buffer that depends on the command in the argument of this index.
const fn by_command(command: u8, cases: &'static [(u64, Kind)]) -> Kind {
    // Whatever version of the structs is asked for.
    const COMMAND: u64 = u32::MAX as u64 & !0x100;
    Kind::Select { on: Source::Arg(command), mask: COMMAND, cases, default: &Kind::Addr }
}

const QUEUE: Arg = arg("mqdes", Kind::Fd);
const ATTRIBUTES_IN: Kind = struct_in!(MQ_ATTR);
const ATTRIBUTES_WANTED: Kind = struct_in!(MQ_ATTR_WANTED);
const ATTRIBUTES_OUT: Kind = struct_out!(MQ_ATTR);

/// What `mq_open(2)` takes only with `O_CREAT`.
const fn if_created(then: &'static Kind) -> Kind {
    const O_CREAT: u64 = 0x40;
    Kind::IfBits { on: Source::Arg(1), mask: O_CREAT, then }
}

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::SHMGET,
        IPC,
        &[KEY, arg("size", Kind::ULONG), arg("shmflg", Kind::FlagsPerm(&flags::SHMGET))],
        Ret::INT,
    ),
    call(
        id::SHMAT,
        SHARED,
        &[
            arg("shmid", Kind::INT),
            arg("shmaddr", Kind::Addr),
            arg("shmflg", Kind::flags(&flags::SHMAT)),
        ],
        Ret::ADDR,
    ),
    call(id::SHMDT, SHARED, &[arg("shmaddr", Kind::Addr)], Ret::INT),
    call(
        id::SHMCTL,
        IPC,
        &[
            arg("shmid", Kind::INT),
            arg("cmd", Kind::Parts(Width::U32, &parts::SHMCTL)),
            arg("buf", by_command(1, &SHM_BUFFER)),
        ],
        Ret::INT,
    ),
    call(
        id::SEMGET,
        IPC,
        &[KEY, arg("nsems", Kind::INT), arg("semflg", Kind::FlagsPerm(&flags::IPCGET))],
        Ret::INT,
    ),
    call(
        id::SEMOP,
        IPC,
        &[arg("semid", Kind::INT), arg("tsops", OPERATIONS), arg("nsops", Kind::UINT)],
        Ret::INT,
    ),
    call(
        id::SEMTIMEDOP,
        IPC,
        &[
            arg("semid", Kind::INT),
            arg("tsops", OPERATIONS),
            arg("nsops", Kind::UINT),
            arg("timeout", TIMEOUT),
        ],
        Ret::INT,
    ),
    call(
        id::SEMCTL,
        IPC,
        &[
            arg("semid", Kind::INT),
            arg("semnum", Kind::INT),
            arg("cmd", Kind::Parts(Width::U32, &parts::SEMCTL)),
            arg("arg", by_command(2, &SEM_BUFFER)),
        ],
        Ret::INT,
    ),
    call(id::MSGGET, IPC, &[KEY, arg("msgflg", Kind::FlagsPerm(&flags::IPCGET))], Ret::INT),
    call(
        id::MSGSND,
        IPC,
        &[
            arg("msqid", Kind::INT),
            arg("msgp", Kind::Ptr(Dir::In, &Target::Message(Len::Arg(2)))),
            arg("msgsz", Kind::ULONG),
            arg("msgflg", Kind::flags(&flags::MSGOP)),
        ],
        Ret::INT,
    ),
    call(
        id::MSGRCV,
        IPC,
        &[
            arg("msqid", Kind::INT),
            arg("msgp", Kind::Ptr(Dir::Out, &Target::Message(Len::Arg(2)))),
            arg("msgsz", Kind::ULONG),
            arg("msgtyp", Kind::LONG),
            arg("msgflg", Kind::flags(&flags::MSGOP)),
        ],
        Ret::INT,
    ),
    call(
        id::MSGCTL,
        IPC,
        &[
            arg("msqid", Kind::INT),
            arg("cmd", Kind::Parts(Width::U32, &parts::MSGCTL)),
            arg("buf", by_command(1, &MSG_BUFFER)),
        ],
        Ret::INT,
    ),
    call(
        id::MQ_OPEN,
        DESC,
        &[
            arg("u_name", Kind::PATH),
            arg("oflag", Kind::flags(&flags::OPEN)),
            arg("mode", if_created(&Kind::Perm)),
            arg("u_attr", if_created(&ATTRIBUTES_WANTED)),
        ],
        Ret::FD,
    ),
    call(id::MQ_UNLINK, Classes::NONE, &[arg("u_name", Kind::PATH)], Ret::INT),
    call(
        id::MQ_TIMEDSEND,
        DESC,
        &[
            QUEUE,
            arg("u_msg_ptr", Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(2)))),
            arg("msg_len", Kind::ULONG),
            arg("msg_prio", Kind::UINT),
            arg("u_abs_timeout", TIMEOUT),
        ],
        Ret::INT,
    ),
    call(
        id::MQ_TIMEDRECEIVE,
        DESC,
        &[
            QUEUE,
            arg("u_msg_ptr", Kind::Ptr(Dir::Out, &Target::Bytes(Len::Ret))),
            arg("msg_len", Kind::ULONG),
            arg("u_msg_prio", Kind::Ptr(Dir::Out, &Target::One(&Kind::UINT))),
            arg("u_abs_timeout", TIMEOUT),
        ],
        Ret::INT,
    ),
    call(id::MQ_NOTIFY, DESC, &[QUEUE, arg("u_notification", struct_in!(SIGEVENT))], Ret::INT),
    call(
        id::MQ_GETSETATTR,
        DESC,
        &[QUEUE, arg("u_mqstat", ATTRIBUTES_IN), arg("u_omqstat", ATTRIBUTES_OUT)],
        Ret::INT,
    ),
];
