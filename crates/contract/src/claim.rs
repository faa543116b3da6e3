//! What calls have to be about for a module to be asked.

use table::arch::x86_64;
use table::{Call, Dir, Kind, Target};

use crate::{CallSet, Capture, GuestAddr, Phase};

/// Calls that a module claims, and is asked about only where they are about one of these things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Narrowing {
    /// The calls.
    pub calls: CallSet,
    /// The things.
    pub about: Vec<About>,
}

/// What a call may be about, as its arguments tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// A path that is this one as the guest writes it, or goes on from it: `/a` and `/a/b`, but not `/ab`.
    Path(Vec<u8>),
    /// This descriptor.
    Descriptor(i32),
    /// What the argument of this index, 0 to 5, points to: not where it is NULL.
    Pointer(u8),
    /// A socket of this address family: one that is made, or the address that is given for one.
    Family(u16),
    /// An argument, as a number of 32 bits.
    Argument(ByArgument),
}

/// An argument that tells what a call is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByArgument {
    /// Which one, 0 to 5.
    pub index: u8,
    /// What it is then: one of these, as numbers of 32 bits.
    pub values: Vec<u32>,
}

impl ByArgument {
    /// What tells all of these, if it is the same argument.
    pub fn of_all(all: impl IntoIterator<Item = Option<ByArgument>>) -> Option<ByArgument> {
        let mut all = all.into_iter();
        let first = all.next()??;
        all.try_fold(first, |mut before, next| {
            let next = next.filter(|next| next.index == before.index)?;
            before.values.extend(next.values);
            Some(before)
        })
    }
}

impl Narrowing {
    /// Whether this call is about one of the things.
    pub fn is_about(&self, call: &Capture) -> bool {
        self.about.iter().any(|about| about.holds(call))
    }

    /// If one argument of this call of the 64-bit ABI alone tells whether it is about one of the things.
    pub fn by_argument(&self, number: u64) -> Option<ByArgument> {
        let call = x86_64::call(number)?;
        ByArgument::of_all(self.about.iter().map(|about| about.by_argument(call)))
    }

    /// If the calls are those where one argument is not NULL: its index.
    pub fn pointer(&self) -> Option<u8> {
        match self.about[..] {
            [About::Pointer(index)] => Some(index),
            _ => None,
        }
    }
}

impl About {
    fn holds(&self, call: &Capture) -> bool {
        let Some(described) = call.arch.call(call.number) else { return false };
        let mut args = described.args.iter().map(|arg| &arg.kind).zip(call.args);
        match self {
            About::Path(prefix) => args.any(|(kind, value)| {
                let path = is_path(kind).then(|| call.string(GuestAddr(value))).flatten();
                path.is_some_and(|path| leads_below(path, prefix))
            }),
            About::Descriptor(fd) => {
                args.any(|(kind, value)| is_descriptor(kind) && value as u32 == *fd as u32)
            }
            About::Pointer(index) => call.args[usize::from(*index)] != 0,
            About::Argument(ByArgument { index, values }) => {
                values.contains(&(call.args[usize::from(*index)] as u32))
            }
            About::Family(family) if makes_sockets(described) => {
                call.args[0] as u32 == u32::from(*family)
            }
            About::Family(family) => args.any(|(kind, value)| {
                let spans = is_address(kind).then(|| call.spans_at(Phase::Entry, GuestAddr(value)));
                let bytes = spans.and_then(|mut spans| spans.next()).map(|(_, bytes)| bytes);
                bytes.is_some_and(|bytes| bytes.starts_with(&family.to_ne_bytes()))
            }),
        }
    }

    fn by_argument(&self, call: &Call) -> Option<ByArgument> {
        let is_first = |(index, is): (usize, bool)| !is || index == 0;
        let first = |value| ByArgument { index: 0, values: vec![value] };
        match self {
            About::Path(_) | About::Pointer(_) => None,
            About::Descriptor(fd) => {
                let mut all = call.args.iter().map(|arg| is_descriptor(&arg.kind)).enumerate();
                all.all(is_first).then(|| first(*fd as u32))
            }
            About::Family(family) => makes_sockets(call).then(|| first((*family).into())),
            About::Argument(argument) => Some(argument.clone()),
        }
    }
}

fn makes_sockets(call: &Call) -> bool {
    [x86_64::SOCKET, x86_64::SOCKETPAIR].iter().any(|id| id.number == call.number)
}

fn is_path(kind: &Kind) -> bool {
    matches!(kind, Kind::Ptr(Dir::In, Target::Path))
}

fn is_descriptor(kind: &Kind) -> bool {
    matches!(kind, Kind::Fd | Kind::DirFd)
}

