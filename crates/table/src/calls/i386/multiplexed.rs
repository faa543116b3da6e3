//! Calls that stand for several: `socketcall(2)`, `ipc(2)`, and those whose arguments are in memory.
//!
//! What they stand for is told as a call of its own, as if it had been made directly. Where i386 has
//! no number for it, it has one here that no kernel has.

use super::renamed;
use crate::arch::x86_64::{self, described};
use crate::arch::{i386 as id, i386::From, i386::Parts};
use crate::calls::ipc::{MSG_BUFFER, SEM_BUFFER, SHM_BUFFER};
use crate::{
    Arg, Call, Classes, Dir, Id, Kind, Len, Ret, Source, Target, Width, arg, arg_in, call, flags,
    parts,
};

const NETWORK: Classes = Classes::NETWORK;
const IPC: Classes = Classes::IPC;

/// Calls without a number of their own, from the first number that no list reaches.
mod part {
    use crate::Id;
    pub const ACCEPT: Id = Id { number: 512, name: "accept" };
    pub const SEND: Id = Id { number: 513, name: "send" };
    pub const RECV: Id = Id { number: 514, name: "recv" };
    pub const SEMOP: Id = Id { number: 515, name: "semop" };
    pub const SEMTIMEDOP: Id = Id { number: 516, name: "semtimedop" };
    pub const SEMCTL: Id = Id { number: 517, name: "semctl" };
    pub const MSGRCV: Id = Id { number: 518, name: "msgrcv" };
    pub const MMAP: Id = Id { number: 519, name: "mmap" };
    pub const SELECT: Id = Id { number: 520, name: "select" };
    pub const SOCKETCALL: Id = Id { number: 521, name: "socketcall" };
}

/// A buffer by the command of `shmctl(2)` and its like, which may have `IPC_64` set.
const fn by_command(command: u8, cases: &'static [(u64, Kind)]) -> Kind {
    Kind::Select { on: Source::Arg(command), mask: 0xff, cases, default: &Kind::Addr }
}
const SEM_BY_COMMAND: Kind = by_command(2, &SEM_BUFFER);

/// The same of `semctl(2)` by `ipc(2)`: nothing where the command wants no struct.
const SEM_STRUCT: Kind =
    Kind::Select { on: Source::Arg(2), mask: 0xff, cases: &SEM_BUFFER, default: &Kind::Absent };
/// And where it wants none, the number behind the pointer.
const SEM_NUMBER: Kind = Kind::Select {
    on: Source::Arg(2),
    mask: 0xff,
    cases: &[
        (SEM_BUFFER[0].0, Kind::Absent),
        (SEM_BUFFER[1].0, Kind::Absent),
        (SEM_BUFFER[2].0, Kind::Absent),
        (SEM_BUFFER[3].0, Kind::Absent),
        (SEM_BUFFER[4].0, Kind::Absent),
        (SEM_BUFFER[5].0, Kind::Absent),
        (SEM_BUFFER[6].0, Kind::Absent),
    ],
    default: &Kind::Ptr(Dir::In, &Target::One(&Kind::HEX)),
};

const TIMEOUT: Kind = struct_in!(OLD_TIMESPEC);
const FD: Arg = arg("fd", Kind::Fd);
const MESSAGE_FLAGS: Arg = arg("flags", Kind::flags(&flags::MESSAGE));

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::SOCKETCALL,
        Classes::DESC,
        &[arg("call", Kind::INT), arg("args", Kind::Addr)],
        Ret::INT,
    ),
    call(
        part::SOCKETCALL,
        Classes::DESC,
        &[arg("call", Kind::flags(&flags::SOCKETCALL)), arg("args", Kind::Addr)],
        Ret::INT,
    ),
    call(
        id::IPC,
        IPC,
        &[
            arg("call", Kind::Parts(Width::U32, &parts::IPC)),
            arg("first", Kind::HEX),
            arg("second", Kind::HEX),
            arg("third", Kind::HEX),
            arg("ptr", Kind::HEX),
            arg("fifth", Kind::HEX),
        ],
        Ret::INT,
    ),
    // Their arguments could not be read.
    call(id::MMAP, Classes::MEMORY.or(Classes::DESC), &[arg("arg", Kind::Addr)], Ret::ADDR),
    call(id::SELECT, Classes::DESC, &[arg("arg", Kind::Addr)], Ret::INT),
    call(
        part::MSGRCV,
        IPC,
        &[
            arg_in("msqid", 1, Kind::INT),
            arg_in("msgp", 4, Kind::Addr),
            arg_in("msgsz", 2, Kind::ULONG),
            arg_in("msgflg", 3, Kind::flags(&flags::MSGOP)),
        ],
        Ret::INT,
    ),
    renamed(part::MMAP, described(x86_64::MMAP)),
    renamed(part::SELECT, described(x86_64::SELECT)),
    renamed(part::ACCEPT, described(x86_64::ACCEPT)),
    call(
        part::SEND,
        NETWORK,
        &[
            FD,
            arg("buff", Kind::Ptr(Dir::In, &Target::Bytes(Len::Arg(2)))),
            arg("len", Kind::ULONG),
            MESSAGE_FLAGS,
        ],
        Ret::INT,
    ),
    call(
        part::RECV,
        NETWORK,
        &[
            FD,
            arg("ubuf", Kind::Ptr(Dir::Out, &Target::Bytes(Len::ArgWithinRet(2)))),
            arg("size", Kind::ULONG),
            MESSAGE_FLAGS,
        ],
        Ret::INT,
    ),
    renamed(part::SEMOP, described(x86_64::SEMOP)),
    changed!(part::SEMTIMEDOP, SEMTIMEDOP, 3: TIMEOUT),
    call(
        part::SEMCTL,
        IPC,
        &[
            arg("semid", Kind::INT),
            arg("semnum", Kind::INT),
            arg("cmd", Kind::Parts(Width::U32, &parts::SEMCTL)),
            arg("arg", SEM_STRUCT),
            arg("arg", SEM_NUMBER),
        ],
        Ret::INT,
    ),
    changed!(id::SEMCTL, SEMCTL, 2: Kind::Parts(Width::U32, &parts::SEMCTL), 3: SEM_BY_COMMAND),
    changed!(
        id::SHMCTL, SHMCTL,
        1: Kind::Parts(Width::U32, &parts::SHMCTL), 2: by_command(1, &SHM_BUFFER)
    ),
    changed!(
        id::MSGCTL, MSGCTL,
        1: Kind::Parts(Width::U32, &parts::MSGCTL), 2: by_command(1, &MSG_BUFFER)
    ),
];

