//! `siginfo_t`: which of its fields count is told by the signal and its code, `sigaction(2)`.

use contract::GuestAddr;
use table::{Base, DataModel, FlagSet, Named, arch, flags};

use crate::place::Place;
use crate::{Node, Nodes, NotRead, Value};

/// Signals and codes with fields of their own, from the UAPI headers asm/signal.h and
/// asm-generic/siginfo.h.
mod number {
    pub const SIGILL: i32 = 4;
    pub const SIGTRAP: i32 = 5;
    pub const SIGBUS: i32 = 7;
    pub const SIGFPE: i32 = 8;
    pub const SIGSEGV: i32 = 11;
    pub const SIGCHLD: i32 = 17;
    pub const SIGIO: i32 = 29;
    pub const SIGSYS: i32 = 31;

    pub const SI_USER: i32 = 0;
    pub const SI_TIMER: i32 = -2;
    pub const SI_SIGIO: i32 = -5;
    pub const SI_TKILL: i32 = -6;

    pub const CLD_EXITED: i32 = 1;
    pub const POLL_IN: i32 = 1;
    pub const POLL_HUP: i32 = 6;
    pub const BUS_MCEERR_AR: i32 = 4;
    pub const BUS_MCEERR_AO: i32 = 5;
    pub const SEGV_BNDERR: i32 = 3;
    pub const SEGV_PKUERR: i32 = 4;
}
use number::*;

/// Appends the struct that these bytes hold, laid out for programs of this data model.
pub(crate) fn decode<'a>(nodes: &mut Nodes<'a>, node: Node<'a>, info: &[u8], model: DataModel) {
    let mut fields = Fields { nodes, info, model };
    let place = fields.nodes.push(Node { value: Value::Struct, ..node });
    fields.all();
    nodes.close(place);
}

/// The fields of one `siginfo_t`, appended one by one.
struct Fields<'n, 'a, 'i> {
    nodes: &'n mut Nodes<'a>,
    info: &'i [u8],
    model: DataModel,
}

/// Where a field lies, by LP64 and by ILP32.
type Offset = [usize; 2];

impl<'a> Fields<'_, 'a, '_> {
    fn all(&mut self) {
        let (signal, error, code) = (self.i32([0; 2]), self.i32([4; 2]), self.i32([8; 2]));
        if signal == 0 {
            return;
        }
        self.push("si_signo", Value::Signal(signal as u32));
        self.push("si_code", Value::Flags(u64::from(code as u32), codes(signal, code as u32)));
        if error != 0 {
            self.push("si_errno", Value::Errno(error as u32));
        }
        match (signal, code) {
            (SIGCHLD, 1..) => self.child(code),
            (SIGILL | SIGFPE | SIGTRAP | SIGSEGV | SIGBUS, 1..) => self.fault(signal, code),
            (SIGIO, POLL_IN..=POLL_HUP) | (_, SI_SIGIO) => self.descriptor(),
            (SIGIO, 1..) => {}
            (SIGSYS, 1..) => self.call(),
            (_, 1..) => {
                self.sender_if_any();
                self.value_if_any();
            }
            (_, SI_USER | SI_TKILL) => self.sender(),
            (_, SI_TIMER) => {
                self.push("si_timerid", Value::Unsigned(u64::from(self.u32([16, 12])), Base::Hex));
                self.push("si_overrun", Value::Signed(i64::from(self.i32([20, 16]))));
                self.value();
            }
            _ => {
                self.sender();
                self.value_if_any();
            }
        }
    }

    fn i32(&self, offset: Offset) -> i32 {
        self.u32(offset) as i32
    }

    fn u32(&self, offset: Offset) -> u32 {
        self.at(offset, 4).u32()
    }

