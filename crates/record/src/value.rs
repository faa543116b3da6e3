//! The values of which records are made.

use crate::{Base, FdInfo, FlagSet, GuestAddr, Parts, SecurityContext};

/// What an argument, a field or an element is.
///
/// Containers say nothing of their contents: these follow as child nodes.
#[derive(Clone, Copy, Debug, Default)]
pub enum Value<'a> {
    /// Nothing: this variant of the call has no such argument.
    #[default]
    Absent,
    /// What there is, is too short for it.
    TooShort,
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer and its customary base.
    Unsigned(u64, Base),
    /// An address, not followed or not readable.
    Addr(GuestAddr, NotRead),
    /// A file descriptor and what it stands for, where that was asked for.
    Fd(i32, Option<&'a FdInfo>),
    /// A directory's file descriptor or `AT_FDCWD`.
    DirFd(i32, Option<&'a FdInfo>),
    /// A process or thread id.
    Pid(i32),
    /// A user or group id; -1 is all ones.
    Id(u32),
    /// A signal number.
    Signal(u32),
    /// A set of signals, bit n-1 for signal n.
    SigSet(u64),
    /// The same, of the signals up to 32.
    SigSet32(u32),
    /// An integer with names for values or bits.
    Flags(u64, &'static FlagSet),
    /// A set of capabilities; customarily its halves are told one after the other.
    Capabilities(u64),
    /// An integer of several parts.
    Parts(u64, &'static Parts),
    /// An offset that is so many bytes behind the place of this name.
    Place(u64, &'static str, u64),
    /// What a key of the console sends.
    KeySymbol(u16),
    /// The clock's ticks in one oscillation of a tone, and whether the upper half is how long it
    /// lasts, in milliseconds.
    Tone(u64, bool),
    /// A number that is so much more than another one with this name.
    Offset(u64, &'static str, u64),
    /// Flags above nine bits of file permissions.
    FlagsPerm(u32, &'static FlagSet),
    /// An integer, customarily written in decimal with its name in a comment behind it.
    Annotated(i32, &'static FlagSet),
    /// File permissions.
    Perm(u32),
    /// A file's type and permissions.
    FileMode(u32),
    /// A device number as the kernel's `new_encode_dev` or `huge` form puts it.
    Dev(u64),
    /// A descriptor of another process.
    OthersFd(i32, Option<&'a FdInfo>),
    /// Nanoseconds since the machine was started, which was at the second point in time, if that is known:
    /// in nanoseconds since 1970. Customarily written with the date in a comment behind it.
    SinceBoot {
        /// The number.
        nanos: u64,
        /// When the machine was started.
        started: Option<u64>,
    },
    /// The status that `wait4(2)` stores.
    WaitStatus(u32),
    /// A path, without the NUL.
    Path {
        /// Its bytes.
        bytes: &'a [u8],
        /// The bytes are only the beginning.
        cut: bool,
        /// The security context of the file, where that was asked for.
        context: Option<&'a SecurityContext>,
    },
    /// An abstract `AF_UNIX` name, without the NUL in front that marks it. Any byte may be in it.
    Abstract(&'a [u8]),
    /// A NUL-terminated string, without the NUL.
    Str {
        /// Its bytes.
        bytes: &'a [u8],
        /// The bytes are only the beginning.
        cut: bool,
    },
    /// A string in a field of fixed size: customarily shown whole.
    Text {
        /// Its bytes.
        bytes: &'a [u8],
        /// It fills the field, without a NUL.
        cut: bool,
    },
    /// Data of known length.
    Bytes {
        /// Its bytes, or the beginning of them.
        bytes: &'a [u8],
        /// Whether there are more.
        cut: bool,
    },
    /// As `Bytes`, customarily written in hexadecimal since it is no text.
    HexBytes {
        /// Its bytes, or the beginning of them.
        bytes: &'a [u8],
        /// Whether there are more.
        cut: bool,
    },
    /// Bytes that only the kernel understands, customarily written in hexadecimal, all of them.
    Opaque {
        /// As many of them as make sense.
        bytes: &'a [u8],
        /// Whether more was said to be there.
        cut: bool,
    },
    /// As `Bytes`: where the last byte told is a NUL, it is customarily left out, and nothing is said
    /// of what follows.
    Terminated {
        /// Its bytes, or the beginning of them.
        bytes: &'a [u8],
        /// Whether there are more.
        cut: bool,
    },
    /// Fields as children.
    Struct,
    /// As `Struct`: a point in time, these seconds since the epoch; customarily written with its
    /// date in a comment behind it.
    Instant(i64, Fraction),
    /// As `Instant`, of a device's clock: where constants are told as numbers, without the date.
    Reading(i64, Fraction),
    /// Elements as children. Where elements are missing, the last child is `More`.
    Array,
    /// Messages in a row; customarily a single one is told without brackets.
    Messages,
    /// What a pointer leads to: one child, customarily written as an array of one.
    Pointee,
    /// As `Array`, customarily with all its elements, however few of an array are told.
    List,
    /// One child, what is at this address; customarily only the address is told.
    InFull(GuestAddr),
    /// As `Struct`, at this address, which is not there as a whole; customarily only the address is told
    /// where nothing is abbreviated.
    InBrief(GuestAddr),
    /// As `Array`, of which customarily so many elements are told.
    Brief(u8),
    /// One child, customarily with this comment behind it.
    Remarked(&'static str),
    /// What is told in full stands before this; customarily only this is told of it.
    Folded,
    /// A set whose members are numbers, as children (descriptors, CPUs).
    Set,
    /// As `Set`: the children are what is not in it.
    AllBut,
    /// One child: the element of an array that has this index, which is one of these.
    At(u64, &'static FlagSet),
    /// Parts of a number, as children: `NLA_F_NESTED|IFLA_MTU`.
    Or,
    /// As `Or`; where constants are told as numbers, this one is.
    OneOr(u64),
    /// As `Or`: `SKF_NET_OFF+4`.
    Sum,
    /// One child: the part of a number so many bits above its low ones: `NFNL_SUBSYS_QUEUE<<8`.
    Shifted(u8),
    /// Two children: before the call and after it.
    Change,
    /// A call-like form, `htons(80)`, with operands as children.
    Form(&'static str),
    /// As `Form`, of a number in network order with a name: where numbers are told as such, its
    /// bytes are.
    Network(&'static str),
    /// Bytes of an address, told one by one; whether there are more of them.
    Octets(&'a [u8], bool),
    /// Elements that were not captured: there are so many more, if known.
    More(Option<u64>),
    /// As `More`, since the elements from this address on could not be read.
    MoreAt(GuestAddr),
    /// A vector at this address of so many elements, of which only the number is shown.
    Counted(GuestAddr, u64, &'static str),
    /// A struct in whose place the name of one of its numbers stands, unless constants are told as
    /// numbers: `UTIME_NOW`.
    Instead(u64, &'static str),
    /// A number with a meaning of its own, and its name: `SIG_DFL`, `UTIME_NOW`.
    Name(u64, &'static str),
    /// The call that is resumed, by name.
    Resumed(Option<&'static str>),
    /// An IPv4 address, in memory order.
    Inet4([u8; 4]),
    /// An IPv6 address, in memory order. Customarily written with its field's name behind it:
    /// `inet_pton(AF_INET6, "::1", &sin6_addr)`.
    Inet6([u8; 16]),
    /// A mask that is customarily written in hexadecimal with so many characters at least, the
    /// `0x` included, padded by zeros: `0x000011`, `00000000`.
    Mask(u64, u8),
    /// An error number; not a call's result.
    Errno(u32),
    /// `quotactl(2)`'s command, above eight bits that say whose quotas it is about.
    QuotaCommand(u32),
    /// A version of the kernel: one byte for each of the last two numbers.
    KernelVersion(u32),
    /// Bytes of a struct that nothing is known of, and where they begin in it.
    Extra(&'a [u8], u32),
    /// Bytes behind the fields that are known of a struct; where they begin in it and end, which may
    /// be farther than they were captured.
    Grown(&'a [u8], u32, u32),
    /// An I/O priority: a class, and a number within it in the low 13 bits. Where constants are told
    /// as numbers, the whole is one of this base.
    IoPriority(u32, Base),
    /// What `FUTEX_WAKE_OP` does.
    FutexOperation(u32),
    /// An address of a network's hardware.
    HardwareAddress {
        /// The bytes.
        bytes: &'a [u8],
        /// How many of them are the address.
        told: usize,
    },
    /// A number that is told as so much above the first of its kind, which has a name:
    /// `L2CAP_PSM_DYN_START+2`.
    Above {
        /// The number.
        number: u64,
        /// The first of its kind.
        first: u64,
        /// The names.
        names: &'static FlagSet,
    },
    /// A call sign of AX.25 (7 bytes): six characters and a number, each shifted by one bit.
    CallSign(&'a [u8]),
    /// A result of 32 bits; customarily with the error beside it, if it is one's negated number.
    ShortResult(u32),
    /// The negative of an error number.
    NegatedErrno(u32),
    /// The number of a family of generic netlink. The kernel gives these out; customarily told by
    /// its name, `nlctrl`.
    GenericFamily(u16),
    /// A system call's number and name: `__NR_read`.
    CallNumber(u32, Option<&'static str>),
    /// `ioctl(2)`'s request: known by name, or customarily split into its parts.
    Ioctl(u32, Option<table::request::Name>),
    /// Seconds since the epoch, and the fraction that belongs to them where it is known.
    Date(i64, Option<Fraction>),
    /// A namespace, by its kind and its inode: `net:[4026531840]`.
    Namespace(&'static str, u64),
    /// A set of bits that have these names; customarily only the first four are told.
    Bits(&'a [u8], &'static FlagSet),
    /// A universally unique identifier, in memory order.
    Uuid([u8; 16]),
    /// A character.
    Character(u8),
    /// A code of four characters, the first one in the low byte, and the names of such codes.
    FourCc(u32, &'static FlagSet),
    /// A number of bytes, which of a struct of so many bytes and this name; if it is a multiple of
    /// it, that is told beside it.
    Multiple(i32, u32, &'static str),
    /// The bits of a 64-bit number from this one on.
    HighBits(u64, u8),
    /// A bit of a number; one that is not set is told in full only, and leaves no trace else.
    Bit(bool),
    /// What is left of a number, from this bit of its second byte on; told as `Bit` is.
    SpareBits(u64, u8),
    /// One number divided by another.
    Ratio(u32, u32),
    /// A resource limit: a multiple of 1024 is customarily written as such (`8192*1024`), all ones
    /// of as many bits as it has as this name.
    Limit(u64, Option<&'static str>),
    /// Clock ticks, a hundred a second.
    Ticks(u64),
    /// The index of a network interface; customarily told by its name: `if_nametoindex("lo")`.
    Interface(u32),
    /// A number in hexadecimal, customarily with its name in a comment behind it.
    Explained(u64, &'static FlagSet),
    /// `clone(2)`'s flags; in the low byte, the signal that tells of the child's exit, if any.
    CloneFlags(u64, &'static FlagSet),
}

/// A fraction of a second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    /// How many of its unit.
    pub value: u32,
    /// How many digits tell it: 6 if it counts microseconds, 9 if nanoseconds.
    pub digits: u8,
}

/// Why an address stands for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotRead {
    /// Its kind is not followed.
    Opaque,
    /// It is followed, but could not be read.
    Unreadable,
    /// What it points to is written by the call, and the call failed or has not returned.
    NotWritten,
}

impl Value<'_> {
    /// The null pointer, or an address that is not followed.
    pub(crate) fn not_followed(addr: u64) -> Value<'static> {
        Value::Addr(GuestAddr(addr), NotRead::Opaque)
    }

    /// A fixed field that holds a string; its last byte is there for the NUL.
    pub(crate) fn fixed_text(bytes: &[u8]) -> Value<'_> {
        let end = bytes.iter().position(|byte| *byte == 0);
        let whole = bytes.len().saturating_sub(1);
        Value::Text { bytes: &bytes[..end.unwrap_or(whole)], cut: end.is_none() }
    }
}
