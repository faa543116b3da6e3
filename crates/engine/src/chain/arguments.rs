//! Gives calls other arguments, and guests their own back.

use std::borrow::Cow;
use std::io;

use contract::{Arch, Content, Element, Tid, Verdict};
use kernel::memory;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use table::arch::x86_64;

use super::Chain;
use super::ask::{bytes_of, vector_of};
use super::decided::Decided;
use crate::session::Session;
use crate::tracee::Tracee;

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
            let bytes: Vec<&[u8]> = pieces.iter().map(AsRef::as_ref).collect();
            let placed = place(&mut self.chain, tid, tracee, &bytes);
            let Some(mut placed) = placed else { return Ok(false) };
            if let Some((_, elements)) = vector {
                let array = placed.pop().expect("it has its place");
                let strings = placed.split_off(placed.len() - bytes_in(elements).count());
                memory::write(tid.0, &[(array, &pointers(arch, elements, &strings))])?;
                vector_at = array;
            }
            places = placed.into_iter();
        }
        if tracee.call.stands_for_another() {
            // What it stands for is made instead: there arguments are in registers.
            set_arguments(stopped, arch, tracee.call.args)?;
            stopped.set_call_number(tracee.call.number)?;
        }
        for argument in arguments {
            let value = match &argument.content {
                Content::Value(value) => *value,
                Content::Bytes(_) => places.next().expect("each has its place"),
                Content::Vector(_) => vector_at,
            };
            stopped.set_argument(argument.index, value, arch == Arch::I386)?;
        }
        if let Some(opening) = arch.number_of(x86_64::OPENAT).filter(|_| decided.opens()) {
            stopped.set_call_number(opening)?;
        }
        Ok(true)
    }

    /// Writes these bytes to the thread's room. Where they are; `None` if there is none.
    pub(super) fn room_for(&mut self, tid: Tid, bytes: &[&[u8]]) -> Option<Vec<u64>> {
        place(&mut self.chain, tid, self.tracees.get(tid)?, bytes)
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
        let call = &tracee.call;
        let stood_for_another = !arguments.is_empty() && call.stands_for_another();
        if stood_for_another {
            set_arguments(stopped, call.arch, tracee.registers)?;
        } else {
            for argument in arguments {
                let value = tracee.registers[usize::from(argument.index)];
                stopped.set_argument(argument.index, value, call.arch == Arch::I386)?;
            }
        }
        if decided.opens() || stood_for_another {
            // If the kernel begins the call anew, it is the guest's.
            stopped.set_call_number(call.raw_number)?;
        }
        Ok(())
    }
}

fn place(chain: &mut Chain, tid: Tid, tracee: &Tracee, bytes: &[&[u8]]) -> Option<Vec<u64>> {
    let room = tracee.room.as_ref()?;
    room.place(tid, tracee.call.arch, bytes, chain.cookie, &mut chain.pages)
}

/// Gives a thread that stands before or behind a call these arguments.
pub(super) fn set_arguments(
    stopped: &Ptraced<Stopped>,
    arch: Arch,
    args: [u64; 6],
) -> io::Result<()> {
    for (index, value) in (0..).zip(args) {
        stopped.set_argument(index, value, arch == Arch::I386)?;
    }
    Ok(())
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
