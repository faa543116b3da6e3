//! What a value is: the vocabulary in which arguments, fields and results are described.
//!
//! A [`Kind`] says how a value is read and what it means, never how it looks: text, JSON and
//! statistics each make of it what they need.

use crate::{DataModel, Layout, Width};

/// The base in which an integer is customarily written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// Decimal.
    Dec,
    /// Hexadecimal with `0x`; zero is `0`.
    Hex,
    /// Octal with a leading `0`.
    Oct,
}

/// One name in a [`FlagSet`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named {
    /// The value, or the bits that must all be set.
    pub value: u64,
    /// The name in the UAPI headers.
    pub name: &'static str,
}

/// A value with its name.
pub const fn named(value: u64, name: &'static str) -> Named {
    Named { value, name }
}

/// The names of an integer's values: one of several (an enumeration), bits that are or'ed, or an
/// enumerated field beside bits, as in `open(2)`'s flags.
#[derive(Debug)]
pub struct FlagSet {
    /// What stands for an unknown value: `O_???`; empty if nothing does.
    pub unknown: &'static str,
    /// The bits of the enumerated field; 0 if there is none, all ones for a pure enumeration.
    pub field_mask: u64,
    /// Values of the enumerated field.
    pub field: &'static [Named],
    /// What stands for an unknown value of the field: `MAP_???`; if it is empty, such a value counts
    /// among the unknown bits.
    pub field_unknown: &'static str,
    /// Field and bits are two numbers, told with `|` between them: `SOCK_STREAM|0x100`.
    pub apart: bool,
    /// Numbers are told in decimal, as an `int`.
    pub decimal: bool,
    /// Bits to be or'ed, in the order in which they are tried: combined bits before single ones.
    /// A name whose value is 0 (`PROT_NONE`) stands for a value without any bit.
    pub bits: &'static [Named],
    /// Bits that hold numbers, told behind the names: `IPC_CREAT|0600`.
    pub numbers: &'static [NumberBits],
}

/// Bits that hold a number beside flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumberBits {
    /// The bits.
    pub mask: u64,
    /// The number's customary base; an octal one has three digits at least.
    pub base: Base,
    /// What the number is shifted by, if that is told: `21<<MAP_HUGE_SHIFT`. Such a number is left
    /// out where it is 0, any other never.
    pub shift: Option<&'static str>,
}

/// A number of several parts, told with `|` between them; a separator stands behind each one that
/// is told, but for the last.
#[derive(Debug)]
pub struct Parts {
    /// Where constants are told as numbers, the whole is one number.
    pub is_one_number: bool,
    /// The parts, in the order of telling.
    pub parts: &'static [Part],
}

/// A part of a number.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its bits, where they are told.
    pub mask: u64,
    /// Its names. If they are of bits and none is set, nothing is told.
    pub names: &'static FlagSet,
    /// How far it is shifted, and what that is called, if anything; such a part is told unless it is 0.
    pub shift: Option<(u8, &'static str)>,
}

/// A part that is not shifted.
pub const fn part(mask: u64, names: &'static FlagSet) -> Part {
    Part { mask, names, shift: None }
}

impl FlagSet {
    /// A set without any name.
    pub const EMPTY: FlagSet = FlagSet {
        unknown: "",
        field_mask: 0,
        field: &[],
        field_unknown: "",
        apart: false,
        decimal: false,
        bits: &[],
        numbers: &[],
    };

    /// The name of a value of the enumerated field.
    pub fn name(&self, value: u64) -> Option<&'static str> {
        self.field.iter().find(|named| named.value == value).map(|named| named.name)
    }
}

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

/// Where the number is found on which a [`Kind::Select`] depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The argument of this index.
    Arg(u8),
    /// The sibling field of this index, in the same struct.
    Field(u8),
}

/// The unit of a fraction of a second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fraction {
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
}

