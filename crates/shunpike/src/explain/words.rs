//! What a value is, in words.

use table::{
    Base, Dir, FlagSet, Kind, Layout, Len, Source, Special, Target, Width, flags, request,
};

use super::Around;

/// Of how many cases each is told without being asked for.
const MOST_CASES: usize = 40;

/// What a value of this kind is, in a line.
pub(super) fn phrase(kind: &Kind, around: Around<'_>) -> String {
    match kind {
        Kind::Absent => "not there".to_owned(),
        Kind::Int(width, base) => integer(*width, *base),
        Kind::Fd => "a file descriptor".to_owned(),
        Kind::DirFd => "a directory's file descriptor, or AT_FDCWD".to_owned(),
        Kind::Pid => "a process or thread id".to_owned(),
        Kind::Id | Kind::Id16 => "a user or group id".to_owned(),
        Kind::Signal => "a signal".to_owned(),
        Kind::SigSet | Kind::SigSet32 => "a set of signals".to_owned(),
        Kind::SigInfo => "a siginfo_t".to_owned(),
        Kind::Flags(_, set) | Kind::Annotated(set) | Kind::Explained(_, set) => names_of(set),
        Kind::Parts(_, parts) => {
            let names = parts.parts.iter().map(|part| names_of(part.names));
            names.collect::<Vec<_>>().join("; ")
        }
        Kind::FlagsPerm(set) => format!("permissions in octal, with {}", names_of(set)),
        Kind::Perm => "permissions, in octal".to_owned(),
        Kind::FileMode(_) => "a file's type and permissions".to_owned(),
        Kind::Dev(_) => "a device number".to_owned(),
        Kind::WaitStatus => "how a process ended or stopped".to_owned(),
        Kind::Addr => "an address, not followed".to_owned(),
        Kind::Ptr(dir, target) => pointer(*dir, target, around),
        Kind::Struct(layout) => structure(layout),
        Kind::Row(layout) => format!("{}, told as a list", structure(layout)),
        Kind::Instant(layout, _) => format!("a point in time, {}", structure(layout)),
        Kind::Array(of, count) => format!("{count} times {}", phrase(of, around)),
        Kind::Leading(of, _, len) | Kind::Indexed(of, _, len, _) | Kind::Following(of, len) => {
            format!("a list{}, each {}", length(*len, around), phrase(of, around))
        }
        Kind::Labelled(of, labels) => format!("{} times {}", labels.len(), phrase(of, around)),
        Kind::CharArray(bytes) | Kind::LeadingText(bytes, _) => {
            format!("a string of {bytes} bytes at most")
        }
        Kind::ByteArray(bytes) | Kind::HexArray(bytes) => format!("{bytes} bytes"),
        Kind::Select { on, cases, .. } => {
            let subject = around.subject(*on).0;
            match cases.len() > MOST_CASES {
                true => format!("depends on {subject}, of which one value may be asked for"),
                false => format!("depends on {subject}:"),
            }
        }
        Kind::IfBits { on, mask: u64::MAX, then } => {
            format!("{}; only if {} is not 0", phrase(then, around), around.subject(*on).0)
        }
        Kind::IfBits { on, mask, then } => {
            let (subject, kind) = around.subject(*on);
            let bits = bit_names(kind.as_ref(), *mask).join(" or ");
            format!("{}; only if {subject} has {bits}", phrase(then, around))
        }
        Kind::Prefix(bytes, _) => format!("{bytes} bytes at most"),
        Kind::UnlessZero(kind) => format!("{}; shown unless zero", phrase(kind, around)),
        Kind::Behind(target) => pointer(Dir::In, target, around),
        Kind::Null => "the null pointer".to_owned(),
        Kind::Rest | Kind::Folded => "what is not told".to_owned(),
        Kind::Refused(kind) => format!("{}; if the call fails", phrase(kind, around)),
        Kind::Brief(kind, 0) => format!("{}; only in full", phrase(kind, around)),
        Kind::Brief(kind, most) => {
            format!("{}; {most} unless told in full", phrase(kind, around))
        }
        Kind::Remarked(kind, remark) => format!("{}: {remark}", phrase(kind, around)),
        Kind::Exchanged(before, _) => {
            format!("{}, before and after the call", phrase(before, around))
        }
        Kind::Supplied(kind) => format!("{}; in place of a zero", phrase(kind, around)),
        Kind::Hidden(kind) => format!("{}; not shown", phrase(kind, around)),
        Kind::Along(kind) | Kind::Needed(kind) => phrase(kind, around),
        Kind::Written(kind) => format!("{}; written by the call", phrase(kind, around)),
        Kind::Replaced(kind, _) => format!("{}; the call may change it", phrase(kind, around)),
        Kind::Special(special) => self::special(*special).to_owned(),
    }
}

