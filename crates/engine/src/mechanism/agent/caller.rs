//! Threads with an agent that make calls for the supervisor.

use std::io;

use contract::Pid;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Failure, RemoteCalls};
use kernel::wait::Stop;

use super::obstacles::NO_VDSO;
use super::place::Map;
use super::{Agent, STUB};
use crate::session::Session;

/// A process whose threads make calls for the supervisor.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    pub process: i32,
    /// It ignores `SIGTRAP`.
    pub ignores_trap: bool,
    /// It lives on should the supervisor be killed.
    pub is_outlived: bool,
}

impl Session {
    pub(super) fn caller(&mut self, process: Pid) -> Caller {
        let is_outlived = self.is_outlived();
        match &mut self.agent {
            Some(agent) => agent.caller(process, is_outlived),
            None => Caller { process: process.0, ignores_trap: true, is_outlived },
        }
    }
}

impl Agent {
    pub(super) fn caller(&mut self, process: Pid, is_outlived: bool) -> Caller {
        let ignores_trap = self.actions.ignores_trap(process);
        Caller { process: process.0, ignores_trap, is_outlived }
    }
}

impl Caller {
    /// Prepares a thread in whose address space the agent is. Where that is outlived, dispatch must let
    /// its calls pass.
    pub fn begin(self, stopped: Ptraced<Stopped>, stop: Stop) -> Result<RemoteCalls, Failure> {
        if !self.is_outlived {
            let stub = Some(STUB);
            return RemoteCalls::begin(self.process, stopped, stop, stub, self.ignores_trap);
        }
        match Map::read(self.process).spot() {
            Some(spot) => self.begin_at(stopped, stop, spot),
            None => Err(Failure::Unfit(stopped, io::Error::other(NO_VDSO))),
        }
    }

    /// The same by code at this address, which no thread executes.
    pub fn begin_at(
        self,
        stopped: Ptraced<Stopped>,
        stop: Stop,
        spot: u64,
    ) -> Result<RemoteCalls, Failure> {
        if self.is_outlived {
            RemoteCalls::begin_outliving(self.process, stopped, stop, spot)
        } else {
            RemoteCalls::begin_at(self.process, stopped, stop, spot, self.ignores_trap)
        }
    }
}
