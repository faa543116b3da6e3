//! Work on one guest's address space, in as few crossings as there can be.
//!
//! A [`Batch`] is carried out in the order in which it was filled. What stands together becomes one
//! crossing: reads one `process_vm_readv(2)`, writes one `process_vm_writev(2)`, everything that
//! the guest has to do itself one run of the [`Annex`]'s code in it. Neighbouring ranges for which the
//! same is to be done are merged when they are added.
//!
//! So whoever adds reads, then writes, then changes of mappings, then protections pays for four
//! crossings, however many operations there are.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use kernel::memory::{read_ranges, write_ranges};
use kernel::pagemap::{Pagemap, Query};
use kernel::ptrace::{Stopped, Tracee};
use kernel::remote::{Call, Failure, OnFailure, RemoteCalls};
use kernel::wait::Stop;

use super::annex::Annex;

/// Operations on an address space that are carried out together.
#[derive(Debug, Default)]
pub struct Batch<'m> {
    steps: Vec<Step<'m>>,
}

/// Operations that become one crossing.
#[derive(Debug)]
enum Step<'m> {
    Read(Vec<(u64, &'m mut [u8])>),
    Write(Vec<(u64, &'m [u8])>),
    Calls(Vec<Merged>),
    WriteProtect(Vec<Merged>),
}

/// An operation on a range, of which each part was added by itself; other calls have one part.
#[derive(Clone, Debug)]
struct Merged {
    operation: Operation,
    parts: Vec<Range<u64>>,
}

/// What the guest is to do with a range; or any call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Unmap,
    Protect(i32),
    Drop,
    WriteProtect,
    Call(Call),
}

/// What has come of a batch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What each operation that was carried out has returned, in their order: bytes of reads and
    /// writes, an address of new mappings, what a call has returned.
    pub values: Vec<u64>,
    /// Why the operation behind those failed. The others were not begun.
    pub failure: Option<io::Error>,
}

impl Outcome {
    /// The values, if all went well.
    ///
    /// # Errors
    /// The failure.
    pub fn complete(self) -> io::Result<Vec<u64>> {
        self.failure.map_or(Ok(self.values), Err)
    }
}

impl<'m> Batch<'m> {
    /// Reads memory, also such that the guest itself may not read if it is the only one.
    pub fn read(&mut self, address: u64, bytes: &'m mut [u8]) {
        match self.steps.last_mut() {
            Some(Step::Read(list)) => list.push((address, bytes)),
            _ => self.steps.push(Step::Read(vec![(address, bytes)])),
        }
    }

    /// Writes memory, also where the guest itself may not.
    pub fn write(&mut self, address: u64, bytes: &'m [u8]) {
        match self.steps.last_mut() {
            Some(Step::Write(list)) => list.push((address, bytes)),
            _ => self.steps.push(Step::Write(vec![(address, bytes)])),
        }
    }

    /// Maps private memory without a file, in the place of whatever is there. `rights` are `PROT_*`.
    /// Where it is larger than what programs use, nothing is set aside for it (`MAP_NORESERVE`).
    pub fn map(&mut self, range: Range<u64>, rights: i32) {
        /// In bytes.
        const LARGE: u64 = 1 << 32;
        let len = range.end - range.start;
        let reserve = if len >= LARGE { libc::MAP_NORESERVE } else { 0 };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | reserve;
        self.call(Call::mmap(range.start, len, rights, flags, -1, 0));
    }

    /// `munmap(2)`.
    pub fn unmap(&mut self, range: Range<u64>) {
        self.by_guest(Operation::Unmap, range);
    }

    /// `mprotect(2)`; `rights` are `PROT_*`.
    pub fn protect(&mut self, range: Range<u64>, rights: i32) {
        self.by_guest(Operation::Protect(rights), range);
    }

    /// Drops pages: `MADV_DONTNEED` of `madvise(2)`.
    pub fn drop_pages(&mut self, range: Range<u64>) {
        self.by_guest(Operation::Drop, range);
    }

    /// Any call that starts and ends no task.
    pub fn call(&mut self, call: Call) {
        self.by_guest(Operation::Call(call), 0..0);
    }

    /// Write-protects those pages that are there and whose writes are followed.
    pub fn write_protect(&mut self, range: Range<u64>) {
        if !matches!(self.steps.last(), Some(Step::WriteProtect(_))) {
            self.steps.push(Step::WriteProtect(Vec::new()));
        }
        if let Some(Step::WriteProtect(list)) = self.steps.last_mut() {
            add(list, Operation::WriteProtect, range);
        }
    }

    fn by_guest(&mut self, operation: Operation, range: Range<u64>) {
        if !matches!(self.steps.last(), Some(Step::Calls(_))) {
            self.steps.push(Step::Calls(Vec::new()));
        }
        if let Some(Step::Calls(list)) = self.steps.last_mut() {
            add(list, operation, range);
        }
    }

    /// Carries all of it out, up to the first operation that fails.
    ///
    /// # Errors
    /// The guest is lost, or can make no calls.
    pub(crate) fn carry_out(self, space: &mut Space) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        for step in self.steps {
            match step {
                Step::Read(mut list) => {
                    let done = read_ranges(space.pid, &mut list)?;
                    outcome.note(list.iter().map(|(_, bytes)| bytes.len()), done);
                }
                Step::Write(list) => {
                    let done = write_ranges(space.pid, &list)?;
                    outcome.note(list.iter().map(|(_, bytes)| bytes.len()), done);
                }
                Step::Calls(list) => space.make(&list, &mut outcome)?,
                Step::WriteProtect(list) => space.write_protect(&list, &mut outcome)?,
            }
            if outcome.failure.is_some() {
                break;
            }
        }
        Ok(outcome)
    }
}