/// Of a kind that depends on an argument, the case that is wanted.
pub(super) fn wanted_case<'k>(
    kind: &'k Kind,
    around: Around<'_>,
    wanted: Option<&str>,
) -> &'k Kind {
    match (kind, wanted) {
        (Kind::Select { on: on @ Source::Arg(_), cases, default, .. }, Some(wanted)) => {
            let subject = around.subject(*on).1;
            let is_wanted = |value| names(&value_name(subject.as_ref(), value), wanted);
            let case = cases.iter().find(|(value, _)| is_wanted(*value));
            case.map_or(default, |(_, kind)| kind)
        }
        _ => kind,
    }
}

/// Whether this is the name of a value, or one of several: `SNDCTL_TMR_START or TCSETS`.
pub(super) fn names(value: &str, name: &str) -> bool {
    value == name || value.split(" or ").any(|one| one == name)
}

/// A part of a value: a field, or a case.
pub(super) struct Part<'k> {
    pub(super) name: String,
    pub(super) kind: &'k Kind,
    /// What is around the part.
    pub(super) around: Around<'k>,
}

/// The parts of a kind.
pub(super) fn parts<'k>(kind: &'k Kind, around: Around<'k>) -> Vec<Part<'k>> {
    match kind {
        Kind::Ptr(
            _,
            Target::One(kind) | Target::Array(kind, _) | Target::InFull(Target::Array(kind, _)),
        )
        | Kind::Array(kind, _)
        | Kind::Leading(kind, ..)
        | Kind::Indexed(kind, ..)
        | Kind::Along(kind)
        | Kind::Written(kind)
        | Kind::Brief(kind, _)
        | Kind::Remarked(kind, _)
        | Kind::Supplied(kind)
        | Kind::Needed(kind)
        | Kind::Exchanged(kind, _)
        | Kind::Replaced(kind, _)
        | Kind::IfBits { then: kind, .. } => parts(kind, around),
        Kind::Struct(layout) | Kind::Row(layout) | Kind::Instant(layout, _) => {
            let around = Around::Struct(layout);
            let part = |field: &'k table::Field| Part {
                name: field.name.to_owned(),
                kind: &field.kind,
                around,
            };
            layout.fields.iter().map(part).collect()
        }
        Kind::Select { on, cases, default, .. } if cases.len() <= MOST_CASES => {
            let subject = around.subject(*on).1;
            let case = |(value, kind): &'k (u64, Kind)| Part {
                name: value_name(subject.as_ref(), *value),
                kind,
                around,
            };
            let otherwise = Part { name: "otherwise".to_owned(), kind: default, around };
            cases.iter().map(case).chain([otherwise]).collect()
        }
        _ => Vec::new(),
    }
}

/// The name of a value of this kind, else its number.
pub(super) fn value_name(kind: Option<&Kind>, value: u64) -> String {
    let name = match kind {
        Some(Kind::Flags(_, set) | Kind::Annotated(set)) => set
            .name(value)
            .or_else(|| set.bits.iter().find(|bit| bit.value == value).map(|bit| bit.name)),
        Some(Kind::FileMode(_)) if value == flags::S_IFCHR => Some("S_IFCHR"),
        Some(Kind::FileMode(_)) if value == flags::S_IFBLK => Some("S_IFBLK"),
        Some(Kind::Special(Special::IoctlRequest)) => {
            let name = u32::try_from(value).ok().and_then(request::name);
            return name.map_or_else(|| format!("{value:#x}"), |name| name.to_string());
        }
        _ => None,
    };
    name.map_or_else(|| format!("{value:#x}"), str::to_owned)
}

/// The names of these bits, else their number.
fn bit_names(kind: Option<&Kind>, mask: u64) -> Vec<String> {
    let Some(Kind::Flags(_, set)) = kind else { return vec![format!("{mask:#x}")] };
    let names: Vec<_> = set
        .bits
        .iter()
        .filter(|bit| bit.value != 0 && bit.value & !mask == 0)
        .map(|bit| bit.name.to_owned())
        .collect();
    if names.is_empty() { vec![format!("{mask:#x}")] } else { names }
}

