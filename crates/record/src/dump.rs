//! The data that a call has read or written, byte by byte: `-e read`, `-e write`.

use contract::{Arch, Capture, GuestAddr, Phase};
use table::Id;
use table::arch::x86_64::*;

use crate::place::Place;

/// Which way data goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the guest: known when the call has returned, as far as its result says.
    Read,
    /// From the guest: all that it has asked to be written, whatever came of that.
    Write,
}

/// Where a call's data is. Its descriptor is its first argument.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// At the second argument; if written, of as many bytes as the third argument says.
    Buffer,
    /// In the buffers of a vector at the second argument, of as many elements as the third says.
    Vector,
    /// In those of a `struct msghdr` at the second argument.
    Message,
    /// In those of a vector of `struct mmsghdr` at the second argument.
    Messages,
}

/// Every call whose data can be dumped.
const DUMPED: [(Id, Direction, Data); 19] = [
    (READ, Direction::Read, Data::Buffer),
    (PREAD64, Direction::Read, Data::Buffer),
    (RECVFROM, Direction::Read, Data::Buffer),
    (MQ_TIMEDRECEIVE, Direction::Read, Data::Buffer),
    (READV, Direction::Read, Data::Vector),
    (PREADV, Direction::Read, Data::Vector),
    (PREADV2, Direction::Read, Data::Vector),
    (RECVMSG, Direction::Read, Data::Message),
    (RECVMMSG, Direction::Read, Data::Messages),
    (WRITE, Direction::Write, Data::Buffer),
    (PWRITE64, Direction::Write, Data::Buffer),
    (SENDTO, Direction::Write, Data::Buffer),
    (MQ_TIMEDSEND, Direction::Write, Data::Buffer),
    (WRITEV, Direction::Write, Data::Vector),
    (PWRITEV, Direction::Write, Data::Vector),
    (PWRITEV2, Direction::Write, Data::Vector),
    (VMSPLICE, Direction::Write, Data::Vector),
    (SENDMSG, Direction::Write, Data::Message),
    (SENDMMSG, Direction::Write, Data::Messages),
];

/// A part of what a call has read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part<'a> {
    /// The message of this number begins, with so many buffers.
    Message {
        /// Its number, from 0 on.
        index: u64,
        /// How many buffers it has.
        buffers: u64,
    },
    /// The buffer of this number begins, with so many bytes.
    Buffer {
        /// Its number within its vector, from 0 on.
        index: u64,
        /// How many bytes it has.
        len: u64,
    },
    /// Data.
    Data {
        /// Where it is in the guest.
        addr: GuestAddr,
        /// As much of it as could be read.
        bytes: &'a [u8],
        /// How many bytes there are.
        len: u64,
    },
}

/// The calls whose data can be dumped that goes one way, by number.
pub fn calls(wanted: Direction) -> impl Iterator<Item = u64> {
    let calls = DUMPED.iter().filter(move |(_, direction, _)| *direction == wanted);
    calls.map(|(id, ..)| id.number.into())
}

/// The descriptor whose data a call reads or writes, if it is one whose data can be dumped.
pub fn descriptor(call: &Capture) -> Option<(Direction, u32)> {
    let (direction, _) = of(call)?;
    let fd = u32::try_from(call.args[0] as i32).ok()?;
    Some((direction, fd))
}

/// The data of a call, in its order.
pub fn dump(call: &Capture) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let Some((direction, data)) = of(call) else { return parts };
    let read = call.success().and_then(|read| u64::try_from(read).ok());
    // What is written is as long as it says; of what is read the result tells how much there is.
    let (Some(mut left), Some(count)) = (match direction {
        Direction::Write => {
            (Some(u64::MAX), Some(call.success().map_or(call.args[2], |n| n as u64)))
        }
        Direction::Read => (read, read),
    }) else {
        return parts;
    };
    let dumper = Dumper { call, direction, word: if call.arch == Arch::X86_64 { 8 } else { 4 } };
    let addr = GuestAddr(call.args[1]);
    match data {
        Data::Buffer => dumper.data(addr, call.args[2].min(left), &mut parts),
        Data::Vector => dumper.vector(addr, call.args[2], &mut left, &mut parts),
        Data::Message => {
            if let Some([addr, len]) = dumper.message(addr) {
                dumper.vector(GuestAddr(addr), len, &mut left, &mut parts);
            }
        }
        Data::Messages => dumper.messages(addr, count.min(call.args[2]), &mut parts),
    }
    parts
}