impl Outcome {
    /// Notes pieces of memory, of which so many were copied.
    fn note(&mut self, lens: impl ExactSizeIterator<Item = usize>, done: usize) {
        if done < lens.len() {
            self.failure = Some(io::Error::from_raw_os_error(libc::EFAULT));
        }
        self.values.extend(lens.take(done).map(|len| len as u64));
    }
}

/// Adds an operation, to the last one if both can be done at once.
fn add(list: &mut Vec<Merged>, operation: Operation, range: Range<u64>) {
    let is_continued = |last: &&mut Merged| {
        let end = last.parts.last().map(|part| part.end);
        last.operation == operation && !range.is_empty() && end == Some(range.start)
    };
    match list.last_mut().filter(is_continued) {
        Some(last) => last.parts.push(range),
        None => list.push(Merged { operation, parts: vec![range] }),
    }
}

impl Merged {
    fn range(&self) -> Range<u64> {
        let [first, .., last] = self.parts.as_slice() else { return self.parts[0].clone() };
        first.start..last.end
    }

    fn call(&self) -> Call {
        let range = self.range();
        let (start, len) = (range.start, range.end - range.start);
        let (number, third) = match self.operation {
            Operation::Call(call) => return call,
            Operation::Unmap => return Call::munmap(start, len),
            Operation::Protect(rights) => (libc::SYS_mprotect, rights as u64),
            Operation::Drop => (libc::SYS_madvise, libc::MADV_DONTNEED as u64),
            Operation::WriteProtect => unreachable!("the guest does not write-protect"),
        };
        Call { number, args: [start, len, third, 0, 0, 0] }
    }

    /// Each part by itself.
    fn split(&self) -> Vec<Merged> {
        let single = |part: &Range<u64>| Merged { parts: vec![part.clone()], ..self.clone() };
        self.parts.iter().map(single).collect()
    }
}

/// A stopped guest's address space, while work on it is carried out.
#[derive(Debug)]
pub(crate) struct Space {
    pid: i32,
    ignores_trap: bool,
    annex: Rc<Annex>,
    thread: Option<Thread>,
}

/// The thread that makes calls.
#[derive(Debug)]
enum Thread {
    Held(Tracee<Stopped>),
    Calls(Box<RemoteCalls>),
}

impl Space {
    /// That of a process, one thread of which is held outside of any call. `ignores_trap` as in
    /// [`RemoteCalls::begin`].
    pub fn new(tracee: Tracee<Stopped>, annex: &Rc<Annex>, pid: i32, ignores_trap: bool) -> Space {
        let annex = Rc::clone(annex);
        Space { pid, ignores_trap, annex, thread: Some(Thread::Held(tracee)) }
    }