/// A struct by the name that the kernel's headers have for it. Where ours parts some of its fields the
/// table adds to the name.
fn structure(layout: &Layout) -> String {
    let name = layout.name;
    let own = name.strip_suffix("_shown").or_else(|| name.split_once("_view_").map(|(own, _)| own));
    format!("a struct {}", own.unwrap_or(name))
}

fn integer(width: Width, base: Base) -> String {
    let order = match width {
        Width::Net16 | Width::Net32 => " in network byte order",
        _ => "",
    };
    let base = match base {
        Base::Dec => "",
        Base::Hex => ", in hexadecimal",
        Base::Oct => ", in octal",
    };
    format!("a number{order}{base}")
}

fn names_of(set: &FlagSet) -> String {
    let join =
        |names: &[table::Named]| names.iter().map(|named| named.name).collect::<Vec<_>>().join(" ");
    match (set.field.is_empty(), set.bits.is_empty()) {
        (false, true) => format!("one of {}", join(set.field)),
        (true, false) => format!("flags: {}", join(set.bits)),
        (false, false) => format!("one of {}; flags: {}", join(set.field), join(set.bits)),
        (true, true) => "flags".to_owned(),
    }
}

fn pointer(dir: Dir, target: &Target, around: Around<'_>) -> String {
    let what = match target {
        Target::Path => "a path".to_owned(),
        Target::CStr | Target::ShortStr(_) => "a string".to_owned(),
        Target::Bytes(len)
        | Target::Terminated(len)
        | Target::HexBytes(len)
        | Target::Opaque(len, _) => {
            format!("data{}", length(*len, around))
        }
        Target::IntOrBytes(len) => format!("an int or data{}", length(*len, around)),
        Target::Message(len) => format!("a message{}", length(*len, around)),
        Target::One(kind) | Target::Fitting(kind, ..) => phrase(kind, around),
        Target::Sized(layout, len, _) => {
            format!("{}{}", structure(layout), length(*len, around))
        }
        Target::SelfSized(layout, ..)
        | Target::Extensible(layout, ..)
        | Target::Capabilities(layout, _) => structure(layout),
        Target::Bare(kind) => phrase(kind, around),
        Target::Exchange(asked, answered)
        | Target::Answer(asked, answered)
        | Target::Exact(asked, answered, _) => {
            format!("{}, answered by {}", phrase(asked, around), phrase(answered, around))
        }
        Target::InFull(target) => return pointer(dir, target, around),
        Target::Array(kind, len) | Target::Packed(kind, len) => {
            format!("a list{}, each {}", length(*len, around), phrase(kind, around))
        }
        Target::Offsets(len) => {
            format!("a list{} of strings, by their offsets", length(*len, around))
        }
        Target::OneOf(layouts, _) => {
            let all = layouts.iter().map(|(_, layout)| structure(layout));
            all.collect::<Vec<_>>().join(" or ")
        }
        Target::Buffers(layout, len, _) => {
            format!("a list{}, each {}", length(*len, around), structure(layout))
        }
        Target::SearchItems(..) => "what was found".to_owned(),
        Target::Strings => "a list of strings".to_owned(),
        Target::Environment => "a list of strings, only counted unless -v is given".to_owned(),
        Target::SockAddr(_) => "a socket address".to_owned(),
        Target::Control(_) => "control messages, as in cmsg(3)".to_owned(),
        Target::Dirents(_) | Target::OldDirents(_) => {
            "directory entries, only counted unless -v is given".to_owned()
        }
        Target::SigSet(..) => "a set of signals".to_owned(),
        Target::BitSet(_) | Target::BitSetBytes(_) => "a bit set".to_owned(),
        Target::NamedBits(names, _) => format!("a bit set, {}", names_of(names)),
        Target::DeviceMapper(_) => "a struct dm_ioctl and what follows it".to_owned(),
    };
    let whence = match dir {
        Dir::In => "which the call reads",
        Dir::Out => "which the call writes",
        Dir::InOut | Dir::Answered | Dir::Refilled => "which the call reads and writes",
        Dir::Interrupted => "written if a signal interrupts the call",
    };
    format!("{what}, {whence}")
}

