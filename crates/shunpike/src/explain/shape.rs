//! How a value is shown: the form of a trace's line, with words for what differs from call to call.

use table::{Base, Call, FlagSet, Kind, Special, Target, Width};

use super::{Around, words};

/// How deep structs are spelled out.
const DEEPEST: u8 = 2;

/// The form of the line that a trace shows for a call.
pub(super) fn line(call: &Call, value: Option<&str>) -> String {
    let around = Around::Call(call);
    let args: Vec<_> = call
        .args
        .iter()
        .filter_map(|arg| {
            let shape = of(&arg.kind, arg.name, around, value, 0)?;
            Some(if arg.named { format!("{}={shape}", arg.name) } else { shape })
        })
        .collect();
    let result = match call.ret.never {
        true => "?".to_owned(),
        false => of(&call.ret.kind, "result", around, value, 0).unwrap_or_default(),
    };
    format!("{}({}) = {result}", call.name, args.join(", "))
}

/// The form of a value; `None` if it is not shown.
fn of(
    kind: &Kind,
    name: &str,
    around: Around<'_>,
    wanted: Option<&str>,
    depth: u8,
) -> Option<String> {
    Some(match kind {
        Kind::Absent | Kind::Hidden(_) | Kind::UnlessZero(_) => return None,
        Kind::Int(width, base) => integer(*width, *base),
        Kind::Fd => "FD".to_owned(),
        Kind::DirFd => "AT_FDCWD".to_owned(),
        Kind::Pid => "PID".to_owned(),
        Kind::Id | Kind::Id16 => "ID".to_owned(),
        Kind::Signal => "SIGNAL".to_owned(),
        Kind::SigSet | Kind::SigSet32 => "[SIGNAL ...]".to_owned(),
        Kind::SigInfo => "{si_signo=SIGNAL, si_code=..., ...}".to_owned(),
        Kind::Flags(_, set) if wanted.is_some_and(|wanted| has_name(set, wanted)) => {
            wanted?.to_owned()
        }
        Kind::Flags(_, set) => match (set.field.first(), set.bits.first()) {
            (Some(value), None) => value.name.to_owned(),
            (Some(value), Some(_)) => format!("{}|...", value.name),
            (None, Some(bit)) => format!("{}|...", bit.name),
            (None, None) => "0xN".to_owned(),
        },
        Kind::Parts(..) => "NAME|...".to_owned(),
        Kind::FlagsPerm(_) => "FLAG|0MODE".to_owned(),
        Kind::Annotated(_) => "N /* NAME */".to_owned(),
        Kind::Perm => "0MODE".to_owned(),
        Kind::FileMode(_) => "S_IFREG|0MODE".to_owned(),
        Kind::Dev(_) => "makedev(0xN, 0xN)".to_owned(),
        Kind::WaitStatus => "{WIFEXITED(s) && WEXITSTATUS(s) == N}".to_owned(),
        Kind::Addr => "0xADDRESS".to_owned(),
        Kind::Ptr(_, target) => behind(target, name, around, wanted, depth),
        Kind::Struct(_) | Kind::Row(_) | Kind::Instant(..) if depth == DEEPEST => {
            "{...}".to_owned()
        }
        Kind::Struct(layout) | Kind::Instant(layout, _) => {
            let around = Around::Struct(layout);
            let shown = layout.fields.iter().filter(|field| !field.verbose);
            let fields = shown.filter_map(|field| {
                let shape = of(&field.kind, field.name, around, wanted, depth + 1)?;
                Some(format!("{}={shape}", field.name))
            });
            let mut fields: Vec<_> = fields.collect();
            if layout.fields.iter().any(|field| field.verbose) {
                fields.push("...".to_owned());
            }
            format!("{{{}}}", fields.join(", "))
        }
        Kind::Row(layout) => {
            let around = Around::Struct(layout);
            let shape =
                |field: &table::Field| of(&field.kind, field.name, around, wanted, depth + 1);
            format!("[{}]", layout.fields.iter().filter_map(shape).collect::<Vec<_>>().join(", "))
        }
        Kind::Array(of_, _)
        | Kind::Leading(of_, ..)
        | Kind::Indexed(of_, ..)
        | Kind::Labelled(of_, _)
        | Kind::Following(of_, _) => {
            format!("[{}, ...]", of(of_, name, around, wanted, depth)?)
        }
        Kind::CharArray(_) | Kind::LeadingText(..) => "\"STRING\"".to_owned(),
        Kind::Explained(..) => "0xN /* NAME */".to_owned(),
        Kind::HexArray(_) => "\"\\xNN...\"".to_owned(),
        Kind::ByteArray(_) | Kind::Prefix(..) => "\"DATA\"".to_owned(),
        Kind::Select { default, .. } => match words::wanted_case(kind, around, wanted) {
            Kind::Select { .. } if matches!(around, Around::Struct(_)) => {
                of(default, name, around, wanted, depth)?
            }
            Kind::Select { .. } => match default {
                Kind::Ptr(..) => of(default, name, around, wanted, depth)?,
                _ => name.to_uppercase(),
            },
            case => of(case, name, around, wanted, depth)?,
        },
        Kind::Behind(target) => behind(target, name, around, wanted, depth),
        Kind::Null => "NULL".to_owned(),
        Kind::Rest | Kind::Folded | Kind::Refused(_) => return None,
        Kind::Brief(_, 0) => "[...]".to_owned(),
        Kind::IfBits { then: kind, .. }
        | Kind::Along(kind)
        | Kind::Brief(kind, _)
        | Kind::Remarked(kind, _)
        | Kind::Supplied(kind)
        | Kind::Needed(kind)
        | Kind::Exchanged(kind, _)
        | Kind::Written(kind)
        | Kind::Replaced(kind, _) => of(kind, name, around, wanted, depth)?,
        Kind::Special(special) => self::special(*special, wanted),
    })
}

