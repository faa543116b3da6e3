//! What lies behind a pointer, how much of it, and which way it travels.

use crate::{FlagSet, Kind, Layout, MapperRequest};

/// Which way the bytes behind a pointer travel; it decides when they are captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dir {
    /// Read by the kernel: captured at entry.
    In,
    /// Written by the kernel: captured at exit, if the call succeeded.
    Out,
    /// Read and written: captured at entry and at exit.
    InOut,
    /// As `Out`, and captured at entry too: what it was before is told beside it.
    Refilled,
    /// Read, and written also where the call fails (`name_to_handle_at(2)` says how large a handle
    /// is): captured at entry, and at exit whatever came of the call.
    Answered,
    /// Written only where a signal interrupted the call (`nanosleep(2)`'s remaining time): captured
    /// if it ended so.
    Interrupted,
}

/// How many bytes or elements lie behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Len {
    /// So many.
    Const(u32),
    /// The value of the argument of this index.
    Arg(u8),
    /// As `Arg`, of which the low 32 bits count.
    IntArg(u8),
    /// The value of the argument of this index and, once the call has filled the struct, that of the sibling
    /// field of the second one.
    ArgOrFilled(u8, u8),
    /// As `IntArg`, of which the call's result tells how many it has filled.
    DoneOfArg(u8),
    /// As `Arg`, and no more than the call's result (only at exit): what `recvfrom(2)` stored.
    ArgWithinRet(u8),
    /// The call's result (only at exit).
    Ret,
    /// The 32-bit integer that the argument of this index points to. Captured before and after
    /// the call; where it changed, the smaller one bounds what is read.
    Deref(u8),
    /// The 32-bit integer so many bytes behind where the argument of this index points to, as it is
    /// before the call; of data, of which the user's limit bounds the copy.
    DerefAt(u8, u32),
    /// The value of the sibling field of this index, in the same struct.
    Field(u8),
    /// As `Field`, and the elements together hold no more than the call's result in bytes: what
    /// `readv(2)` filled.
    FieldWithinRet(u8),
    /// The sibling field of this index counts numbers, of which so many make a value.
    GroupsOfField(u8, u8),
    /// The value of the sibling field of this index, less that of the second one unless this is negative or
    /// larger: what `SG_IO` has read of so much.
    FieldLess(u8, u8),
    /// So many times the value of the sibling field of this index.
    TimesField(u32, u8),
    /// What a font has, whose characters are as wide as the sibling field of the first index says, and
    /// as many as the second: 32 rows of whole bytes each.
    Font(u8, u8),
    /// As `Field`, and no more than is left of what there is in all of the [`Target::Buffers`].
    FieldWithin(u8),
    /// Of two kinds of values that take turns, the sibling field of this index counts those that
    /// the others surround: twice as many, and one.
    TurnsOfField(u8),
    /// The argument of this index counts bits: so many 64-bit words (`select(2)`).
    BitsOfArg(u8),
    /// The argument of this index is one more than the bits in so many 64-bit words
    /// (`mbind(2)`'s number of nodes).
    NodesOfArg(u8),
    /// The argument of this index counts bytes: so many pages of 4096 bytes hold them
    /// (`mincore(2)`).
    PagesOfArg(u8),
}

/// How many bytes a value must be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// As many as it has, or more.
    AtLeast,
    /// As many as it has.
    Exactly,
    /// Any; what they hold of it is told.
    Partly,
}

