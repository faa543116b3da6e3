//! Writing to a stopped thread's memory, wherever it is.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use super::{Stopped, Tracee};
use crate::toll;

impl Tracee<Stopped> {
    /// Writes bytes at each of these addresses, in this order, also where the guest itself may not
    /// write: a private mapping gets pages of its own. No thread of the address space may execute
    /// or read the bytes meanwhile: they are not written at once.
    ///
    /// This is a `write(2)` to `/proc/TID/mem` for each, where the kernel permits that, else
    /// [`Tracee::poke`] for each word.
    ///
    /// # Errors
    /// `EIO` when not all of it is mapped, or a mapping is shared and may not be written.
    pub fn write_many<'b>(
        &self,
        writes: impl IntoIterator<Item = (u64, &'b [u8])>,
    ) -> io::Result<()> {
        toll::count(toll::Kind::Other);
        let mut options = OpenOptions::new();
        let file = options.write(true).custom_flags(libc::O_CLOEXEC);
        let file = file.open(format!("/proc/{}/mem", self.tid)).ok();
        for (address, bytes) in writes {
            if file.as_ref().is_none_or(|file| write(file, address, bytes).is_err()) {
                self.poke_bytes(address, bytes)?;
            }
        }
        // The closing.
        toll::count(toll::Kind::Other);
        Ok(())
    }

    /// Writes bytes by words, with what is around them.
    pub(super) fn poke_bytes(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        let mut at = address;
        let mut rest = bytes;
        while !rest.is_empty() {
            let place = (at % 8) as usize;
            let (now, later) = rest.split_at(rest.len().min(8 - place));
            let mut word = self.peek(at - place as u64)?.to_le_bytes();
            word[place..place + now.len()].copy_from_slice(now);
            self.poke(at - place as u64, u64::from_le_bytes(word))?;
            at += now.len() as u64;
            rest = later;
        }
        Ok(())
    }
}

fn write(file: &File, address: u64, bytes: &[u8]) -> io::Result<()> {
    toll::count(toll::Kind::Other);
    file.write_all_at(bytes, address)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::fork::Child;
    use crate::ptrace::{Options, Tracee};
    use crate::signal;
    use crate::wait::{self, What};

    const LIMIT: Duration = Duration::from_secs(60);
    /// Where the test writes: in the code of nobody.
    static CODE: [u8; 64] = [7; 64];

    #[test]
    fn read_only_memory_is_written() {
        // SAFETY: the body reads memory and makes system calls only.
        let mut guest = unsafe {
            Child::start(LIMIT, || {
                libc::pause();
                0
            })
        }
        .unwrap();
        wait::listen().unwrap();
        let running = Tracee::seize(guest.pid(), Options::default()).unwrap();
        running.interrupt().unwrap();
        let What::Stopped(stopped, _) = wait::next_of(guest.pid()).unwrap().what else {
            panic!("it has ended")
        };
        let at = |offset: u64| CODE.as_ptr() as u64 + offset;
        stopped.write_many([(at(3), [1u8; 10].as_slice()), (at(40), &[2])]).unwrap();
        stopped.poke_bytes(at(21), &[3; 13]).unwrap();
        let mut expected = [7u8; 64];
        expected[3..13].fill(1);
        expected[40] = 2;
        expected[21..34].fill(3);
        let words = (0..8).map(|word| stopped.peek(at(8 * word)).unwrap());
        let found: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        assert_eq!(found, expected);
        assert!(stopped.write_many([(0, [1u8].as_slice())]).is_err());
        signal::send_to_thread(guest.pid(), guest.pid(), libc::SIGKILL).unwrap();
        guest.wait_exit().unwrap();
    }
}
