//! What a value is: the vocabulary in which arguments, fields and results are described.
//!
//! A [`Kind`] says how a value is read and what it means, never how it looks: text, JSON and
//! statistics each make of it what they need.

use crate::{Base, DataModel, Dir, FlagSet, Layout, Len, Parts, Special, Target, Width};

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
    /// Nanoseconds of a device's clock: where constants are told as numbers, the date is not told.
    DeviceNanos,
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
    /// If it is another one, in a struct of its own behind the whole one.
    BehindAll,
    /// Never.
    Never,
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
    /// A `siginfo_t`, in memory, of which signal and code tell the fields.
    SigInfo,
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
    /// What a pointer leads to before the call and, with the field's name again, what it leads to
    /// afterwards, unless that is nothing.
    Exchanged(&'static Kind, &'static Kind),
    /// As `Leading`, each with the name of its place, which is a constant: `[[IO_WQ_BOUND]=4]`.
    Indexed(&'static Kind, u32, Len, &'static FlagSet),
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
    /// The null pointer, in place of what is not there.
    Null,
    /// Stands for fields that are never told.
    Rest,
    /// Stands for fields before it that are told in full only, where they are not told.
    Folded,
    /// A list of which customarily so many elements are told.
    Brief(&'static Kind, u8),
    /// Told with a remark behind it.
    Remarked(&'static Kind, &'static str),
    /// A list without which nothing is answered: if it is empty, or cannot be read.
    Needed(&'static Kind),
    /// What the kernel puts in place of a zero: told only there.
    Supplied(&'static Kind),
    /// What follows the struct whose last field this is, in memory.
    Behind(&'static Target),
    /// A fixed field of so many bytes, of which the sibling field of this index says how many count.
    Prefix(u32, u8),
    /// Told unless all its bytes are zero: what is reserved.
    UnlessZero(&'static Kind),
    /// There for others to depend on; not told.
    Hidden(&'static Kind),
    /// A field of a struct that is cut short: told where the one before it is.
    Along(&'static Kind),
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
                | Kind::Indexed(..)
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
                | Kind::SigInfo
                | Kind::Written(_)
                | Kind::Brief(..)
                | Kind::Remarked(..)
                | Kind::Supplied(_)
                | Kind::Needed(_)
                | Kind::Refused(_)
                | Kind::Replaced(..)
                | Kind::UnlessZero(_)
        )
    }

    /// Size in memory by this data model, in bytes.
    pub const fn size(&self, model: DataModel) -> u32 {
        match self {
            Kind::Absent
            | Kind::Null
            | Kind::Following(..)
            | Kind::Behind(_)
            | Kind::Rest
            | Kind::Folded => 0,
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
            Kind::SigInfo => 128,
            Kind::Addr | Kind::Ptr(..) => model.word(),
            Kind::Struct(layout) | Kind::Row(layout) | Kind::Instant(layout, _) => {
                layout.size(model)
            }
            Kind::Array(of, count) | Kind::Leading(of, count, _) | Kind::Indexed(of, count, ..) => {
                of.size(model) * *count
            }
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
            | Kind::Brief(kind, _)
            | Kind::Remarked(kind, _)
            | Kind::Supplied(kind)
            | Kind::Needed(kind)
            | Kind::Exchanged(kind, _)
            | Kind::Refused(kind)
            | Kind::Replaced(kind, _)
            | Kind::UnlessZero(kind)
            | Kind::Hidden(kind)
            | Kind::Along(kind) => kind.size(model),
            Kind::Special(special) => match special {
                Special::Inet4
                | Special::Sent
                | Special::DevicesLength
                | Special::KernelVersion
                | Special::LongPermissions
                | Special::QuotaCommand
                | Special::CallNumber
                | Special::NegatedErrno
                | Special::Errno
                | Special::IcmpFilter
                | Special::IoctlRequest
                | Special::SignalsWith(_)
                | Special::Interface
                | Special::OthersFd
                | Special::BitField(..)
                | Special::IoPriority
                | Special::FutexOperation
                | Special::Mask
                | Special::PixelFormat
                | Special::VideoControl
                | Special::QueriedControl
                | Special::Filled => 4,
                Special::Inet6 | Special::Uuid => 16,
                Special::Character => 1,
                Special::Glyph
                | Special::KeySymbol
                | Special::ShortIoPriority
                | Special::ShortBit(_)
                | Special::SpareBits(_) => 2,
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
