//! What only a thread itself can tell, by calls that it makes for us.

use kernel::remote::Call;

use super::snapshot::{Snapshot, Told};
use super::{Error, Guest};
use crate::memory::annex::Annex;

/// Where in the annex its answers lie.
const ADDRESS_AT: usize = 0;
const STACK_AT: usize = 8;

impl Guest {
    /// Asks a thread other than the first.
    pub(super) fn ask_thread(
        &mut self,
        pid: i32,
        tid: i32,
        annex: &Annex,
        ignores_trap: bool,
    ) -> Result<Told, Error> {
        let mut told = Told::default();
        if tid == pid {
            return Ok(told);
        }
        annex.put(ADDRESS_AT, &[0; 8]);
        let address = [libc::PR_GET_TID_ADDRESS as u64, Annex::address(ADDRESS_AT), 0, 0, 0, 0];
        let ask = [
            Call { number: libc::SYS_prctl, args: address },
            Call { number: libc::SYS_sigaltstack, args: [0, Annex::address(STACK_AT), 0, 0, 0, 0] },
        ];
        // A kernel without that option leaves the 0.
        self.make_by(tid, pid, annex, ignores_trap, &ask)?;
        let mut address = [0; 8];
        annex.get(ADDRESS_AT, &mut address);
        told.tid_address = u64::from_ne_bytes(address);
        annex.get(STACK_AT, &mut told.alternate_stack);
        Ok(told)
    }

    /// Has all threads of a process but the first, which are held, have their stacks for signal handlers again.
    pub(super) fn put_back_stacks(&mut self, pid: i32, snapshot: &Snapshot) -> Result<(), Error> {
        for (&tid, thread) in snapshot.threads.iter().filter(|(tid, _)| **tid != pid) {
            snapshot.annex.put(STACK_AT, &thread.told.alternate_stack);
            let args = [Annex::address(STACK_AT), 0, 0, 0, 0, 0];
            let set = Call { number: libc::SYS_sigaltstack, args };
            self.make_by(tid, pid, &snapshot.annex, snapshot.process.ignores_trap, &[set])?;
        }
        Ok(())
    }
}
