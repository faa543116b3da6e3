//! The bytes that belong to one call.

use table::DataModel;

use crate::{
    Arch, Argument, Aside, BpfObject, Changes, Content, FdInfo, GuestAddr, NetlinkSocket,
    PathContext, Reply, Stack, Stamp,
};

/// What an idle capture keeps allocated, in copies and in bytes: enough for all but a few calls,
/// and little beside thousands of threads.
const SPANS_KEPT: usize = 64;
const BYTES_KEPT: usize = 4096;

/// The kernel's error results.
const ERRORS: std::ops::Range<i64> = -4095..0;

/// Where changed arguments seem to be: no program has such addresses, since no processor does.
const CHANGED: u64 = 1 << 62;
/// How far apart they are.
const CHANGED_LEN: u64 = 1 << 32;

/// When bytes were copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Before the call ran.
    Entry,
    /// After it returned.
    Exit,
}

/// What a call returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// When the return was seen.
    pub time: Stamp,
    /// System CPU time of the thread by then, in nanoseconds; 0 where nobody asked for it.
    pub cpu: u64,
    /// The value in the result register: an error is `-errno`.
    pub value: i64,
    /// Whether the value is an error.
    pub failed: bool,
}

impl Outcome {
    /// Of what the kernel left in the result register.
    pub fn of(value: i64, time: Stamp, cpu: u64) -> Outcome {
        Outcome { time, cpu, value, failed: ERRORS.contains(&value) }
    }

    /// Of a call that was not made.
    pub fn chosen(reply: Reply, time: Stamp, cpu: u64) -> Outcome {
        Outcome { time, cpu, value: reply.raw(), failed: matches!(reply, Reply::Error(_)) }
    }
}

/// A run of guest memory within a [`Capture`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// When it was copied.
    pub phase: Phase,
    /// Where in the guest it begins.
    pub addr: GuestAddr,
    /// Where its bytes begin in the capture's store.
    start: u32,
    /// How many bytes were copied.
    len: u32,
    /// Whether memory behind the copied bytes was wanted but unreadable.
    pub fault: bool,
}

/// One system call as it was seen: registers, and copies of the memory that its plan names.
///
/// Self-contained: decoding needs nothing else but the table.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// The ABI.
    pub arch: Arch,
    /// The call's number in that ABI; of one that stands for another, that one's.
    pub number: u64,
    /// The number that the guest gave: it differs in x32's calls, which have a bit that marks them,
    /// and in those that stand for others.
    pub raw_number: u64,
    /// The six argument registers.
    pub args: [u64; 6],
    /// The instruction pointer: just behind the system call instruction.
    pub ip: GuestAddr,
    /// The stack pointer.
    pub sp: GuestAddr,
    /// When the call was entered.
    pub entered: Stamp,
    /// System CPU time of the thread at entry, in nanoseconds; 0 where nobody asked for it.
    pub cpu: u64,
    /// The number of the thread's last call before this one; 0 if none was seen.
    pub previous: u64,
    /// The result, once there is one.
    pub outcome: Option<Outcome>,
    /// What a verdict has changed of it so far.
    pub changes: Changes,
    /// What the descriptors that the call mentions stand for, where asked for. One that the call
    /// gave another meaning (`dup2(2)`) comes twice.
    pub fds: Vec<FdInfo>,
    /// What the descriptor of another process stands for that the call names, where asked for.
    pub others_fd: Option<FdInfo>,
    /// The security contexts of the files that the call names by paths, where asked for.
    pub path_contexts: Vec<PathContext>,
    /// The stack of the call, where asked for: as it was at the return, or at the entry of a call
    /// behind which it is another.
    pub stack: Stack,
    /// What else was looked up of it, where asked for.
    pub aside: Option<Aside>,
    /// The call is one of those that send or receive messages, on a socket of `netlink(7)`.
    pub netlink: Option<NetlinkSocket>,
    /// The call asks for what this object is.
    pub bpf_object: Option<BpfObject>,
    spans: Vec<Span>,
    /// Indices of `spans`, by address; of those at one address in the order in which they came.
    by_addr: Vec<u32>,
    store: Vec<u8>,
}

impl Capture {
    /// Whether the guest has made another call, of a 32-bit program, that stands for this one and has its
    /// arguments elsewhere: `socketcall(2)`, `ipc(2)`.
    pub fn stands_for_another(&self) -> bool {
        self.arch == Arch::I386 && self.raw_number != self.number
    }