/// How long something is, as it stands behind its name.
fn length(len: Len, around: Around<'_>) -> String {
    let argument = |register| around.subject(Source::Arg(register)).0;
    let field = |index| around.subject(Source::Field(index)).0;
    match len {
        Len::Const(count) => format!(" ({count})"),
        Len::Arg(register)
        | Len::IntArg(register)
        | Len::ArgOrFilled(register, _)
        | Len::DoneOfArg(register) => {
            format!(" ({} long)", argument(register))
        }
        Len::ArgWithinRet(_) | Len::Ret => " (as long as the result says)".to_owned(),
        Len::Deref(register) | Len::DerefAt(register, _) => {
            format!(" (as long as {} says)", argument(register))
        }
        Len::Field(index) => format!(" ({} long)", field(index)),
        Len::GroupsOfField(index, size) => format!(" (one for {size} of {})", field(index)),
        Len::FieldLess(index, less) => format!(" ({} less {})", field(index), field(less)),
        Len::TimesField(factor, index) => format!(" ({factor} for each of {})", field(index)),
        Len::Font(_, count) => format!(" (for each of {})", field(count)),
        Len::FieldWithin(index) => format!(" ({} long, within all there is)", field(index)),
        Len::TurnsOfField(index) => format!(" (twice {} and one)", field(index)),
        Len::FieldWithinRet(index) => {
            format!(" ({} long, within what the result says)", field(index))
        }
        Len::BitsOfArg(register) | Len::NodesOfArg(register) => {
            format!(" (a bit for each of {})", argument(register))
        }
        Len::PagesOfArg(register) => format!(" (one for each page of {})", argument(register)),
    }
}

fn special(special: Special) -> &'static str {
    match special {
        Special::IoctlRequest => "a request, by name or by direction, type, number and size",
        Special::FilterInstruction | Special::SeccompInstruction => "an instruction of a filter",
        Special::Bit(_) | Special::ShortBit(_) => "a bit",
        Special::HighBits(_) | Special::SpareBits(_) => "bits without a meaning",
        Special::ShortResult => "a number, or an error's number negated in 32 bits",
        Special::Skid => "how far the instruction may be from the event",
        Special::NodeMask => "a set of memory nodes",
        Special::QuotaCommand => "a command, and whose quotas it is about",
        Special::KernelVersion => "a version of the kernel",
        Special::HardwareAddress(_)
        | Special::HardwareAddressIn(..)
        | Special::HardwareAddressOf(..) => "a hardware address",
        Special::Interface => "a network interface, by its index",
        Special::Uuid => "a UUID",
        Special::Character => "a character",
        Special::PixelFormat => "a code of four characters",
        Special::DevicesLength => "a number of bytes",
        Special::Ratio => "a ratio",
        Special::LongPermissions => "permissions, in octal",
        Special::QueriedControl => "a control, by name or by its class, and what is to follow it",
        Special::VideoControl => "a control, by name or by its class",
        Special::Glyph => "a character of the console's font",
        Special::KeySymbol => "a key by its kind and value",
        Special::Tone => "a tone",
        Special::LongTone => "a tone and its length",
        Special::UserPlace => "a place in the user area",
        Special::BitField(..) => "some bits",
        Special::IoPriority | Special::ShortIoPriority => {
            "an I/O priority: a class and a number within it"
        }
        Special::FutexOperation => "an operation and a comparison, and an operand for each",
        Special::Mask => "a mask",
        Special::SocketAddress(_) => "a socket address",
        Special::CallNumber => "a call, by name",
        Special::TextOf(..) => "text",
        Special::NegatedErrno => "an error, negated",
        Special::Errno => "an error",
        Special::IcmpFilter => "a set of types of ICMP's messages",
        Special::CloneFlags => "flags of clone(2), with the signal that tells of the end",
        Special::Inet4 => "an IPv4 address",
        Special::Inet6 => "an IPv6 address",
        Special::SignalsWith(_) => "a set of signals",
        Special::Limit(_) => "a limit",
        Special::SigHandler => "SIG_DFL, SIG_IGN or the address of a handler",
        Special::UtimeNsec => "nanoseconds, UTIME_NOW or UTIME_OMIT",
        Special::Ticks => "clock ticks of a hundredth of a second",
        Special::Date | Special::DateWithNanos(_) => "seconds since 1970",
        Special::ResumedCall => "the call that is resumed",
        Special::OthersFd => "a file descriptor of the process behind the first argument",
        Special::SinceBoot => {
            "nanoseconds since the machine was started, with the date as a comment"
        }
        Special::Pages => "bytes, a multiple of pages",
        Special::Filled | Special::Sent => "how many bytes were filled",
    }
}
