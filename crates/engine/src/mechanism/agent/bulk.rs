//! Writes many patches at once, where no thread can come by meanwhile.

use std::collections::BTreeMap;
use std::io;

use kernel::memory::{GuestMemory, PAGE_SIZE, Page, ReadError};
use kernel::ptrace::{Stopped, Tracee as Ptraced, gone};

use crate::sites::{Patch, SYSCALL_LEN};

const SYSCALL: [u8; SYSCALL_LEN as usize] = [0x0f, 0x05];

/// Writes those of the patches at whose places the memory is what the file says, and returns them.
/// Their trampolines lie behind one another.
pub fn write(stopped: &Ptraced<Stopped>, mut patches: Vec<Patch>) -> io::Result<Vec<Patch>> {
    let Some(first) = patches.first().map(|patch| patch.trampoline) else { return Ok(patches) };
    let trampolines: Vec<u8> = patches.iter().flat_map(|patch| patch.bytes.clone()).collect();
    let text = Copy::of(stopped, &patches)?;
    patches
        .retain(|patch| text.has(patch.start, &patch.original) && text.has(patch.site, &SYSCALL));
    // Trampolines before the jumps to them.
    let jumps = patches.iter().map(|patch| (patch.start, patch.jump.as_slice()));
    stopped.write_many([(first, trampolines.as_slice())].into_iter().chain(jumps))?;
    Ok(patches)
}

/// Pages of a guest.
struct Copy {
    /// By their addresses.
    pages: BTreeMap<u64, Page>,
}

impl Copy {
    /// The pages that these patches are about, as far as they can be read.
    fn of(stopped: &Ptraced<Stopped>, patches: &[Patch]) -> io::Result<Copy> {
        let ends = patches.iter().flat_map(|patch| [patch.start, patch.site + SYSCALL_LEN - 1]);
        let mut addresses: Vec<u64> = ends.map(page_of).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut pages = vec![[0; PAGE_SIZE]; addresses.len()];
        let read = GuestMemory::new().read_pages(stopped.tid(), &addresses, &mut pages).map_err(
            |error| match error {
                ReadError::Gone { .. } => gone(),
                other => io::Error::other(other),
            },
        )?;
        let pages = addresses.into_iter().zip(pages).zip(read);
        Ok(Copy { pages: pages.filter(|(_, read)| *read).map(|(page, _)| page).collect() })
    }

    /// Whether these bytes are at the address.
    fn has(&self, address: u64, bytes: &[u8]) -> bool {
        let byte = |at: u64| {
            let page = self.pages.get(&page_of(at))?;
            Some(page[at as usize % PAGE_SIZE])
        };
        (address..).zip(bytes).all(|(at, expected)| byte(at) == Some(*expected))
    }
}

fn page_of(address: u64) -> u64 {
    address & !(PAGE_SIZE as u64 - 1)
}