    /// Begins the capture of a call in place of the one before it. Of the registers of a 32-bit
    /// call the low halves count.
    pub fn enter(&mut self, arch: Arch, number: u64, args: [u64; 6], ip: GuestAddr, sp: GuestAddr) {
        self.previous = self.number;
        self.reset();
        self.arch = arch;
        self.number = number;
        self.raw_number = number;
        self.args = match arch {
            Arch::I386 => args.map(|arg| arg & u64::from(u32::MAX)),
            Arch::X86_64 | Arch::X32 => args,
        };
        self.ip = ip;
        self.sp = sp;
    }

    /// How large C's types are in what the call reads and writes.
    pub fn model(&self) -> DataModel {
        self.arch.model(self.number)
    }

    /// Forgets the previous call but keeps the allocations, unless that call was unusually large.
    pub fn reset(&mut self) {
        self.outcome = None;
        self.changes = Changes::default();
        self.fds.clear();
        self.others_fd = None;
        self.path_contexts.clear();
        self.stack = Stack::default();
        self.aside = None;
        self.netlink = None;
        self.bpf_object = None;
        self.spans.clear();
        self.spans.shrink_to(SPANS_KEPT);
        self.by_addr.clear();
        self.by_addr.shrink_to(SPANS_KEPT);
        self.store.clear();
        self.store.shrink_to(BYTES_KEPT);
    }

    /// A register by the index that the table uses: 0 to 5 the arguments, 6 the stack pointer, 7
    /// the number of the call before, 8 the result, 9 what the object is that the call asks about.
    pub fn register(&self, index: u8) -> u64 {
        match index {
            6 => self.sp.0,
            7 => self.previous,
            8 => self.outcome.map_or(0, |outcome| outcome.value as u64),
            9 => self.bpf_object.map_or(0, |object| object.kind as u64),
            _ => self.args.get(usize::from(index)).copied().unwrap_or_default(),
        }
    }

    /// The result if the call succeeded.
    pub fn success(&self) -> Option<i64> {
        self.outcome.filter(|outcome| !outcome.failed).map(|outcome| outcome.value)
    }

    /// Whether a signal interrupted the call, which the kernel may restart.
    pub fn was_interrupted(&self) -> bool {
        // ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK: no program sees them.
        self.outcome
            .is_some_and(|outcome| outcome.failed && matches!(-outcome.value, 512..=514 | 516))
    }

    /// Begins a copy of guest memory at `addr`. Bytes follow by [`Capture::extend`].
    pub fn begin(&mut self, phase: Phase, addr: GuestAddr) {
        let start = self.store.len() as u32;
        let place = self.by_addr.partition_point(|&index| self.spans[index as usize].addr <= addr);
        self.by_addr.insert(place, self.spans.len() as u32);
        self.spans.push(Span { phase, addr, start, len: 0, fault: false });
    }

