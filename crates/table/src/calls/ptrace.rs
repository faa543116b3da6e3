//! `ptrace(2)`, whose arguments depend on the request.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Call, Classes, Dir, Kind, Len, Ret, Source, Special, Target, arg, call, flags, structs,
};

/// Requests from linux/ptrace.h and asm/ptrace-abi.h.
mod request {
    pub const TRACEME: u64 = 0;
    pub const PEEKTEXT: u64 = 1;
    pub const PEEKDATA: u64 = 2;
    pub const PEEKUSER: u64 = 3;
    pub const POKEUSER: u64 = 6;
    pub const CONT: u64 = 7;
    pub const KILL: u64 = 8;
    pub const SINGLESTEP: u64 = 9;
    pub const GETREGS: u64 = 12;
    pub const SETREGS: u64 = 13;
    pub const GETFPREGS: u64 = 14;
    pub const SETFPREGS: u64 = 15;
    pub const ATTACH: u64 = 16;
    pub const DETACH: u64 = 17;
    pub const SYSCALL: u64 = 24;
    pub const SYSEMU: u64 = 31;
    pub const SYSEMU_SINGLESTEP: u64 = 32;
    pub const SINGLEBLOCK: u64 = 33;
    pub const OLDSETOPTIONS: u64 = 21;
    pub const SETOPTIONS: u64 = 0x4200;
    pub const GETEVENTMSG: u64 = 0x4201;
    pub const GETSIGINFO: u64 = 0x4202;
    pub const SETSIGINFO: u64 = 0x4203;
    pub const GETREGSET: u64 = 0x4204;
    pub const SETREGSET: u64 = 0x4205;
    pub const SEIZE: u64 = 0x4206;
    pub const INTERRUPT: u64 = 0x4207;
    pub const LISTEN: u64 = 0x4208;
    pub const PEEKSIGINFO: u64 = 0x4209;
    pub const GETSIGMASK: u64 = 0x420a;
    pub const SETSIGMASK: u64 = 0x420b;
    pub const SECCOMP_GET_FILTER: u64 = 0x420c;
    pub const SECCOMP_GET_METADATA: u64 = 0x420d;
    pub const GET_SYSCALL_INFO: u64 = 0x420e;
}
use request::*;

const ABSENT: Kind = Kind::Absent;

const fn by_request(cases: &'static [(u64, Kind)], default: &'static Kind) -> Kind {
    Kind::Select { on: Source::Arg(0), mask: u64::MAX, cases, default }
}

/// A set of registers, told if it is that of the general ones.
const fn by_set(general: &'static [(u64, Kind)]) -> Kind {
    Kind::Select { on: Source::Arg(2), mask: u64::MAX, cases: general, default: &OTHER_SET }
}

static OTHER_SET: Kind =
    Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::IOVEC_ADDRESS)));
static GENERAL_OUT: [(u64, Kind); 1] =
    [(1, Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::REGISTERS_OUT))))];
static GENERAL_IN: [(u64, Kind); 1] = [(1, struct_in!(REGISTERS_IN))];

const PID: Arg = arg("pid", by_request(&[(TRACEME, ABSENT)], &Kind::Pid));

/// The address.
static ADDRESS: [(u64, Kind); 19] = [
    (TRACEME, ABSENT),
    (PEEKUSER, Kind::Special(Special::UserPlace)),
    (POKEUSER, Kind::Special(Special::UserPlace)),
    (KILL, ABSENT),
    (GETREGS, ABSENT),
    (SETREGS, ABSENT),
    (GETFPREGS, ABSENT),
    (SETFPREGS, ABSENT),
    (ATTACH, ABSENT),
    (GETREGSET, Kind::flags(&flags::REGISTER_SET)),
    (SETREGSET, Kind::flags(&flags::REGISTER_SET)),
    (INTERRUPT, ABSENT),
    (LISTEN, ABSENT),
    (PEEKSIGINFO, struct_in!(PEEK_SIGNALS)),
    (GETSIGMASK, Kind::ULONG),
    (SETSIGMASK, Kind::ULONG),
    (SECCOMP_GET_FILTER, Kind::ULONG),
    (SECCOMP_GET_METADATA, Kind::ULONG),
    (GET_SYSCALL_INFO, Kind::ULONG),
];

const WORD: Kind = Kind::Ptr(Dir::Out, &Target::One(&Kind::Addr));

/// A set of signals, which has eight bytes.
const fn of_eight(cases: &'static [(u64, Kind)]) -> Kind {
    Kind::Select { on: Source::Arg(2), mask: u64::MAX, cases, default: &Kind::Addr }
}

static SIGNALS_OUT: [(u64, Kind); 1] = [(8, Kind::Ptr(Dir::Out, &Target::One(&Kind::SigSet)))];
static SIGNALS_IN: [(u64, Kind); 1] = [(8, Kind::Ptr(Dir::In, &Target::One(&Kind::SigSet)))];

const METADATA: Kind =
    Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&structs::FILTER_METADATA)));

/// The data.
static DATA: [(u64, Kind); 32] = [
    (TRACEME, ABSENT),
    (PEEKTEXT, WORD),
    (PEEKDATA, WORD),
    (PEEKUSER, WORD),
    (CONT, Kind::Signal),
    (KILL, ABSENT),
    (SINGLESTEP, Kind::Signal),
    (GETREGS, struct_out!(REGISTERS)),
    (SETREGS, struct_in!(REGISTERS)),
    (GETFPREGS, struct_out!(FRACTION_REGISTERS)),
    (SETFPREGS, struct_in!(FRACTION_REGISTERS)),
    (ATTACH, ABSENT),
    (DETACH, Kind::Signal),
    (OLDSETOPTIONS, Kind::flags64(&flags::PTRACE_OPTIONS)),
    (SYSCALL, Kind::Signal),
    (SYSEMU, Kind::Signal),
    (SYSEMU_SINGLESTEP, Kind::Signal),
    (SINGLEBLOCK, Kind::Signal),
    (SETOPTIONS, Kind::flags64(&flags::PTRACE_OPTIONS)),
    (GETEVENTMSG, Kind::Ptr(Dir::Out, &Target::One(&Kind::ULONG))),
    (GETSIGINFO, Kind::Ptr(Dir::Out, &Target::One(&Kind::SigInfo))),
    (SETSIGINFO, Kind::Ptr(Dir::In, &Target::One(&Kind::SigInfo))),
    (GETREGSET, by_set(&GENERAL_OUT)),
    (SETREGSET, by_set(&GENERAL_IN)),
    (SEIZE, Kind::flags64(&flags::PTRACE_OPTIONS)),
    (INTERRUPT, ABSENT),
    (LISTEN, ABSENT),
    (PEEKSIGINFO, Kind::Ptr(Dir::Out, &Target::Array(&Kind::SigInfo, Len::Ret))),
    (GETSIGMASK, of_eight(&SIGNALS_OUT)),
    (SETSIGMASK, of_eight(&SIGNALS_IN)),
    (SECCOMP_GET_METADATA, METADATA),
    (GET_SYSCALL_INFO, struct_out!(CALL_INFO)),
];

/// The family's entries.
pub static CALLS: &[Call] = &[call(
    id::PTRACE,
    Classes::NONE,
    &[
        arg("request", Kind::flags64(&flags::PTRACE)),
        PID,
        arg("addr", by_request(&ADDRESS, &Kind::Addr)),
        arg("data", by_request(&DATA, &Kind::Addr)),
    ],
    Ret::INT,
)];
