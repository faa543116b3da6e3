//! Gives calls other arguments, and guests their own back.

use std::borrow::Cow;
use std::io;

use contract::{Arch, Content, Element, Tid, Verdict};
use kernel::memory;
use kernel::ptrace::{Side, Stopped, SyscallStopKind, Tracee as Ptraced};
use table::arch::x86_64;

use super::ask::{Decided, bytes_of, vector_of};
use super::scratch;
use crate::session::Session;
use crate::tracee::Position;

/// `mmap2(2)` of 32-bit programs.
const MMAP2: u64 = 192;
/// Marks the x32 ABI in a call's number (`__X32_SYSCALL_BIT`).
const X32_BIT: u64 = 0x4000_0000;
/// `PROT_READ | PROT_WRITE`, and `MAP_PRIVATE | MAP_ANONYMOUS`.
const READ_WRITE: u64 = 3;
const PRIVATE_ANONYMOUS: u64 = 0x22;

impl Session {
    /// Gives the thread the arguments with which its call is to be made. Not if there is no room for
    /// them.
    pub(super) fn change_arguments(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        decided: &Decided,
    ) -> io::Result<bool> {
        let Some(tracee) = self.tracees.get(tid) else { return Ok(false) };
        let arch = tracee.call.arch;
        let arguments = &decided.verdict.arguments;
        let vector = vector_of(arguments);
        let mut pieces: Vec<Cow<[u8]>> =
            bytes_of(arguments).map(|(_, bytes)| Cow::Borrowed(bytes)).collect();
        if let Some((_, elements)) = vector {
            pieces.extend(bytes_in(elements).map(Cow::Borrowed));
            pieces.push(Cow::Owned(vec![0; (elements.len() + 1) * pointer_len(arch)]));
        }
        let mut places = Vec::new().into_iter();
        let mut vector_at = 0;
        if !pieces.is_empty() {
            let (cookie, pages) = (self.chain.cookie, &mut self.chain.pages);
            let room = tracee.room.as_ref();
            let bytes: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
            let placed = room.and_then(|room| room.place(tid, arch, &bytes, cookie, pages));
            let Some(mut placed) = placed else { return Ok(false) };
            if let Some((_, elements)) = vector {
                let array = placed.pop().expect("it has its place");
                let strings = placed.split_off(placed.len() - bytes_in(elements).count());
                memory::write(tid.0, &[(array, &pointers(arch, elements, &strings))])?;
                vector_at = array;
            }
            places = placed.into_iter();
        }
        for argument in arguments {
            let value = match &argument.content {
                Content::Value(value) => *value,
                Content::Bytes(_) => places.next().expect("each has its place"),
                Content::Vector(_) => vector_at,
            };
            stopped.set_argument(argument.index, value, arch == Arch::I386)?;
        }
        if let Some(opening) = arch.number_of(x86_64::OPENAT).filter(|_| decided.hands_out()) {
            stopped.set_call_number(opening)?;
        }
        Ok(true)
    }

    /// A thread stands before a call for whose arguments there is no room: has it make some first.
    pub(crate) fn make_room(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let arch = tracee.call.arch;
        let number = match arch {
            Arch::X86_64 => x86_64::MMAP.number.into(),
            Arch::X32 => X32_BIT | u64::from(x86_64::MMAP.number),
            Arch::I386 => MMAP2,
        };
        let args = [0, scratch::EXTENT_LEN, READ_WRITE, PRIVATE_ANONYMOUS, u64::MAX, 0];
        set_arguments(&stopped, arch, args)?;
        stopped.set_call_number(number)?;
        tracee.position = Position::MakingRoom;
        self.go_on(tid, stopped, 0)
    }

    /// A thread has made room: has it make its own call again.
    pub(crate) fn room_made(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        let stop = self.syscall_stop(&stopped, Side::Exit)?;
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        if let SyscallStopKind::Exit { value, failed: false } = stop.what {
            tracee.room.get_or_insert_default().add(in_abi_unsigned(tracee.call.arch, value));
        }
        set_arguments(&stopped, tracee.call.arch, tracee.call.args)?;
        stopped.call_again(tracee.call.raw_number, tracee.call.ip.0)?;
        tracee.position = Position::Outside;
        self.go_on(tid, stopped, 0)
    }

    /// A thread stands behind a call that was made with other arguments: it gets its own back. Those of
    /// a program that it has just begun to execute are none of them.
    pub(super) fn put_arguments_back(
        &self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        decided: &Decided,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get(tid).filter(|tracee| !tracee.fresh) else {
            return Ok(());
        };
        let Verdict { arguments, .. } = &decided.verdict;
        for argument in arguments {
            let value = tracee.call.args[usize::from(argument.index)];
            stopped.set_argument(argument.index, value, tracee.call.arch == Arch::I386)?;
        }
        if decided.hands_out() {
            // If the kernel begins the call anew, it is the guest's.
            stopped.set_call_number(tracee.call.raw_number)?;
        }
        Ok(())
    }
}

/// Gives a thread that stands before or behind a call these arguments.
fn set_arguments(stopped: &Ptraced<Stopped>, arch: Arch, args: [u64; 6]) -> io::Result<()> {
    for (index, value) in (0..).zip(args) {
        stopped.set_argument(index, value, arch == Arch::I386)?;
    }
    Ok(())
}

/// An address that a call has returned.
fn in_abi_unsigned(arch: Arch, value: i64) -> u64 {
    match arch {
        Arch::I386 => u64::from(value as u32),
        Arch::X86_64 | Arch::X32 => value as u64,
    }
}

/// The bytes of a vector's elements.
fn bytes_in(elements: &[Element]) -> impl Iterator<Item = &[u8]> {
    elements.iter().filter_map(|element| match element {
        Element::Bytes(bytes) => Some(bytes.as_slice()),
        Element::At(_) => None,
    })
}

/// A vector's pointers, with the NULL at its end; `strings` is where the elements' bytes are.
fn pointers(arch: Arch, elements: &[Element], strings: &[u64]) -> Vec<u8> {
    let mut strings = strings.iter().copied();
    let mut array = Vec::new();
    for element in elements {
        let at = match element {
            Element::At(at) => at.0,
            Element::Bytes(_) => strings.next().expect("each has its place"),
        };
        array.extend_from_slice(&at.to_le_bytes()[..pointer_len(arch)]);
    }
    array.extend_from_slice(&[0; 8][..pointer_len(arch)]);
    array
}

fn pointer_len(arch: Arch) -> usize {
    if arch == Arch::X86_64 { 8 } else { 4 }
}