fn has_name(set: &FlagSet, name: &str) -> bool {
    set.field.iter().chain(set.bits).any(|named| named.name == name)
}

fn integer(width: Width, base: Base) -> String {
    let digits = match base {
        Base::Dec => "N",
        Base::Hex => "0xN",
        Base::Oct => "0N",
    };
    match width {
        Width::Net16 => format!("htons({digits})"),
        Width::Net32 => format!("htonl({digits})"),
        _ => digits.to_owned(),
    }
}

fn behind(
    target: &Target,
    name: &str,
    around: Around<'_>,
    wanted: Option<&str>,
    depth: u8,
) -> String {
    match target {
        Target::Path => "\"PATH\"".to_owned(),
        Target::CStr | Target::ShortStr(_) => "\"STRING\"".to_owned(),
        Target::Bytes(_)
        | Target::Terminated(_)
        | Target::HexBytes(_)
        | Target::Opaque(..)
        | Target::IntOrBytes(_) => "\"DATA\"".to_owned(),
        Target::Message(_) => "{mtype=N, mtext=\"DATA\"}".to_owned(),
        Target::One(kind) | Target::Fitting(kind, ..) => {
            let shape = of(kind, name, around, wanted, depth).unwrap_or_default();
            let is_whole = matches!(
                kind,
                Kind::Struct(_) | Kind::Instant(..) | Kind::SigSet | Kind::SigSet32 | Kind::SigInfo
            );
            if is_whole {
                return shape;
            }
            format!("[{shape}]")
        }
        Target::Sized(layout, ..)
        | Target::SelfSized(layout, ..)
        | Target::Extensible(layout, ..)
        | Target::Capabilities(layout, _) => {
            of(&Kind::Struct(layout), name, around, wanted, depth).unwrap_or_default()
        }
        Target::Bare(kind) => of(kind, name, around, wanted, depth).unwrap_or_default(),
        Target::Exchange(asked, answered)
        | Target::Answer(asked, answered)
        | Target::Exact(asked, answered, _) => {
            let one = |kind| behind(&Target::One(kind), name, around, wanted, depth);
            format!("{} => {}", one(asked), one(answered))
        }
        Target::InFull(target) => behind(target, name, around, wanted, depth),
        Target::Array(kind, _) | Target::Packed(kind, _) => {
            format!("[{}, ...]", of(kind, name, around, wanted, depth).unwrap_or_default())
        }
        Target::Strings | Target::Offsets(_) => "[\"STRING\", ...]".to_owned(),
        Target::OneOf(layouts, _) => layouts.first().map_or_else(String::new, |(_, layout)| {
            of(&Kind::Struct(layout), name, around, wanted, depth).unwrap_or_default()
        }),
        Target::SearchItems(..) | Target::Buffers(..) => "[{...}, ...]".to_owned(),
        Target::Environment => "0xADDRESS /* N vars */".to_owned(),
        Target::SockAddr(_) => "{sa_family=AF_..., ...}".to_owned(),
        Target::Control(_) => "[{cmsg_len=N, cmsg_level=..., cmsg_type=...}, ...]".to_owned(),
        Target::Dirents(_) | Target::OldDirents(_) => "0xADDRESS /* N entries */".to_owned(),
        Target::SigSet(..) => "[SIGNAL ...]".to_owned(),
        Target::BitSet(_) | Target::BitSetBytes(_) => "[N ...]".to_owned(),
        Target::NamedBits(..) => "[NAME ...]".to_owned(),
        Target::DeviceMapper(_) => "[{version=[N, N, N], data_size=N, ...}, ...]".to_owned(),
    }
}