    /// Appends bytes to the copy begun last.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.store.extend_from_slice(bytes);
        if let Some(span) = self.spans.last_mut() {
            span.len += bytes.len() as u32;
        }
    }

    /// Says that more was wanted of the copy begun last, but the guest's memory ended there.
    pub fn fault(&mut self) {
        if let Some(span) = self.spans.last_mut() {
            span.fault = true;
        }
    }

    /// The copies in the order in which they were made, with their bytes.
    pub fn spans(&self) -> impl Iterator<Item = (Span, &[u8])> {
        self.spans.iter().map(|span| (*span, self.store_of(span)))
    }

    /// The copy begun last, and its bytes.
    pub fn last_span(&self) -> Option<(Span, &[u8])> {
        self.spans.last().map(|span| (*span, self.store_of(span)))
    }

    /// The copies that begin at `addr`, in the order in which they were made, with their bytes.
    pub fn spans_at(&self, phase: Phase, addr: GuestAddr) -> impl Iterator<Item = (Span, &[u8])> {
        let first = self.by_addr.partition_point(|&index| self.spans[index as usize].addr < addr);
        let behind = self.by_addr[first..].iter().map(|&index| &self.spans[index as usize]);
        behind
            .take_while(move |span| span.addr == addr)
            .filter(move |span| span.phase == phase)
            .map(|span| (*span, self.store_of(span)))
    }

    /// Exactly `len` bytes at `addr`, if a copy holds them all.
    pub fn bytes(&self, phase: Phase, addr: GuestAddr, len: usize) -> Option<&[u8]> {
        self.spans.iter().filter(|span| span.phase == phase).find_map(|span| {
            let from = usize::try_from(addr.0.checked_sub(span.addr.0)?).ok()?;
            self.store_of(span).get(from..from.checked_add(len)?)
        })
    }

    /// The string at `addr` as it was before the call, without its NUL; `None` where no copy holds it
    /// whole.
    pub fn string(&self, addr: GuestAddr) -> Option<&[u8]> {
        self.spans_at(Phase::Entry, addr).find_map(|(_, bytes)| bytes.strip_suffix(&[0]))
    }

    /// The call as it is with these arguments in place of its own. What they point to is at addresses
    /// that no program has ([`Capture::changed_at`]).
    #[must_use]
    pub fn with(&self, arguments: &[Argument]) -> Capture {
        let mut changed = self.clone();
        for Argument { index, content } in arguments {
            let place = usize::from(*index);
            match content {
                Content::Value(value) => changed.args[place] = *value,
                // Its pointers are of guest memory that is not written yet.
                Content::Vector(_) => changed.args[place] = Capture::changed_at(*index).0,
                Content::Bytes(bytes) => {
                    let addr = Capture::changed_at(*index);
                    changed.args[place] = addr.0;
                    changed.begin(Phase::Entry, addr);
                    changed.extend(bytes);
                }
            }
        }
        changed
    }

    /// Where the bytes of this changed argument, 0 to 5, seem to be.
    pub fn changed_at(index: u8) -> GuestAddr {
        GuestAddr(CHANGED + u64::from(index) * CHANGED_LEN)
    }

    /// The bytes of a changed argument from this address on; `None` where it is a guest's address.
    pub fn changed(&self, addr: GuestAddr) -> Option<&[u8]> {
        let index = (addr.0.checked_sub(CHANGED)? / CHANGED_LEN).try_into().ok()?;
        let start = Capture::changed_at(index);
        let (_, bytes) = self.spans_at(Phase::Entry, start).last()?;
        bytes.get((addr.0 - start.0) as usize..)
    }

    fn store_of(&self, span: &Span) -> &[u8] {
        &self.store[span.start as usize..][..span.len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_inside_a_span_of_the_same_phase_only() {
        let mut capture = Capture::default();
        capture.begin(Phase::Entry, GuestAddr(0x1000));
        capture.extend(b"hello");
        capture.extend(b" world");
        capture.begin(Phase::Exit, GuestAddr(0x2000));
        capture.fault();
        assert_eq!(capture.bytes(Phase::Entry, GuestAddr(0x1006), 5), Some(&b"world"[..]));
        assert_eq!(capture.bytes(Phase::Entry, GuestAddr(0x1006), 6), None);
        assert_eq!(capture.bytes(Phase::Exit, GuestAddr(0x1000), 1), None);
        let mut there = capture.spans_at(Phase::Exit, GuestAddr(0x2000));
        assert!(there.next().is_some_and(|(span, _)| span.fault) && there.next().is_none());
    }

    #[test]
    fn copies_at_one_address_come_in_their_order() {
        let mut capture = Capture::default();
        for (addr, text) in [(3, "a"), (1, "b"), (3, "c"), (2, "d"), (3, "e")] {
            capture.begin(Phase::Entry, GuestAddr(addr));
            capture.extend(text.as_bytes());
        }
        let at = |addr| -> Vec<_> {
            capture.spans_at(Phase::Entry, GuestAddr(addr)).map(|(_, bytes)| bytes).collect()
        };
        assert_eq!(at(3), [b"a", b"c", b"e"]);
        assert_eq!((at(1), at(2)), (vec![&b"b"[..]], vec![&b"d"[..]]));
        assert!(at(0).is_empty() && at(4).is_empty());
    }

    #[test]
    fn a_changed_call_has_other_strings() {
        let mut capture = Capture { args: [1, 2, 3, 0, 0, 0], ..Capture::default() };
        capture.begin(Phase::Entry, GuestAddr(2));
        capture.extend(b"/old\0");
        let changed = capture.with(&[Argument::path(1, "/new"), Argument::value(0, 9)]);
        assert_eq!(capture.string(GuestAddr(2)), Some(&b"/old"[..]));
        assert_eq!(changed.args, [9, Capture::changed_at(1).0, 3, 0, 0, 0]);
        assert_eq!(changed.string(Capture::changed_at(1)), Some(&b"/new"[..]));
        assert_eq!(changed.string(GuestAddr(3)), None);
        let inside = Capture::changed_at(1).checked_add(2).unwrap();
        assert_eq!(changed.changed(inside), Some(&b"ew\0"[..]));
        assert_eq!(changed.changed(GuestAddr(2)), None);
    }
}
