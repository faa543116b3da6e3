//! Which descriptors of guests lead to where their calls are shown: what is written there comes behind
//! what is told of the calls before it. That holds where `write(2)` is among the calls that are told: else
//! only what is written to the streams that a program begins with stops.

use std::collections::HashMap;

use contract::{Arch, Pid};
use table::Id;
use table::arch::x86_64::{DUP2, DUP3};

use crate::options::ShownBeside;

/// The calls by which a descriptor comes to lead there: shells redirect so (`echo >&2`). To have another one
/// made (`dup(2)`) is rare.
const DUPLICATING: [Id; 2] = [DUP2, DUP3];
/// Stands for all descriptors from here on.
const LAST_BIT: u32 = 63;

/// The descriptors of processes, bit n for descriptor n. One that has once led there counts until its
/// process ends, and for all that this makes meanwhile: that costs stops.
#[derive(Debug)]
pub struct ShownDescriptors {
    /// What processes begin with.
    streams: u64,
    /// Of those that have more.
    others: HashMap<Pid, u64>,
}

impl ShownDescriptors {
    /// Of processes that begin with these streams.
    pub fn new(beside: ShownBeside) -> ShownDescriptors {
        let streams = beside.streams().iter().fold(0, |bits, stream| bits | 1 << stream);
        ShownDescriptors { streams, others: HashMap::new() }
    }

    /// Those of a process.
    pub fn of(&self, process: Pid) -> u64 {
        self.others.get(&process).copied().unwrap_or(self.streams)
    }

    /// Whether this one of a process leads there.
    pub fn has(&self, process: Pid, fd: u64) -> bool {
        self.of(process) & bit(fd) != 0
    }

    /// A process is about to make this call. Returns whether it has another descriptor then.
    pub fn note_call(&mut self, process: Pid, arch: Arch, number: u64, args: &[u64; 6]) -> bool {
        let number = arch.native_number(number);
        let duplicates = DUPLICATING.iter().any(|id| number == id.number.into());
        let gains = duplicates && self.has(process, args[0]) && !self.has(process, args[1]);
        if gains {
            self.others.insert(process, self.of(process) | bit(args[1]));
        }
        gains
    }

    /// A process has begun as a copy of its maker.
    pub fn inherit(&mut self, process: Pid, maker: Pid) {
        if let Some(bits) = self.others.get(&maker).copied() {
            self.others.insert(process, bits);
        }
    }

    /// A process has ended.
    pub fn forget(&mut self, process: Pid) {
        self.others.remove(&process);
    }
}

fn bit(fd: u64) -> u64 {
    1 << (fd as u32).min(LAST_BIT)
}

#[cfg(test)]
mod tests {
    use contract::Tid;

    use super::*;

    #[test]
    fn a_copy_of_standard_error_leads_there_too() {
        let (shell, child) = (Tid(5), Tid(6));
        let dup2 = |shown: &mut ShownDescriptors, process, from, to| {
            shown.note_call(process, Arch::X86_64, DUP2.number.into(), &[from, to, 0, 0, 0, 0])
        };
        let mut shown = ShownDescriptors::new(ShownBeside::Errors);
        assert!(!dup2(&mut shown, shell, 3, 1) && !shown.has(shell, 1));
        assert!(dup2(&mut shown, shell, 2, 1) && shown.has(shell, 1) && !shown.has(child, 1));
        assert!(!dup2(&mut shown, shell, 2, 1));
        shown.inherit(child, shell);
        assert!(shown.has(child, 1) && shown.has(child, 2) && !shown.has(child, 3));
        shown.forget(shell);
        assert_eq!((shown.of(shell), shown.of(child)), (4, 6));
    }
}
