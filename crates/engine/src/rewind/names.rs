//! The names of threads: `PR_SET_NAME` of `prctl(2)`.

use kernel::proc;
use kernel::remote::Call;

use super::snapshot::Snapshot;
use super::{Error, Guest};
use crate::memory::annex::Annex;

/// That of a thread.
pub fn of(tid: i32) -> Vec<u8> {
    let name = proc::comm(tid).unwrap_or_default();
    std::os::unix::ffi::OsStringExt::into_vec(name)
}

impl Guest {
    /// Has all threads of a process, which are held, have their names of the snapshot.
    pub(super) fn put_back_names(&mut self, pid: i32, snapshot: &Snapshot) -> Result<(), Error> {
        for (&tid, thread) in
            snapshot.threads.iter().filter(|(tid, thread)| of(**tid) != thread.name)
        {
            snapshot.annex.put(0, &thread.name);
            snapshot.annex.put(thread.name.len(), &[0]);
            let args = [libc::PR_SET_NAME as u64, Annex::address(0), 0, 0, 0, 0];
            let set = Call { number: libc::SYS_prctl, args };
            self.make_by(tid, pid, &snapshot.annex, snapshot.process.ignores_trap, &[set])?;
        }
        Ok(())
    }
}
