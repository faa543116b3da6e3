//! The description of one system call.

use crate::{Base, Classes, Kind, Source, Special, Width};

/// A call's identity in an architecture's list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Id {
    /// Its number.
    pub number: u16,
    /// Its name.
    pub name: &'static str,
}

/// A system call.
#[derive(Debug)]
pub struct Call {
    /// Its number in the kernel's x86-64 list.
    pub number: u16,
    /// Its name in the kernel's list.
    pub name: &'static str,
    /// The classes it belongs to.
    pub classes: Classes,
    /// Its arguments, six at most, in register order.
    pub args: &'static [Arg],
    /// Its result.
    pub ret: Ret,
    /// How far this description goes.
    pub depth: Depth,
}

/// How far a description goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Name and arguments are known, the arguments only as integers.
    Named,
    /// Every argument has its kind.
    Full,
}

/// An argument.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Its name in the kernel's prototype.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Which register holds it, counted from 0; differs from the argument's place where the
    /// customary order is another than the kernel's (`clone(2)`). 6 is the stack pointer, 7 the number of the call
    /// before.
    pub register: u8,
    /// The register that holds the upper half of a value too wide for one register, as 64-bit
    /// numbers are in 32-bit calls.
    pub upper: Option<u8>,
    /// Always shown with its name (`clone(2)`'s `flags=`).
    pub named: bool,
    /// Customarily shown when the call has returned, whoever writes it (`clone(2)`).
    pub late: bool,
}

impl Arg {
    /// The same, shown when the call has returned.
    pub const fn late(self) -> Arg {
        Arg { late: true, ..self }
    }
}

/// A call's result.
#[derive(Clone, Copy, Debug)]
pub struct Ret {
    /// What a successful result is.
    pub kind: Kind,
    /// What is told beside it.
    pub note: Note,
    /// The call does not return when it succeeds (`exit_group(2)`).
    pub never: bool,
    /// At a result of 0 the call has written nothing: a `wait4(2)` that found no child to tell of.
    pub zero_writes_nothing: bool,
}

/// What is told in parentheses behind a successful result.
#[derive(Clone, Copy, Debug)]
pub enum Note {
    /// Nothing.
    None,
    /// The result's own meaning: `0x8002 (flags O_RDWR|O_LARGEFILE)`; nothing where the kind turns
    /// out to be absent.
    Meaning(&'static str, Kind),
    /// As `Meaning`, told only where structures are read.
    MeaningOfRead(&'static str, Kind),
    /// As `Meaning`, told only where an argument has one of these values.
    MeaningBy {
        /// Where the value is.
        on: Source,
        /// Values, with what is told where the argument has them.
        cases: &'static [(u64, &'static str, Kind)],
    },
    /// These arguments, as they are after the call: `1 ([{fd=0, revents=POLLIN}])`, a named one
    /// behind its name: `1 (in [3], left {tv_sec=4, tv_nsec=0})`; where the
    /// result is 0 instead `(Timeout)`. Pointers among them are [`crate::Dir::Out`]: what the call
    /// wrote to what its own arguments describe as [`crate::Dir::In`]. Arguments that tell nothing
    /// are left out (NULL, empty sets), as are elements whose last field is a [`Kind::Flags`] of 0.
    After(&'static [Arg]),
    /// As `After`, whatever the result is.
    Beside(&'static [Arg]),
    /// As `Beside`, right behind this: `0 (entry_number=12)`.
    Labelled(&'static str, &'static [Arg]),
}

/// An argument in the register of its place. [`call`] sets the register.
pub const fn arg(name: &'static str, kind: Kind) -> Arg {
    arg_in(name, u8::MAX, kind)
}

/// An argument that is always shown with its name, in this register.
pub const fn named_arg(name: &'static str, register: u8, kind: Kind) -> Arg {
    Arg { named: true, ..arg_in(name, register, kind) }
}

/// What the stack pointer leads to (`rt_sigreturn(2)`).
pub const fn stack_arg(name: &'static str, kind: Kind) -> Arg {
    arg_in(name, 6, kind)
}

/// The call that this one resumes (`restart_syscall(2)`).
pub const fn resumed_arg() -> Arg {
    arg_in("resumed", 7, Kind::Special(Special::ResumedCall))
}

/// What the call has returned, told beside the result (`Note::Beside`).
pub const fn returned_arg(kind: Kind) -> Arg {
    arg_in("", 8, kind)
}

/// An argument in this register, shown without its name.
pub const fn arg_in(name: &'static str, register: u8, kind: Kind) -> Arg {
    Arg { name, kind, register, upper: None, named: false, late: false }
}

/// A number of 64 bits whose halves are in these 32-bit registers.
pub(crate) const fn halves(name: &'static str, lower: u8, upper: u8, kind: Kind) -> Arg {
    Arg { upper: Some(upper), ..arg_in(name, lower, kind) }
}

/// A fully described call.
pub const fn call(id: Id, classes: Classes, args: &'static [Arg], ret: Ret) -> Call {
    assert!(args.len() <= 6);
    Call { number: id.number, name: id.name, classes, args, ret, depth: Depth::Full }
}

/// A call of which only the names of the arguments are known.
pub(crate) const fn named(id: Id, args: &'static [Arg]) -> Call {
    Call { depth: Depth::Named, ..call(id, Classes::NONE, args, Ret::INT) }
}

/// An argument of which only the name is known.
pub(crate) const fn raw(name: &'static str) -> Arg {
    arg(name, Kind::HEX64)
}

/// The call's arguments, those of some places with another kind.
pub(crate) const fn with_kinds<const N: usize>(call: &Call, kinds: &[(usize, Kind)]) -> [Arg; N] {
    let mut args = [arg("", Kind::Absent); N];
    let mut place = 0;
    while place < N {
        args[place] = call.args[place];
        place += 1;
    }
    let mut at = 0;
    while at < kinds.len() {
        args[kinds[at].0].kind = kinds[at].1;
        at += 1;
    }
    args
}

impl Call {
    /// The register that holds the argument of this place.
    pub const fn register(&self, place: usize) -> usize {
        self.args[place].register(place)
    }
}

impl Arg {
    /// The register that holds this argument if it stands at this place.
    pub const fn register(&self, place: usize) -> usize {
        match self.register {
            u8::MAX => place,
            register => register as usize,
        }
    }
}

impl Ret {
    /// A decimal number; the common case.
    pub const INT: Ret = Ret::of(Kind::Int(Width::S64, Base::Dec));
    /// A file descriptor.
    pub const FD: Ret = Ret::of(Kind::Fd);
    /// An address.
    pub const ADDR: Ret = Ret::of(Kind::Addr);
    /// A hexadecimal number.
    pub const HEX: Ret = Ret::of(Kind::Int(Width::U64, Base::Hex));
    /// Does not return.
    pub const NEVER: Ret = Ret { never: true, ..Ret::of(Kind::INT) };

    /// A result of this kind.
    pub const fn of(kind: Kind) -> Ret {
        Ret { kind, note: Note::None, never: false, zero_writes_nothing: false }
    }

    /// The same with a note.
    #[must_use]
    pub const fn note(mut self, note: Note) -> Ret {
        self.note = note;
        self
    }

    /// The same, where at a result of 0 nothing was written.
    #[must_use]
    pub const fn zero_writes_nothing(mut self) -> Ret {
        self.zero_writes_nothing = true;
        self
    }
}