    /// Gives the thread back as it was.
    ///
    /// # Errors
    /// It is gone.
    pub fn finish(self) -> Result<Tracee<Stopped>, Failure> {
        match self.thread.ok_or_else(kernel::ptrace::gone)? {
            Thread::Held(tracee) => Ok(tracee),
            Thread::Calls(calls) => Ok(calls.finish()?.0),
        }
    }

    /// Where arguments of calls are put.
    pub fn annex(&self) -> &Annex {
        &self.annex
    }

    /// How many faults the guest had at the end of the last call that it has made for us, if any.
    pub fn faults(&self) -> Option<u64> {
        match self.thread.as_ref()? {
            Thread::Held(_) => None,
            Thread::Calls(calls) => calls.faults(),
        }
    }

    /// Has the guest make calls in this order; see [`RemoteCalls::batch`].
    pub fn calls(&mut self, list: &[Call], on_failure: OnFailure) -> Made {
        let mut calls = match self.thread.take().ok_or_else(kernel::ptrace::gone)? {
            Thread::Held(tracee) => {
                let stub = Some(Annex::STUB);
                let calls =
                    RemoteCalls::begin(self.pid, tracee, Stop::Trap, stub, self.ignores_trap)?;
                Box::new(calls.ask_faults())
            }
            Thread::Calls(calls) => calls,
        };
        let made = self.annex.make(&mut calls, list, on_failure);
        self.thread = Some(Thread::Calls(calls));
        made
    }

    /// Has the guest do this. Where merged operations fail they are tried one by one.
    fn make(&mut self, list: &[Merged], outcome: &mut Outcome) -> Result<(), Failure> {
        let mut rest = list;
        while !rest.is_empty() && outcome.failure.is_none() {
            let calls: Vec<Call> = rest.iter().map(Merged::call).collect();
            for result in self.calls(&calls, OnFailure::Stop)? {
                let (merged, behind) = rest.split_first().expect("each result is of a call");
                match result {
                    Ok(value) => outcome.values.extend(merged.parts.iter().map(|_| value)),
                    Err(_) if merged.parts.len() > 1 => self.make(&merged.split(), outcome)?,
                    Err(error) => outcome.failure = Some(error),
                }
                rest = behind;
            }
        }
        Ok(())
    }

    fn write_protect(&self, list: &[Merged], outcome: &mut Outcome) -> io::Result<()> {
        let mut pagemap = Pagemap::open(self.pid)?;
        for merged in list {
            pagemap.protect(merged.range(), Query::UNPROTECTED)?;
            outcome.values.extend(merged.parts.iter().map(|_| 0));
        }
        Ok(())
    }
}

/// The results of calls, one for each that was made.
type Made = Result<Vec<io::Result<u64>>, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_merged_when_they_are_added() {
        let mut batch = Batch::default();
        let bytes = [0; 4];
        batch.write(0x10, &bytes);
        batch.write(0x20, &bytes);
        batch.unmap(0..0x1000);
        batch.unmap(0x1000..0x3000);
        batch.protect(0x3000..0x4000, 1);
        batch.protect(0x4000..0x5000, 1);
        batch.protect(0x5000..0x6000, 3);
        batch.drop_pages(0x6000..0x7000);
        batch.drop_pages(0x8000..0x9000);
        batch.call(Call::close(3));
        batch.call(Call::close(3));
        batch.write_protect(0..0x1000);
        batch.write_protect(0x1000..0x2000);
        let [Step::Write(writes), Step::Calls(calls), Step::WriteProtect(protected)] =
            batch.steps.as_slice()
        else {
            panic!("{batch:?}")
        };
        assert_eq!((writes.len(), calls.len(), protected.len()), (2, 7, 1));
        assert_eq!(calls[0].call(), Call::munmap(0, 0x3000));
        let args = [0x3000, 0x2000, 1, 0, 0, 0];
        assert_eq!(calls[1].call(), Call { number: libc::SYS_mprotect, args });
        assert_eq!(calls[1].split().len(), 2);
        assert_eq!(calls[2].range(), 0x5000..0x6000);
        assert_eq!(protected[0].range(), 0..0x2000);
    }
}
