//! A page of code in a guest and memory that it shares with us, for the calls that it makes for us.

use std::io;

use kernel::memory::PAGE_SIZE;
use kernel::remote::{Call, Failure, Image, OnFailure, Part, RemoteCalls, Room, Stub};
use kernel::shared::SharedMemory;

/// Where it is mapped in every guest: behind the agent's image, far from what programs map.
const CODE: u64 = 0x7100_0000;
const PAGE: u64 = PAGE_SIZE as u64;
const DATA: u64 = CODE + PAGE;
/// How many calls are made in one go.
const CALLS: usize = 512;
/// Where the arguments of calls lie, in bytes from the beginning of the shared memory.
const ARGUMENTS: usize = (CALLS * Call::LEN).next_multiple_of(PAGE_SIZE);
const DATA_LEN: usize = ARGUMENTS + Annex::ROOM;

/// The annex of an address space.
#[derive(Debug)]
pub struct Annex {
    memory: SharedMemory,
}

impl Annex {
    /// How many bytes of arguments there is room for.
    pub const ROOM: usize = 8 * PAGE_SIZE;
    /// The code for calls.
    pub const STUB: Stub = Stub::at(CODE);
    /// The addresses from which it makes calls.
    pub const CALLS: std::ops::Range<u64> = CODE..CODE + PAGE;
    /// Its addresses.
    pub const RANGE: std::ops::Range<u64> = CODE..DATA + DATA_LEN as u64;

    /// Maps it into a guest that has none. No other thread of the address space may run.
    pub fn bring_in(calls: &mut RemoteCalls) -> Result<Annex, Failure> {
        let code = Part {
            address: CODE,
            len: PAGE,
            offset: 0,
            protection: libc::PROT_READ | libc::PROT_EXEC,
            kind: libc::MAP_PRIVATE,
        };
        let data = Part {
            address: DATA,
            len: DATA_LEN as u64,
            offset: PAGE,
            protection: libc::PROT_READ | libc::PROT_WRITE,
            kind: libc::MAP_SHARED,
        };
        let image = Image {
            len: PAGE_SIZE + DATA_LEN,
            contents: &[(0, Stub::CODE)],
            parts: &[code, data],
            stub: Annex::STUB,
            room: Stub::CODE.len().next_multiple_of(8),
            mmap_stops: false,
        };
        calls.bring_in(&image).map(|memory| Annex { memory })
    }

    /// Has the guest make calls in this order; see [`RemoteCalls::batch`].
    pub fn make(
        &self,
        calls: &mut RemoteCalls,
        list: &[Call],
        on_failure: OnFailure,
    ) -> Result<Vec<io::Result<u64>>, Failure> {
        let room = Room { memory: &self.memory, offset: PAGE_SIZE, address: DATA, calls: CALLS };
        calls.batch(room, list, on_failure)
    }

    /// The address in the guest of the argument at this place, in bytes.
    pub fn address(place: usize) -> u64 {
        DATA + (ARGUMENTS + place) as u64
    }

    /// Puts bytes where the guest finds them at [`Annex::address`].
    pub fn put(&self, place: usize, bytes: &[u8]) {
        self.memory.copy_in(PAGE_SIZE + ARGUMENTS + place, bytes);
    }

    /// What the guest has there.
    pub fn get(&self, place: usize, bytes: &mut [u8]) {
        self.memory.copy_out(PAGE_SIZE + ARGUMENTS + place, bytes);
    }
}
