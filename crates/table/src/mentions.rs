//! Which calls have to do with files, as far as their descriptions tell.

use crate::{Call, Kind, Note, Ret, Special, Target};

/// What a call may mention of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mention {
    /// A descriptor: an argument, in memory, or as the result.
    Descriptor,
    /// A path, or the address of a socket.
    Path,
}

impl Call {
    /// Whether the call mentions one of these, at whatever depth.
    pub fn mentions(&self, what: Mention) -> bool {
        let in_note = match self.ret.note {
            Note::None => false,
            Note::Meaning(_, kind) | Note::MeaningOfRead(_, kind) => kind.mentions(what),
            Note::MeaningBy { cases, .. } => cases.iter().any(|(_, _, kind)| kind.mentions(what)),
            Note::After(args) | Note::Beside(args) | Note::Labelled(_, args) => {
                args.iter().any(|arg| arg.kind.mentions(what))
            }
        };
        in_note
            || self.ret.kind.mentions(what)
            || self.args.iter().any(|arg| arg.kind.mentions(what))
    }
}

/// The descriptors that a call mentions where all of them are among its arguments, or its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlainDescriptors {
    /// Bit n: register n holds one.
    pub args: u8,
    /// Bit n: of those, in register n `AT_FDCWD` stands for the working directory.
    pub directories: u8,
    /// What it returns is one.
    pub result: bool,
}

impl Call {
    /// The descriptors that the call mentions; `None` where there may be some in memory, or only with
    /// certain other arguments.
    pub fn plain_descriptors(&self) -> Option<PlainDescriptors> {
        let mut plain = PlainDescriptors::default();
        for (place, arg) in self.args.iter().enumerate() {
            let bit = 1 << arg.register(place);
            match arg.kind {
                Kind::Fd => plain.args |= bit,
                Kind::DirFd => {
                    plain.args |= bit;
                    plain.directories |= bit;
                }
                kind if kind.mentions(Mention::Descriptor) => return None,
                _ => {}
            }
        }
        plain.result = matches!(self.ret.kind, Kind::Fd);
        let elsewhere = Call { args: &[], ret: Ret { kind: Kind::Absent, ..self.ret }, ..*self };
        let in_result = !plain.result && self.ret.kind.mentions(Mention::Descriptor);
        (!in_result && !elsewhere.mentions(Mention::Descriptor)).then_some(plain)
    }
}

impl Kind {
    fn mentions(&self, what: Mention) -> bool {
        match self {
            Kind::Fd | Kind::DirFd | Kind::Special(Special::OthersFd) => {
                what == Mention::Descriptor
            }
            Kind::Ptr(_, target) => target.mentions(what),
            Kind::Struct(layout) | Kind::Row(layout) | Kind::Instant(layout, _) => {
                layout.fields.iter().any(|field| field.kind.mentions(what))
            }
            Kind::Array(kind, _)
            | Kind::Leading(kind, ..)
            | Kind::Indexed(kind, ..)
            | Kind::Labelled(kind, _)
            | Kind::Following(kind, _)
            | Kind::Written(kind)
            | Kind::Brief(kind, _)
            | Kind::Remarked(kind, _)
            | Kind::Supplied(kind)
            | Kind::Needed(kind)
            | Kind::Refused(kind)
            | Kind::UnlessZero(kind)
            | Kind::Along(kind)
            | Kind::Replaced(kind, _)
            | Kind::IfBits { then: kind, .. } => kind.mentions(what),
            Kind::Select { cases, default, .. } => {
                default.mentions(what) || cases.iter().any(|(_, kind)| kind.mentions(what))
            }
            Kind::Exchanged(before, after) => before.mentions(what) || after.mentions(what),
            Kind::Behind(target) => target.mentions(what),
            // It may be one of a `SIGIO`.
            Kind::SigInfo => what == Mention::Descriptor,
            Kind::Absent
            | Kind::Rest
            | Kind::Folded
            | Kind::Null
            | Kind::Int(..)
            | Kind::Pid
            | Kind::Id
            | Kind::Id16
            | Kind::Signal
            | Kind::SigSet
            | Kind::SigSet32
            | Kind::Flags(..)
            | Kind::Parts(..)
            | Kind::FlagsPerm(_)
            | Kind::Annotated(_)
            | Kind::Perm
            | Kind::FileMode(_)
            | Kind::Dev(_)
            | Kind::WaitStatus
            | Kind::Addr
            | Kind::CharArray(_)
            | Kind::LeadingText(..)
            | Kind::ByteArray(_)
            | Kind::HexArray(_)
            | Kind::Explained(..)
            | Kind::Prefix(..)
            | Kind::Hidden(_)
            | Kind::Special(_) => false,
        }
    }
}

