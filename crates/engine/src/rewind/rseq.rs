//! Restartable sequences: `rseq(2)`. Each thread registers its own soon after it has begun, and may do
//! so once only. So a thread that was captured before that has to give them up on its way back.

use kernel::ptrace::Rseq;
use kernel::remote::Call;

use super::snapshot::Snapshot;
use super::{Error, Guest, Irreversible};

/// `RSEQ_FLAG_UNREGISTER` of `linux/rseq.h`.
const UNREGISTER: u64 = 1;

impl Guest {
    /// Has all threads of a process, which are held, have the same registered as at its snapshot.
    /// The kernel must not write to memory that is about to go.
    pub(super) fn put_back_rseq(&mut self, pid: i32, snapshot: &Snapshot) -> Result<(), Error> {
        for (&tid, thread) in &snapshot.threads {
            let held = self.thread(tid).held.as_ref();
            let held = held.ok_or(Error::Irreversible(Irreversible::lost(tid, pid)))?;
            let now = held.rseq().unwrap_or_default();
            if now == thread.rseq {
                continue;
            }
            let calls = [(now, UNREGISTER), (thread.rseq, 0)];
            let calls = calls.into_iter().filter(|(rseq, _)| rseq.address != 0);
            let calls: Vec<Call> = calls.map(|(rseq, flags)| register(rseq, flags)).collect();
            self.make_by(tid, pid, &snapshot.annex, snapshot.process.ignores_trap, &calls)?;
        }
        Ok(())
    }
}

fn register(rseq: Rseq, flags: u64) -> Call {
    let Rseq { address, len, signature, .. } = rseq;
    Call { number: libc::SYS_rseq, args: [address, len.into(), flags, signature.into(), 0, 0] }
}