/// When and how the new value of a field is told beside the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retold {
    /// If it is another one, with the field's name.
    Changed,
    /// If it is another one, without a name.
    ChangedNumber,
    /// Always, without a name.
    Always,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Not there in this variant of the call (`fcntl(fd, F_GETFD)` has no third argument).
    Absent,
    /// An integer.
    Int(Width, Base),
    /// A file descriptor.
    Fd,
    /// A directory's file descriptor or `AT_FDCWD`.
    DirFd,
    /// A process or thread id.
    Pid,
    /// A user or group id; all ones is -1.
    Id,
    /// A user or group id of 16 bits; all ones is -1.
    Id16,
    /// A signal number.
    Signal,
    /// A set of 64 signals, in memory.
    SigSet,
    /// A set of 32 signals.
    SigSet32,
    /// One of, or several or'ed of, a set of names; in network byte order customarily written
    /// `htons(ETH_P_ALL)`.
    Flags(Width, &'static FlagSet),
    /// An integer of several parts, each with names of its own.
    Parts(Width, &'static Parts),
    /// An `int` of flags above nine bits of permissions (`IPC_CREAT|0600`).
    FlagsPerm(&'static FlagSet),
    /// An `int` in decimal, with its name as a comment (`syslog(2)`'s action).
    Annotated(&'static FlagSet),
    /// File permissions, in octal (`0644`).
    Perm,
    /// A file's type and permissions (`S_IFREG|0644`).
    FileMode(Width),
    /// A device number (`makedev(0x8, 0x1)`).
    Dev(Width),
    /// The status that `wait4(2)` stores.
    WaitStatus,
    /// An address that is not followed.
    Addr,
    /// An address, and what is found there.
    Ptr(Dir, &'static Target),
    /// A struct, in memory.
    Struct(&'static Layout),
    /// A point in time, in memory: a struct whose first field holds seconds since the epoch and
    /// whose second the fraction; told with the date as a comment.
    Instant(&'static Layout, Fraction),
    /// A fixed array of this many elements, in memory.
    Array(&'static Kind, u32),
    /// A struct, in memory, customarily told as a list: without names.
    Row(&'static Layout),
    /// A fixed array of so many elements, of which the first ones count.
    Leading(&'static Kind, u32, Len),
    /// A fixed array in memory, each of whose elements has a name: `[[VINTR]=0x3]`.
    Labelled(&'static Kind, &'static [&'static str]),
    /// A fixed field of so many bytes that holds a NUL-terminated string.
    CharArray(u32),
    /// As `CharArray`, of as many characters at most as the sibling field of this index says.
    LeadingText(u32, u8),
    /// A fixed field of so many bytes of data.
    ByteArray(u32),
    /// As `ByteArray`, customarily written in hexadecimal since it is no text.
    HexArray(u32),
    /// An integer in hexadecimal, with its name as a comment.
    Explained(Width, &'static FlagSet),
    /// A field of a struct that the kernel reads and fills: told once the call has succeeded.
    Written(&'static Kind),
    /// A field of such a struct that the kernel replaces. Where it did, both values are told, the
    /// second with the field's name again (`features=0 => features=0x1`); or always both, the
    /// second alone (`count=4 => 2`).
    Replaced(&'static Kind, Retold),
    /// So many values that follow the struct whose last field this is, in memory.
    Following(&'static Kind, Len),
    /// Told if the call failed.
    Refused(&'static Kind),
    /// Stands for fields that are never told.
    Rest,
    /// Stands for fields before it that are told in full only, where they are not told.
    Folded,
    /// A list whose elements are told in full only.
    Brief(&'static Kind),
    /// What follows the struct whose last field this is, in memory.
    Behind(&'static Target),
    /// A fixed field of so many bytes, of which the sibling field of this index says how many count.
    Prefix(u32, u8),
    /// Told unless all its bytes are zero: what is reserved.
    UnlessZero(&'static Kind),
    /// There for others to depend on; not told.
    Hidden(&'static Kind),
    /// Depends on another number: the case whose value equals `number & mask`.
    Select {
        /// Where the number is.
        on: Source,
        /// The bits that count.
        mask: u64,
        /// Values and what they make of this one: [`case`] finds them.
        cases: &'static [(u64, Kind)],
        /// What it is otherwise.
        default: &'static Kind,
    },
    /// There only if `number & mask` is not zero (`openat(2)`'s mode); else absent.
    IfBits {
        /// Where the number is.
        on: Source,
        /// At least one of these bits must be set.
        mask: u64,
        /// What it is then.
        then: &'static Kind,
    },
    /// A scalar with a look of its own.
    Special(Special),
}

/// Scalars that no general kind describes; the decoder has a function for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// `ioctl(2)`'s request number, split into direction, type, number and size if unknown.
    IoctlRequest,
    /// `clone(2)`'s flags with the exit signal in the low byte.
    CloneFlags,
    /// An IPv4 address in network byte order.
    Inet4,
    /// An IPv6 address (16 bytes).
    Inet6,
    /// A capability set whose upper 32 bits lie 12 bytes behind the lower ones: `capget(2)`.
    Capabilities,
    /// A resource limit: a multiple of 1024 is told as such (`8192*1024`), all ones by this name.
    Limit(&'static str),
    /// A pointer-sized `sighandler_t`: `SIG_DFL`, `SIG_IGN` or an address.
    SigHandler,
    /// `tv_nsec` of `utimensat(2)`: `UTIME_NOW`, `UTIME_OMIT` or a number.
    UtimeNsec,
    /// Clock ticks of a hundredth second each, with the seconds as a comment.
    Ticks,
    /// Seconds since the epoch, with the date as a comment.
    Date,
    /// As `Date`; the sibling field of this index holds the nanoseconds.
    DateWithNanos(u8),
    /// A number of pages of 4096 bytes, told in bytes (`mmap2(2)`'s offset).
    Pages,
    /// The number of the call that was interrupted and is resumed by this one.
    ResumedCall,
    /// `quotactl(2)`'s command, and whose quotas it is about in the low byte.
    QuotaCommand,
    /// How many bytes a list of network devices has (`SIOCGIFCONF`), with the number of these as a
    /// comment.
    DevicesLength,
    /// How long a message was that `sendmmsg(2)` has sent; of the others nothing is told.
    Sent,
    /// A word of a set of memory nodes.
    NodeMask,
    /// An instruction of the classic packet filter (8 bytes).
    FilterInstruction,
    /// As `FilterInstruction`, in a program of `seccomp(2)`.
    SeccompInstruction,
    /// The bit of this place in a 64-bit number: 0 or 1, a 0 being told only in full.
    Bit(u8),
    /// The bit of this place in a 16-bit number, told if it is set.
    ShortBit(u8),
    /// `precise_ip` of `struct perf_event_attr`: two bits from the 15th on, with what they mean.
    Skid,
    /// A version of the kernel.
    KernelVersion,
    /// An address of so many bytes of a network's hardware.
    HardwareAddress(u32),
    /// As `HardwareAddress`, of which the first so many bytes are the address.
    HardwareAddressIn(u32, u32),
    /// As `HardwareAddress`, of which the sibling field of this index says how many bytes count.
    HardwareAddressOf(u32, u8),
    /// A field of so many bytes that holds text, as long as the sibling field of this index says.
    TextOf(u32, u8),
    /// A socket address in so many bytes.
    SocketAddress(u32),
    /// The types of ICMP's messages that are not let through: `struct icmp_filter`.
    IcmpFilter,
    /// An error's number, by its name; 0 is none.
    Errno,
    /// A call's number by the native ABI.
    CallNumber,
    /// An `int`: an error's number, negated, by its name.
    NegatedErrno,
    /// How many bytes of the buffers in this struct the call filled (`recvmmsg(2)`'s `msg_len`).
    Filled,
    /// The index of a network interface: `if_nametoindex("lo")`.
    Interface,
    /// A control of a video device: by name, else by its class.
    VideoControl,
    /// A character of the console's font, 16 bits: one that stands for its place in the font is
    /// told so.
    Glyph,
    /// What a key of the console sends, 16 bits: by kind and value.
    KeySymbol,
    /// A tone: the clock's ticks in one oscillation.
    Tone,
    /// As `Tone`, with its length in milliseconds in the upper half.
    LongTone,
    /// A place in `struct user`.
    UserPlace,
    /// So many bits of a 32-bit number, from this one on.
    BitField(u8, u8),
    /// An I/O priority: a class and a number within it.
    IoPriority,
    /// The same in 16 bits.
    ShortIoPriority,
    /// What `FUTEX_WAKE_OP` does: an operation, a comparison and an operand for each.
    FutexOperation,
    /// A mask in hexadecimal, of eight characters at least: `0x000007`.
    Mask,
    /// A universally unique identifier (16 bytes).
    Uuid,
    /// A byte that is a character: `'a'`.
    Character,
    /// A format of pictures: a code of four characters, with its name as a comment.
    PixelFormat,
    /// Two 32-bit numbers, one divided by the other: `1/30`.
    Ratio,
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
    ShortStr(u32),
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
    /// What the kernel reads there and what it writes in its place, if the call succeeds. They may
    /// differ in size, and in the fields that count.
    Exchange(&'static Kind, &'static Kind),
    /// So many values in a row, customarily told in full only: else the address is.
    InFull(&'static Kind, Len),
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
    /// A bit set of so many bytes.
    BitSetBytes(Len),
    /// A bit set of so many bytes whose members have names; customarily only the first four are
    /// told.
    NamedBits(&'static FlagSet, Len),
    /// A `siginfo_t`, of which signal and code tell the fields.
    SigInfo,
}

/// What is told of a struct that says it is smaller than any form of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Short {
    /// Its address.
    Address,
    /// Its first field.
    FirstField,
}

/// Up to so many cases need no order.
const FEW: usize = 8;

/// What a selection has for a value. Where there are more than eight cases, they are [`sorted`].
pub fn case<T>(cases: &[(u64, T)], value: u64) -> Option<&T> {
    let place = if cases.len() <= FEW {
        cases.iter().position(|(case, _)| *case == value)
    } else {
        cases.binary_search_by_key(&value, |(case, _)| *case).ok()
    };
    place.map(|place| &cases[place].1)
}

/// Cases in the order of their values.
pub const fn sorted<const N: usize>(mut cases: [(u64, Kind); N]) -> [(u64, Kind); N] {
    let mut gap = N / 2;
    while gap > 0 {
        let mut next = gap;
        while next < N {
            let moved = cases[next];
            let mut place = next;
            while place >= gap && cases[place - gap].0 > moved.0 {
                cases[place] = cases[place - gap];
                place -= gap;
            }
            cases[place] = moved;
            next += 1;
        }
        gap /= 2;
    }
    let mut place = 1;
    while place < N {
        assert!(cases[place - 1].0 != cases[place].0, "two cases for one value");
        place += 1;
    }
    cases
}

impl Kind {
    /// `int`.
    pub const INT: Kind = Kind::Int(Width::S32, Base::Dec);
    /// `unsigned int`.
    pub const UINT: Kind = Kind::Int(Width::U32, Base::Dec);
    /// `long`, `off_t`.
    pub const LONG: Kind = Kind::Int(Width::Long, Base::Dec);
    /// `unsigned long`, `size_t`.
    pub const ULONG: Kind = Kind::Int(Width::ULong, Base::Dec);
    /// `unsigned int` in hexadecimal.
    pub const HEX32: Kind = Kind::Int(Width::U32, Base::Hex);
    /// `loff_t`.
    pub const S64: Kind = Kind::Int(Width::S64, Base::Dec);
    /// `__u64`.
    pub const U64: Kind = Kind::Int(Width::U64, Base::Dec);
    /// `unsigned long` in hexadecimal.
    pub const HEX: Kind = Kind::Int(Width::ULong, Base::Hex);
    /// 64 bits in hexadecimal.
    pub const HEX64: Kind = Kind::Int(Width::U64, Base::Hex);
    /// A path that the kernel reads.
    pub const PATH: Kind = Kind::Ptr(Dir::In, &Target::Path);
    /// A string that the kernel reads.
    pub const CSTR: Kind = Kind::Ptr(Dir::In, &Target::CStr);

    /// An `int` with names.
    pub const fn flags(set: &'static FlagSet) -> Kind {
        Kind::Flags(Width::U32, set)
    }

    /// A `long` with names.
    pub const fn flags64(set: &'static FlagSet) -> Kind {
        Kind::Flags(Width::U64, set)
    }

    /// Whether a field of so many bytes in a 32-bit program's struct holds it. A number may be
    /// narrower than its kind, or wider: [`crate::Field::size`].
    pub(crate) const fn fits_ilp32(&self, bytes: u32) -> bool {
        self.size(DataModel::Ilp32) == bytes || !self.is_aggregate() && bytes <= 8
    }

    /// Whether it is made of several values, so that no one number holds it.
    const fn is_aggregate(&self) -> bool {
        matches!(
            self,
            Kind::Struct(_)
                | Kind::Row(_)
                | Kind::Instant(..)
                | Kind::Array(..)
                | Kind::Leading(..)
                | Kind::CharArray(_)
                | Kind::LeadingText(..)
                | Kind::ByteArray(_)
                | Kind::HexArray(_)
                | Kind::Labelled(..)
                | Kind::Prefix(..)
                | Kind::Special(
                    Special::HardwareAddress(_)
                        | Special::HardwareAddressIn(..)
                        | Special::HardwareAddressOf(..)
                        | Special::TextOf(..)
                        | Special::SocketAddress(_)
                        | Special::Uuid
                        | Special::Ratio
                )
                | Kind::Written(_)
                | Kind::Brief(_)
                | Kind::Refused(_)
                | Kind::Replaced(..)
                | Kind::UnlessZero(_)
        )
    }

    /// Size in memory by this data model, in bytes.
    pub const fn size(&self, model: DataModel) -> u32 {
        match self {
            Kind::Absent | Kind::Following(..) | Kind::Behind(_) | Kind::Rest | Kind::Folded => 0,
            Kind::Int(width, _)
            | Kind::Flags(width, _)
            | Kind::Parts(width, _)
            | Kind::FileMode(width)
            | Kind::Explained(width, _)
            | Kind::Dev(width) => width.bytes(model),
            Kind::Fd
            | Kind::DirFd
            | Kind::Pid
            | Kind::Id
            | Kind::Signal
            | Kind::SigSet32
            | Kind::WaitStatus
            | Kind::Annotated(_)
            | Kind::FlagsPerm(_)
            | Kind::Perm => 4,
            Kind::Id16 => 2,
            Kind::SigSet => 8,
            Kind::Addr | Kind::Ptr(..) => model.word(),
            Kind::Struct(layout) | Kind::Row(layout) | Kind::Instant(layout, _) => {
                layout.size(model)
            }
            Kind::Array(of, count) | Kind::Leading(of, count, _) => of.size(model) * *count,
            Kind::Labelled(of, labels) => of.size(model) * labels.len() as u32,
            Kind::CharArray(bytes)
            | Kind::ByteArray(bytes)
            | Kind::HexArray(bytes)
            | Kind::LeadingText(bytes, _)
            | Kind::Prefix(bytes, _) => *bytes,
            Kind::Select { cases, default, .. } => {
                let mut size = default.size(model);
                let mut case = 0;
                while case < cases.len() {
                    let other = cases[case].1.size(model);
                    size = if other > size { other } else { size };
                    case += 1;
                }
                size
            }
            Kind::IfBits { then: kind, .. }
            | Kind::Written(kind)
            | Kind::Brief(kind)
            | Kind::Refused(kind)
            | Kind::Replaced(kind, _)
            | Kind::UnlessZero(kind)
            | Kind::Hidden(kind) => kind.size(model),
            Kind::Special(special) => match special {
                Special::Inet4
                | Special::Sent
                | Special::DevicesLength
                | Special::KernelVersion
                | Special::QuotaCommand
                | Special::CallNumber
                | Special::NegatedErrno
                | Special::Errno
                | Special::IcmpFilter
                | Special::IoctlRequest
                | Special::Capabilities
                | Special::Interface
                | Special::BitField(..)
                | Special::IoPriority
                | Special::FutexOperation
                | Special::Mask
                | Special::PixelFormat
                | Special::VideoControl
                | Special::Filled => 4,
                Special::Inet6 | Special::Uuid => 16,
                Special::Character => 1,
                Special::Glyph
                | Special::KeySymbol
                | Special::ShortIoPriority
                | Special::ShortBit(_) => 2,
                Special::Ratio => 8,
                Special::HardwareAddress(bytes)
                | Special::HardwareAddressIn(bytes, _)
                | Special::HardwareAddressOf(bytes, _)
                | Special::TextOf(bytes, _)
                | Special::SocketAddress(bytes) => *bytes,
                Special::NodeMask => model.word(),
                _ => model.word(),
            },
        }
    }
}