/// What lies behind a pointer.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A NUL-terminated path.
    Path,
    /// A NUL-terminated string.
    CStr,
    /// As `CStr`, of which the kernel takes so many bytes at most.
    ShortStr(Len),
    /// Bytes without meaning to the kernel.
    Bytes(Len),
    /// Bytes that are no text and are customarily written in hexadecimal: `"\x7f\x00"`.
    HexBytes(Len),
    /// As `Bytes`, customarily without a NUL at the end.
    Terminated(Len),
    /// Bytes that only the kernel understands: so many, and no more than the last number says. They
    /// are customarily written in hexadecimal, all of them.
    Opaque(Len, u32),
    /// A value of so many bytes of which nothing is known: an `int` if there are four
    /// (`setsockopt(2)`), else bytes.
    IntOrBytes(Len),
    /// One value, if so many bytes are room for it.
    Fitting(&'static Kind, Len, Fit),
    /// As many values in a row as so many bytes hold.
    Packed(&'static Kind, Len),
    /// A message of `msgsnd(2)`: its type, a `long`, and so many bytes of text.
    Message(Len),
    /// One value.
    One(&'static Kind),
    /// One number, told without brackets.
    Bare(&'static Kind),
    /// As `Exchange`, of which the address is told in place of the answer if there is none. What is
    /// asked may be nothing.
    Answer(&'static Kind, &'static Kind),
    /// As `Exchange`, if the struct that is asked and the values that follow it are of just so many
    /// bytes.
    Exact(&'static Kind, &'static Kind, Len),
    /// What the kernel reads there and what it writes in its place, if the call succeeds. They may
    /// differ in size, and in the fields that count.
    Exchange(&'static Kind, &'static Kind),
    /// As many offsets as the length says, each of a string that lies so far behind the first of them.
    Offsets(Len),
    /// What a search in a btrfs has found, in so many bytes: each time a header, and data that is not
    /// told. The sibling field of this index says how often.
    SearchItems(Len, u8),
    /// A struct whose first field, an `int`, says which of these it is; of any other that number is told,
    /// of this kind.
    OneOf(&'static [(u64, &'static Layout)], &'static Kind),
    /// Buffers, of which the length says how many there are, and the second one how much is in all of
    /// them.
    Buffers(&'static Layout, Len, Len),
    /// Customarily told in full only: else the address is.
    InFull(&'static Target),
    /// A struct that grows: so many bytes of it are there. Of the fields behind them those are told
    /// that begin in the first so many bytes.
    Sized(&'static Layout, Len, u32),
    /// A struct that grows: so many bytes of it are there, at least as many as the last number says.
    /// What is missing of the known fields is zero; what is behind them is told unless it is zero.
    Extensible(&'static Layout, Len, u32),
    /// A struct that grows, whose field of this index says how many bytes of it are there; 0 stands
    /// for the smallest size, the last number.
    SelfSized(&'static Layout, u8, u32, Short),
    /// So many values in a row.
    Array(&'static Kind, Len),
    /// A NULL-terminated vector of pointers to strings: `argv`.
    Strings,
    /// As `Strings`, but customarily only counted: `envp`.
    Environment,
    /// A socket address of so many bytes, told apart by its family.
    SockAddr(Len),
    /// Ancillary data (`cmsg(3)`) of so many bytes.
    Control(Len),
    /// Directory entries (`getdents64(2)`) of so many bytes.
    Dirents(Len),
    /// The same in the form of `getdents(2)`.
    OldDirents(Len),
    /// A bit set of so many 64-bit words whose members are descriptors or CPUs.
    BitSet(Len),
    /// A set of signals, in so many bytes: as many as the last number says, or as a word of the
    /// guest's has if that is 0, and at most 8.
    SigSet(Len, u32),
    /// A bit set of so many bytes.
    BitSetBytes(Len),
    /// A bit set of so many bytes whose members have names; customarily only the first four are
    /// told.
    NamedBits(&'static FlagSet, Len),
    /// Sets of capabilities, in the form that the version behind the first argument has: a struct, of
    /// which the older forms have so many bytes.
    Capabilities(&'static Layout, u32),
    /// A request to the device mapper: a struct that says how many bytes there are in all.
    DeviceMapper(&'static MapperRequest),
}

impl Target {
    /// How many bytes or elements lie there, where something else than they themselves says so.
    pub fn len(&self) -> Option<Len> {
        match self {
            Target::ShortStr(len)
            | Target::Bytes(len)
            | Target::HexBytes(len)
            | Target::Terminated(len)
            | Target::Opaque(len, _)
            | Target::IntOrBytes(len)
            | Target::Fitting(_, len, _)
            | Target::Packed(_, len)
            | Target::Offsets(len)
            | Target::Buffers(_, len, _)
            | Target::SearchItems(len, _)
            | Target::Message(len)
            | Target::Exact(_, _, len)
            | Target::Sized(_, len, _)
            | Target::Extensible(_, len, _)
            | Target::Array(_, len)
            | Target::SockAddr(len)
            | Target::Control(len)
            | Target::Dirents(len)
            | Target::OldDirents(len)
            | Target::BitSet(len)
            | Target::SigSet(len, _)
            | Target::BitSetBytes(len)
            | Target::NamedBits(_, len) => Some(*len),
            Target::InFull(target) => target.len(),
            Target::Path
            | Target::CStr
            | Target::One(_)
            | Target::Bare(_)
            | Target::Answer(..)
            | Target::Exchange(..)
            | Target::SelfSized(..)
            | Target::OneOf(..)
            | Target::Strings
            | Target::Environment
            | Target::Capabilities(..)
            | Target::DeviceMapper(_) => None,
        }
    }
}

/// What is told of a struct that says it is smaller than any form of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Short {
    /// Its address.
    Address,
    /// Its first field.
    FirstField,
}
