//! Who has called a guest's thread where it is: its stack, with the names of functions.
//!
//! At a stop the thread's registers and its stack's memory are read; how to get from a function to its
//! caller is told by the unwind tables of the files that are mapped ([`object`]), step by step
//! ([`walk`]). What a file tells is read once, and kept for all processes that have it mapped. What a
//! process has mapped ([`space`]) is kept until a call of its changes that.

mod code;
mod lines;
mod memory;
mod object;
mod row;
mod signal;
mod space;
mod symbols;
mod walk;

use std::collections::HashMap;

use contract::{Arch, Pid, Stack, Tid};
use kernel::memory::Method;
use kernel::ptrace::{Registers, Stopped, Tracee as Ptraced};
use table::Id;
use table::arch::x86_64;

use crate::StackOptions;
use crate::session::Session;
use crate::tracee::Tracee;
use memory::Memory;
use object::Objects;
use space::Space;

/// Calls that leave the stack on which they were made: their stacks are looked at before them.
const LEAVING: [Id; 4] = [x86_64::EXECVE, x86_64::EXECVEAT, x86_64::EXIT, x86_64::EXIT_GROUP];

/// Calls that may change what code is mapped.
pub const MAPPING: [Id; 8] = [
    x86_64::MMAP,
    x86_64::MUNMAP,
    x86_64::MREMAP,
    x86_64::MPROTECT,
    x86_64::PKEY_MPROTECT,
    x86_64::REMAP_FILE_PAGES,
    x86_64::SHMAT,
    x86_64::SHMDT,
];

/// Looks at stacks.
#[derive(Debug)]
pub struct Stacks {
    wanted: Option<StackOptions>,
    memory: Memory,
    objects: Objects,
    spaces: HashMap<Pid, Space>,
}

impl Stacks {
    /// Looks at them as these options say, if at all.
    pub fn new(wanted: Option<StackOptions>, method: Option<Method>) -> Stacks {
        Stacks {
            wanted,
            memory: Memory::new(method),
            objects: Objects::new(wanted.is_some_and(|wanted| wanted.sources)),
            spaces: HashMap::new(),
        }
    }

    /// Whether stacks are wanted.
    pub fn are_wanted(&self) -> bool {
        self.wanted.is_some()
    }

    /// Forgets what a process has mapped.
    pub fn forget(&mut self, process: Pid) {
        self.spaces.remove(&process);
    }

    fn of(&mut self, process: Pid, tid: Tid, registers: &Registers) -> Stack {
        let Some(StackOptions { frames, .. }) = self.wanted else { return Stack::default() };
        let space = self.spaces.entry(process).or_default();
        space.begin();
        self.memory.begin(tid, registers.rsp);
        walk::frames(registers, frames, space, &mut self.objects, &mut self.memory)
    }
}

impl Session {
    /// The stack of a stopped thread, if stacks are wanted. One that runs 32-bit code has none that is
    /// understood.
    pub(crate) fn stack_of(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) -> Option<Stack> {
        if !self.stacks.are_wanted() {
            return None;
        }
        let process = self.tracees.get(tid).map(|tracee| tracee.process)?;
        let registers = stopped.registers().ok()?;
        Some(self.stacks.of(process, tid, &registers))
    }

    /// Adds the stack to a call that leaves it, before that.
    pub(crate) fn note_stack_before(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) {
        let leaves = |tracee: &Tracee| {
            let call = &tracee.call;
            let number = call.arch.native_number(call.number);
            !tracee.starting && LEAVING.iter().any(|id| number == u64::from(id.number))
        };
        if self.stacks.are_wanted() && self.tracees.get(tid).is_some_and(leaves) {
            self.note_stack(tid, stopped);
            if let Some(tracee) = self.tracees.get_mut(tid) {
                tracee.call.stack.before = true;
            }
        }
    }

    /// Adds the stack to a call, unless that was done before it.
    pub(crate) fn note_stack(&mut self, tid: Tid, stopped: &Ptraced<Stopped>) {
        let known = |tracee: &Tracee| !tracee.call.stack.frames.is_empty();
        if !self.stacks.are_wanted() || self.tracees.get(tid).is_none_or(known) {
            return;
        }
        let stack = self.stack_of(tid, stopped).unwrap_or_default();
        if let Some(tracee) = self.tracees.get_mut(tid) {
            tracee.call.stack = stack;
        }
    }

    /// A thread makes a call, or has made it, that may change what code is mapped.
    pub(crate) fn note_mapping(&mut self, tid: Tid, (arch, number, args): (Arch, u64, [u64; 6])) {
        let number = arch.native_number(number);
        if !self.stacks.are_wanted() || !MAPPING.iter().any(|id| number == u64::from(id.number)) {
            return;
        }
        let Some(process) = self.tracees.get(tid).map(|tracee| tracee.process) else { return };
        if let Some(space) = self.stacks.spaces.get_mut(&process) {
            space.changes(number, &args);
        }
    }
}