impl Target {
    fn mentions(&self, what: Mention) -> bool {
        match self {
            Target::Path | Target::SockAddr(_) => what == Mention::Path,
            Target::Control(_) | Target::BitSet(_) => what == Mention::Descriptor,
            Target::Sized(layout, ..)
            | Target::SelfSized(layout, ..)
            | Target::Extensible(layout, ..) => {
                layout.fields.iter().any(|field| field.kind.mentions(what))
            }
            Target::OneOf(layouts, _) => {
                let mut fields = layouts.iter().flat_map(|(_, layout)| layout.fields);
                fields.any(|field| field.kind.mentions(what))
            }
            Target::Exchange(asked, answered)
            | Target::Answer(asked, answered)
            | Target::Exact(asked, answered, _) => asked.mentions(what) || answered.mentions(what),
            Target::One(kind)
            | Target::Bare(kind)
            | Target::Fitting(kind, ..)
            | Target::Packed(kind, _)
            | Target::Array(kind, _) => kind.mentions(what),
            Target::InFull(target) => target.mentions(what),
            Target::CStr
            | Target::ShortStr(_)
            | Target::Bytes(_)
            | Target::HexBytes(_)
            | Target::Terminated(_)
            | Target::Opaque(..)
            | Target::Offsets(_)
            | Target::Buffers(..)
            | Target::SearchItems(..)
            | Target::IntOrBytes(_)
            | Target::Message(_)
            | Target::Strings
            | Target::Environment
            | Target::Dirents(_)
            | Target::OldDirents(_)
            | Target::NamedBits(..)
            | Target::SigSet(..)
            | Target::BitSetBytes(_)
            | Target::Capabilities(..)
            | Target::DeviceMapper(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::arch::x86_64::calls;

    use super::*;

    fn mentions(name: &str, what: Mention) -> bool {
        let mut calls = calls();
        calls.find(|call| call.name == name).expect("a call of this name").mentions(what)
    }

    #[test]
    fn descriptors_are_plain_where_they_are_arguments() {
        let plain = |name: &str| {
            let call = calls().find(|call| call.name == name).expect("a call of this name");
            call.plain_descriptors().map(|plain| (plain.args, plain.directories, plain.result))
        };
        assert_eq!(plain("read"), Some((1, 0, false)));
        assert_eq!(plain("openat"), Some((1, 1, true)));
        assert_eq!(plain("mmap"), Some((1 << 4, 0, false)));
        assert_eq!(plain("renameat"), Some((0b101, 0b101, false)));
        assert_eq!(plain("brk"), Some((0, 0, false)));
        for name in ["poll", "select", "sendmsg", "pipe", "fcntl"] {
            assert_eq!(plain(name), None, "{name}");
        }
    }

    #[test]
    fn arguments_results_and_memory_count() {
        for name in ["read", "openat", "open", "poll", "select", "sendmsg", "epoll_ctl", "mmap"] {
            assert!(mentions(name, Mention::Descriptor), "{name}");
        }
        for name in ["openat", "stat", "rename", "bind", "execve"] {
            assert!(mentions(name, Mention::Path), "{name}");
        }
        for name in ["getppid", "futex", "brk", "rt_sigaction", "mprotect", "clock_nanosleep"] {
            assert!(!mentions(name, Mention::Descriptor), "{name}");
            assert!(!mentions(name, Mention::Path), "{name}");
        }
        assert!(!mentions("stat", Mention::Descriptor) && !mentions("read", Mention::Path));
    }
}