fn special(special: Special, wanted: Option<&str>) -> String {
    match special {
        Special::ShortResult => "N".to_owned(),
        Special::IoctlRequest => wanted.unwrap_or("REQUEST").to_owned(),
        Special::FilterInstruction | Special::SeccompInstruction => {
            "BPF_STMT(CODE, 0xN)".to_owned()
        }
        Special::Bit(_) | Special::ShortBit(_) => "0 or 1".to_owned(),
        Special::BitField(..) => "N".to_owned(),
        Special::IoPriority | Special::ShortIoPriority => {
            "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_..., N)".to_owned()
        }
        Special::FutexOperation => "FUTEX_OP_...<<28|0xN<<12|FUTEX_OP_CMP_...<<24|0xN".to_owned(),
        Special::SpareBits(first) => format!("0xN /* bits {first}..8 */"),
        Special::HighBits(first) => format!("0xN /* Bits 63..{first} */"),
        Special::Skid => "N /* MEANING */".to_owned(),
        Special::NodeMask => "0xN".to_owned(),
        Special::QuotaCommand => "QCMD(COMMAND, USRQUOTA)".to_owned(),
        Special::KernelVersion => "KERNEL_VERSION(N, N, N)".to_owned(),
        Special::HardwareAddress(_)
        | Special::HardwareAddressIn(..)
        | Special::HardwareAddressOf(..) => "00:00:...".to_owned(),
        Special::Interface => "if_nametoindex(\"NAME\")".to_owned(),
        Special::Uuid => "00000000-0000-...".to_owned(),
        Special::Character => "'C'".to_owned(),
        Special::PixelFormat => "v4l2_fourcc('A', 'B', 'C', 'D')".to_owned(),
        Special::DevicesLength => "N /* N * sizeof(struct ifreq) */".to_owned(),
        Special::Ratio => "N/N".to_owned(),
        Special::LongPermissions => "0MODE".to_owned(),
        Special::QueriedControl | Special::VideoControl => "V4L2_CID_...".to_owned(),
        Special::Glyph => "0xN".to_owned(),
        Special::KeySymbol => "0xN /* K_... */".to_owned(),
        Special::Tone => "N /* N Hz */".to_owned(),
        Special::LongTone => "N<<16|N /* N Hz, N ms */".to_owned(),
        Special::UserPlace => "8*R15".to_owned(),
        Special::Mask => "0xN".to_owned(),
        Special::SocketAddress(_) => "{sa_family=AF_..., ...}".to_owned(),
        Special::CallNumber => "__NR_...".to_owned(),
        Special::TextOf(..) => "\"STRING\"".to_owned(),
        Special::NegatedErrno => "-ERROR".to_owned(),
        Special::Errno => "ERROR".to_owned(),
        Special::IcmpFilter => "~[ICMP_... ...]".to_owned(),
        Special::CloneFlags => "CLONE_VM|...|SIGCHLD".to_owned(),
        Special::Inet4 => "inet_addr(\"ADDRESS\")".to_owned(),
        Special::Inet6 => "inet_pton(AF_INET6, \"ADDRESS\")".to_owned(),
        Special::SignalsWith(_) => "[SIGNAL ...]".to_owned(),
        Special::Limit(infinity) => format!("N*1024 or {infinity}"),
        Special::SigHandler => "SIG_DFL".to_owned(),
        Special::UtimeNsec => "N or UTIME_NOW".to_owned(),
        Special::Ticks => "N /* N s */".to_owned(),
        Special::Date | Special::DateWithNanos(_) | Special::SinceBoot => "N /* DATE */".to_owned(),
        Special::ResumedCall => "<... resuming interrupted CALL ...>".to_owned(),
        Special::Filled | Special::Sent | Special::OthersFd => "N".to_owned(),
        Special::Pages => "0xN".to_owned(),
    }
}