    /// As large as a pointer.
    fn word(&self, offset: Offset) -> Place<'_> {
        self.at(offset, self.model.word() as usize)
    }

    fn at(&self, offset: Offset, size: usize) -> Place<'_> {
        let start = offset[self.model as usize];
        Place::Memory(self.info.get(start..start + size).unwrap_or_default())
    }

    fn push(&mut self, name: &'static str, value: Value<'a>) {
        self.nodes.push(Node { name, value, ..Node::default() });
    }

    fn sender(&mut self) {
        self.push("si_pid", Value::Pid(self.i32([16, 12])));
        self.push("si_uid", Value::Id(self.u32([20, 16])));
    }

    fn sender_if_any(&mut self) {
        if self.i32([16, 12]) != 0 || self.u32([20, 16]) != 0 {
            self.sender();
        }
    }

    /// `union sigval`, which may hold either.
    fn value(&mut self) {
        self.push("si_int", Value::Signed(i64::from(self.i32([24, 20]))));
        self.push("si_ptr", Value::not_followed(self.word([24, 20]).u64()));
    }

    fn value_if_any(&mut self) {
        if self.word([24, 20]).u64() != 0 {
            self.value();
        }
    }

    fn child(&mut self, code: i32) {
        self.sender();
        let status = self.i32([24, 20]);
        let status = match code {
            CLD_EXITED => Value::Signed(i64::from(status)),
            _ => Value::Signal(status as u32),
        };
        self.push("si_status", status);
        self.push("si_utime", Value::Ticks(self.word([32, 24]).u64()));
        self.push("si_stime", Value::Ticks(self.word([40, 28]).u64()));
    }

    fn fault(&mut self, signal: i32, code: i32) {
        self.push("si_addr", Value::Addr(GuestAddr(self.word([16, 12]).u64()), NotRead::Opaque));
        match (signal, code) {
            (SIGBUS, BUS_MCEERR_AR | BUS_MCEERR_AO) => {
                let shift = self.u32([24, 16]) as u16;
                self.push("si_addr_lsb", Value::Unsigned(u64::from(shift), Base::Hex));
            }
            (SIGSEGV, SEGV_BNDERR) => {
                self.push("si_lower", Value::not_followed(self.word([32, 20]).u64()));
                self.push("si_upper", Value::not_followed(self.word([40, 24]).u64()));
            }
            (SIGSEGV, SEGV_PKUERR) => {
                self.push("si_pkey", Value::Unsigned(u64::from(self.u32([32, 20])), Base::Dec));
            }
            _ => {}
        }
    }

    fn descriptor(&mut self) {
        self.push("si_band", Value::Signed(self.word([16, 12]).i64()));
        self.push("si_fd", Value::Fd(self.i32([24, 16]), None));
    }

    fn call(&mut self) {
        let (number, machine) = (self.u32([24, 16]), self.u32([28, 20]));
        let name = match machine {
            AUDIT_ARCH_X86_64 => arch::x86_64::call(u64::from(number)).map(|call| call.name),
            AUDIT_ARCH_I386 => arch::i386::call(u64::from(number)).map(|call| call.name),
            _ => None,
        };
        self.push("si_call_addr", Value::not_followed(self.word([16, 12]).u64()));
        self.push("si_syscall", Value::CallNumber(number, name));
        self.push("si_arch", Value::Flags(u64::from(machine), &flags::AUDIT_ARCH));
    }
}

const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;
const AUDIT_ARCH_I386: u32 = 0x4000_0003;

/// The names of a signal's codes: those of any signal, else its own.
fn codes(signal: i32, code: u32) -> &'static FlagSet {
    let is_general = |named: &Named| named.value == u64::from(code);
    if flags::SI_CODE.field.iter().any(is_general) {
        return &flags::SI_CODE;
    }
    match signal {
        SIGILL => &flags::SIGILL_CODE,
        SIGFPE => &flags::SIGFPE_CODE,
        SIGSEGV => &flags::SIGSEGV_CODE,
        SIGBUS => &flags::SIGBUS_CODE,
        SIGTRAP => &flags::SIGTRAP_CODE,
        SIGCHLD => &flags::SIGCHLD_CODE,
        SIGIO => &flags::SIGIO_CODE,
        SIGSYS => &flags::SIGSYS_CODE,
        _ => &flags::SI_CODE,
    }
}