fn of(call: &Capture) -> Option<(Direction, Data)> {
    let number = call.arch.native_number(call.number);
    let (_, direction, data) = DUMPED.iter().find(|(id, ..)| number == u64::from(id.number))?;
    Some((*direction, *data))
}

/// Finds a call's data in its capture.
struct Dumper<'a> {
    call: &'a Capture,
    direction: Direction,
    /// The size of a pointer, in bytes.
    word: usize,
}

impl<'a> Dumper<'a> {
    /// What was copied at an address, when the data was there.
    fn copy(&self, addr: GuestAddr) -> Option<&'a [u8]> {
        let at =
            |phase| self.call.spans_at(phase, addr).map(|(_, bytes)| bytes).max_by_key(|b| b.len());
        match self.direction {
            Direction::Read => at(Phase::Exit).or_else(|| at(Phase::Entry)),
            Direction::Write => at(Phase::Entry),
        }
    }

    fn words<const N: usize>(&self, bytes: &[u8]) -> Option<[u64; N]> {
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            let bytes = bytes.get(index * self.word..)?.get(..self.word)?;
            *word = Place::Memory(bytes).number(if self.word == 8 {
                table::Width::U64
            } else {
                table::Width::U32
            });
        }
        Some(words)
    }

    fn data(&self, addr: GuestAddr, len: u64, parts: &mut Vec<Part<'a>>) {
        let Some(bytes) = self.copy(addr).filter(|_| len > 0) else { return };
        let bytes = &bytes[..bytes.len().min(usize::try_from(len).unwrap_or(usize::MAX))];
        parts.push(Part::Data { addr, bytes, len });
    }

    /// The buffers of a vector, up to the first one that is empty.
    fn vector(&self, addr: GuestAddr, count: u64, left: &mut u64, parts: &mut Vec<Part<'a>>) {
        let Some(vector) = self.copy(addr) else { return };
        for (index, element) in (0..count).zip(vector.chunks_exact(2 * self.word)) {
            let Some([addr, len]) = self.words(element) else { return };
            let len = len.min(*left);
            if len == 0 {
                return;
            }
            *left -= len;
            parts.push(Part::Buffer { index, len });
            self.data(GuestAddr(addr), len, parts);
        }
    }

    /// The vector of a message: where it is, and how many elements it has.
    fn message(&self, addr: GuestAddr) -> Option<[u64; 2]> {
        self.header(self.copy(addr)?)
    }

    fn header(&self, header: &[u8]) -> Option<[u64; 2]> {
        // Behind the name and its length.
        self.words(header.get(2 * self.word..)?)
    }

    fn messages(&self, addr: GuestAddr, count: u64, parts: &mut Vec<Part<'a>>) {
        // The header's seven words, and what has been sent or received.
        let size = 8 * self.word;
        let Some(messages) = self.copy(addr) else { return };
        for (index, message) in (0..count).zip(messages.chunks_exact(size)) {
            let Some([addr, buffers]) = self.header(message) else { return };
            let mut left = match self.direction {
                Direction::Read => {
                    Place::Memory(&message[size - self.word..]).number(table::Width::U32)
                }
                Direction::Write => u64::MAX,
            };
            parts.push(Part::Message { index, buffers });
            self.vector(GuestAddr(addr), buffers, &mut left, parts);
        }
    }
}