fn is_address(kind: &Kind) -> bool {
    matches!(kind, Kind::Ptr(Dir::In, Target::SockAddr(_)))
}

fn leads_below(path: &[u8], prefix: &[u8]) -> bool {
    let rest = path.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || prefix.ends_with(b"/"))
}

#[cfg(test)]
mod tests {
    use table::Id;

    use super::*;
    use crate::Arch;

    fn of(id: Id, args: [u64; 6], memory: Option<(u64, &[u8])>) -> Capture {
        let mut call = Capture::default();
        call.enter(Arch::X86_64, id.number.into(), args, GuestAddr::NULL, GuestAddr::NULL);
        if let Some((at, bytes)) = memory {
            call.begin(Phase::Entry, GuestAddr(at));
            call.extend(bytes);
        }
        call
    }

    #[test]
    fn a_path_lies_below_another_by_whole_names() {
        let below = |path: &str, prefix: &str| {
            let bytes = [path.as_bytes(), &[0]].concat();
            let call = of(x86_64::OPENAT, [0, 64, 0, 0, 0, 0], Some((64, &bytes)));
            About::Path(prefix.into()).holds(&call)
        };
        assert!(below("/a", "/a") && below("/a/b", "/a") && below("/a/", "/a") && below("/b", "/"));
        assert!(!below("/ab", "/a") && !below("/", "/a") && !below("a", "/a"));
    }

    #[test]
    fn a_descriptor_is_one_of_the_arguments() {
        let about = About::Descriptor(7);
        assert!(about.holds(&of(x86_64::READ, [7, 0, 0, 0, 0, 0], None)));
        assert!(!about.holds(&of(x86_64::READ, [1, 7, 7, 0, 0, 0], None)));
        assert!(about.holds(&of(x86_64::DUP2, [1, 7, 0, 0, 0, 0], None)));
        let firsts = |id: Id| {
            let narrowing = Narrowing { calls: CallSet::NONE, about: vec![about.clone()] };
            narrowing.by_argument(id.number.into()).map(|first| (first.index, first.values))
        };
        assert_eq!(firsts(x86_64::READ), Some((0, vec![7])));
        assert_eq!(firsts(x86_64::DUP2), None, "its second argument counts too");
    }

    #[test]
    fn a_pointer_that_is_null_leads_to_nothing() {
        let about = About::Pointer(4);
        assert!(about.holds(&of(x86_64::SENDTO, [3, 0, 0, 0, 64, 16], None)));
        assert!(!about.holds(&of(x86_64::SENDTO, [3, 64, 5, 0, 0, 0], None)));
        let narrowing = Narrowing { calls: CallSet::NONE, about: vec![about] };
        assert_eq!(narrowing.pointer(), Some(4));
        assert_eq!(narrowing.by_argument(x86_64::SENDTO.number.into()), None);
    }

    #[test]
    fn an_address_family_is_that_of_a_socket_or_of_an_address() {
        let (unix, inet) = (About::Family(1), About::Family(2));
        let made = of(x86_64::SOCKET, [2, 1, 0, 0, 0, 0], None);
        assert!(inet.holds(&made) && !unix.holds(&made));
        let address = [1, 0, b'/', b's', 0];
        let named = of(x86_64::CONNECT, [3, 64, 5, 0, 0, 0], Some((64, &address)));
        assert!(unix.holds(&named) && !inet.holds(&named));
        let both = Narrowing { calls: CallSet::NONE, about: vec![unix, inet] };
        let first = ByArgument { index: 0, values: vec![1, 2] };
        assert_eq!(both.by_argument(x86_64::SOCKET.number.into()), Some(first));
        let connect = x86_64::CONNECT.number.into();
        assert_eq!(both.by_argument(connect), None, "no filter reads memory");
    }

    #[test]
    fn an_argument_is_one_of_several_values() {
        let request = |values: &[u32]| ByArgument { index: 1, values: values.to_vec() };
        let about = vec![About::Argument(request(&[5, 6])), About::Argument(request(&[7]))];
        let narrowing = Narrowing { calls: CallSet::NONE, about };
        let is_about = |value| narrowing.is_about(&of(x86_64::IOCTL, [0, value, 0, 0, 0, 0], None));
        assert!(is_about(5) && is_about(7) && is_about(1 << 32 | 6));
        assert!(!is_about(0) && !is_about(8));
        let ioctl = x86_64::IOCTL.number.into();
        assert_eq!(narrowing.by_argument(ioctl), Some(request(&[5, 6, 7])));
        let mixed = [About::Descriptor(1), About::Argument(request(&[5]))];
        let narrowing = Narrowing { calls: CallSet::NONE, about: mixed.to_vec() };
        assert_eq!(narrowing.by_argument(ioctl), None, "two arguments tell");
    }
}
