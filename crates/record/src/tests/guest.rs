//! Builds the capture of one call.

use contract::{BpfObject, Capture, FdInfo, GuestAddr, Outcome, Phase, Stamp};
use table::Call;

use super::{shorthand, shorthand_result};
use crate::decoder;
use crate::walk::Walk;

/// A call that a guest makes, and the memory that is seen of it.
#[derive(Clone, Default)]
pub struct Guest {
    capture: Capture,
}

impl Guest {
    /// A call with these arguments.
    pub fn calls(args: &[u64]) -> Guest {
        let mut guest = Guest::default();
        guest.capture.args[..args.len()].copy_from_slice(args);
        guest
    }

    /// Memory seen before the call.
    pub fn gives(self, addr: u64, bytes: &[u8]) -> Guest {
        self.memory(Phase::Entry, addr, bytes, false)
    }

    /// Memory seen before the call, which ends too early.
    pub fn gives_torn(self, addr: u64, bytes: &[u8]) -> Guest {
        self.memory(Phase::Entry, addr, bytes, true)
    }

    /// Memory seen after the call.
    pub fn gets(self, addr: u64, bytes: &[u8]) -> Guest {
        self.memory(Phase::Exit, addr, bytes, false)
    }

    /// The call succeeds.
    pub fn returns(self, value: i64) -> Guest {
        self.outcome(value, false)
    }

    /// The call fails.
    pub fn fails(self, errno: i64) -> Guest {
        self.outcome(-errno, true)
    }

    /// The descriptor is known.
    pub fn knows(mut self, fd: i32, target: &str) -> Guest {
        self.capture.fds.push(FdInfo { fd, target: target.into(), ..FdInfo::default() });
        self
    }

    /// The call asks about this object.
    pub fn about(mut self, object: Option<BpfObject>) -> Guest {
        self.capture.bpf_object = object;
        self
    }

    /// The record before the call returns, in shorthand.
    pub fn entered(&self, call: &Call) -> String {
        shorthand(&decoder::entry(Walk::before(&self.capture), Some(call)).args)
    }

    /// The record after the call has returned, in shorthand.
    pub fn returned(&self, call: &Call) -> String {
        let record = decoder::exit(Walk::after(&self.capture), Some(call));
        let result = record.result.as_ref().map(shorthand_result).unwrap_or_default();
        format!("{}{result}", shorthand(&record.args))
    }

    fn memory(mut self, phase: Phase, addr: u64, bytes: &[u8], torn: bool) -> Guest {
        self.capture.begin(phase, GuestAddr(addr));
        self.capture.extend(bytes);
        if torn {
            self.capture.fault();
        }
        self
    }

    fn outcome(mut self, value: i64, failed: bool) -> Guest {
        self.capture.outcome = Some(Outcome { time: Stamp(0), cpu: 0, value, failed });
        self
    }
}

/// Integers as they lie in memory.
pub fn words<const N: usize>(words: [u64; N]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