use From::{Register, Word};

/// The words behind a pointer, in their order.
static WORDS: [From; 6] = [Word(0), Word(1), Word(2), Word(3), Word(4), Word(5)];

/// `socketcall(2)`'s calls from 1 on, and how many arguments they have.
static SOCKET_CALLS: [(Id, u8); 20] = [
    (id::SOCKET, 3),
    (id::BIND, 3),
    (id::CONNECT, 3),
    (id::LISTEN, 2),
    (part::ACCEPT, 3),
    (id::GETSOCKNAME, 3),
    (id::GETPEERNAME, 3),
    (id::SOCKETPAIR, 4),
    (part::SEND, 4),
    (part::RECV, 4),
    (id::SENDTO, 6),
    (id::RECVFROM, 6),
    (id::SHUTDOWN, 2),
    (id::SETSOCKOPT, 5),
    (id::GETSOCKOPT, 5),
    (id::SENDMSG, 3),
    (id::RECVMSG, 3),
    (id::ACCEPT4, 4),
    (id::RECVMMSG, 5),
    (id::SENDMMSG, 4),
];

/// `ipc(2)`'s calls: number, call, and where its arguments are.
static IPC_CALLS: [(u32, Id, &[From]); 12] = [
    (1, part::SEMOP, &[Register(1), Register(4), Register(2)]),
    (2, id::SEMGET, &[Register(1), Register(2), Register(3)]),
    (3, part::SEMCTL, &[Register(1), Register(2), Register(3), Word(0), Register(4)]),
    (4, part::SEMTIMEDOP, &[Register(1), Register(4), Register(2), Register(5)]),
    (11, id::MSGSND, &[Register(1), Register(4), Register(2), Register(3)]),
    (12, id::MSGRCV, &[Register(1), Register(4), Register(2), Register(5), Register(3)]),
    (13, id::MSGGET, &[Register(1), Register(2)]),
    (14, id::MSGCTL, &[Register(1), Register(2), Register(4)]),
    // The last one points to the result.
    (21, id::SHMAT, &[Register(1), Register(4), Register(2), Register(3)]),
    (22, id::SHMDT, &[Register(4)]),
    (23, id::SHMGET, &[Register(1), Register(2), Register(3)]),
    (24, id::SHMCTL, &[Register(1), Register(2), Register(4)]),
];
/// `MSGRCV` as it was at first: pointer and type are behind the pointer.
static OLD_MSGRCV: &[From] = &[Register(1), Word(0), Register(2), Word(1), Register(3)];

/// What a call of this number stands for.
pub(crate) fn parts(number: u16, args: &[u64; 6]) -> Option<Parts> {
    let in_memory = |call: Id, pointer, words: u8, unreadable: Id| Parts {
        call: call.number,
        args: &WORDS[..usize::from(words)],
        block: Some((pointer, words)),
        unreadable: Some(unreadable.number),
    };
    if number == id::MMAP.number {
        Some(in_memory(part::MMAP, 0, 6, id::MMAP))
    } else if number == id::SELECT.number {
        Some(in_memory(part::SELECT, 0, 5, id::SELECT))
    } else if number == id::SOCKETCALL.number {
        let index = usize::try_from(args[0]).ok()?.checked_sub(1)?;
        let (call, words) = *SOCKET_CALLS.get(index)?;
        Some(in_memory(call, 1, words, part::SOCKETCALL))
    } else if number == id::IPC.number {
        ipc(args[0] as u32)
    } else {
        None
    }
}

/// The upper half of the number is a version.
fn ipc(number: u32) -> Option<Parts> {
    let (call, version) = (number & 0xffff, number >> 16);
    let (_, id, args) = *IPC_CALLS.iter().find(|(known, ..)| *known == call)?;
    let parts = Parts { call: id.number, args, block: None, unreadable: None };
    Some(match call {
        3 => Parts { block: Some((4, 1)), ..parts },
        12 if version == 0 => Parts {
            args: OLD_MSGRCV,
            block: Some((4, 2)),
            unreadable: Some(part::MSGRCV.number),
            ..parts
        },
        _ => parts,
    })
}
