//! The consumer's side of a ring: reads entries out of bytes that were copied from it.
//!
//! The guest may have written anything there. Whatever it is, reading it ends, and does not fail in
//! another way than by [`Malformed`].

use crate::abi::{Copied, Enter, Entry, Exit, copied, entry};

const HEAD_LEN: usize = size_of::<Entry>();
const COPIED_LEN: usize = size_of::<Copied>();

/// The entries in bytes that begin and end between entries. What is skipped at the end of the ring
/// is left out.
#[derive(Clone, Debug)]
pub struct Entries<'b> {
    bytes: &'b [u8],
}

/// One half of a call.
#[derive(Clone, Debug)]
pub struct Half<'b> {
    /// When it happened, as `rdtsc` gives it.
    pub time: u64,
    /// What it tells but for memory.
    pub what: What,
    /// Copies of guest memory.
    pub copies: Copies<'b>,
}

/// What a half tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A call begins.
    Enter(Enter),
    /// It has returned.
    Exit(Exit),
}

/// Copies of guest memory, in the order in which they were made.
#[derive(Clone, Debug)]
pub struct Copies<'b> {
    bytes: &'b [u8],
    left: u16,
}

/// A copy of guest memory, or the name of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy<'b> {
    /// Where it was; the descriptor.
    pub addr: u64,
    /// What was there; the name.
    pub bytes: &'b [u8],
    /// Whether more was wanted but unreadable.
    pub fault: bool,
    /// It is a name.
    pub is_name: bool,
}

/// The bytes are not what the agent writes: the guest has written over its ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl<'b> Entries<'b> {
    /// The entries in these bytes.
    pub fn new(bytes: &'b [u8]) -> Entries<'b> {
        Entries { bytes }
    }

    /// When the first half happened, as `rdtsc` gives it; `None` if there is none. Where the bytes
    /// are malformed, any time.
    pub fn first_time(&self) -> Option<u64> {
        let mut bytes = self.bytes;
        loop {
            let head = word(bytes, 0).ok()?;
            if (head >> 32) as u16 != entry::SKIP {
                return Some(word(bytes, 8).unwrap_or(0));
            }
            let len = (head as u32 as usize).max(8);
            bytes = bytes.get(len..)?;
        }
    }

    /// Whether the first entry is an exit half from before `until`.
    pub fn exits_before(&self, until: u64) -> bool {
        let is_exit = |head| (head >> 32) as u16 == entry::EXIT;
        word(self.bytes, 0).is_ok_and(is_exit) && word(self.bytes, 8).is_ok_and(|time| time < until)
    }

    /// What has not been read.
    pub fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    /// Takes off the first entry; `None` for one that is skipped.
    fn pop(&mut self) -> Result<Option<Half<'b>>, Malformed> {
        let head = word(self.bytes, 0)?;
        let (len, kind, copies) = (head as u32 as usize, (head >> 32) as u16, (head >> 48) as u16);
        if len < 8 || len % 8 != 0 {
            return Err(Malformed);
        }
        let (entry, rest) = self.bytes.split_at_checked(len).ok_or(Malformed)?;
        self.bytes = rest;
        if kind == entry::SKIP {
            return Ok(None);
        }
        let time = word(entry, 8)?;
        let body = entry.get(HEAD_LEN..).ok_or(Malformed)?;
        let (what, what_len) = match kind {
            entry::ENTER => (What::Enter(enter(body)?), size_of::<Enter>()),
            entry::EXIT => (What::Exit(exit(body)?), size_of::<Exit>()),
            _ => return Err(Malformed),
        };
        let copies = Copies { bytes: &body[what_len..], left: copies };
        copies.check()?;
        Ok(Some(Half { time, what, copies }))
    }
}

impl<'b> Iterator for Entries<'b> {
    type Item = Result<Half<'b>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.bytes.is_empty() {
            match self.pop() {
                Ok(None) => {}
                Ok(Some(half)) => return Some(Ok(half)),
                Err(malformed) => {
                    // Where the next one begins is not known.
                    self.bytes = &[];
                    return Some(Err(malformed));
                }
            }
        }
        None
    }
}

impl<'b> Copies<'b> {
    /// Whether so many copies are there, and nothing behind them.
    fn check(&self) -> Result<(), Malformed> {
        let mut copies = self.clone();
        while copies.left > 0 {
            copies.pop().ok_or(Malformed)?;
        }
        if copies.bytes.is_empty() { Ok(()) } else { Err(Malformed) }
    }

    /// Takes off the first copy.
    fn pop(&mut self) -> Option<Copy<'b>> {
        self.left = self.left.checked_sub(1)?;
        let (head, rest) = self.bytes.split_at_checked(COPIED_LEN)?;
        let addr = word(head, 0).ok()?;
        let size = word(head, 8).ok()?;
        let len = size as u32 as usize;
        let (padded, rest) = rest.split_at_checked(len.checked_next_multiple_of(8)?)?;
        self.bytes = rest;
        let kind = (size >> 32) as u32;
        let (fault, is_name) = (kind == copied::FAULT, kind == copied::NAME);
        Some(Copy { addr, bytes: &padded[..len], fault, is_name })
    }
}

impl<'b> Iterator for Copies<'b> {
    type Item = Copy<'b>;

    fn next(&mut self) -> Option<Copy<'b>> {
        self.pop()
    }
}

fn enter(body: &[u8]) -> Result<Enter, Malformed> {
    let bytes: &[u8; size_of::<Enter>()] = body.first_chunk().ok_or(Malformed)?;
    let (words, _) = bytes.as_chunks();
    let word = |index: usize| u64::from_le_bytes(words[index]);
    let args = [1, 2, 3, 4, 5, 6].map(word);
    Ok(Enter { number: word(0), args, ip: word(7), sp: word(8) })
}

fn exit(body: &[u8]) -> Result<Exit, Malformed> {
    Ok(Exit { value: word(body, 0)? as i64, cpu: word(body, 8)? })
}

/// The word at `at`.
fn word(bytes: &[u8], at: usize) -> Result<u64, Malformed> {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or(Malformed)?;
    Ok(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use proptest::prelude::*;

    /// Bytes that look like entries more often than noise does.
    fn garbage() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            (0u64..200, 0u64..4, 0u64..4).prop_map(|(len, kind, n)| len | kind << 32 | n << 48),
            (0u64..6).prop_map(|len| len * 8),
            0u64..40,
            any::<u64>(),
        ];
        (prop::collection::vec(word, 0..80), 0usize..8).prop_map(|(words, cut)| {
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.truncate(bytes.len().saturating_sub(cut));
            bytes
        })
    }

    proptest! {
        #[test]
        fn whatever_a_guest_writes_is_read_to_an_end(bytes in garbage()) {
            let entries: Vec<_> = Entries::new(&bytes).collect();
            let whole = |half: &Half<'_>| -> usize {
                let copies = half.copies.clone();
                copies.map(|copy| COPIED_LEN + copy.bytes.len()).sum::<usize>() + HEAD_LEN
            };
            let read: usize = entries.iter().flatten().map(whole).sum();
            prop_assert!(read <= bytes.len());
            let failed = entries.iter().position(Result::is_err);
            prop_assert!(failed.is_none_or(|index| index + 1 == entries.len()));
            for half in entries.iter().flatten() {
                prop_assert_eq!(half.copies.clone().count(), usize::from(half.copies.left));
            }
        }
    }

    #[test]
    fn an_entry_cut_short_is_malformed() {
        let exit: [u64; 6] = [48 | 2 << 32 | 1 << 48, 7, -2i64 as u64, 7, 0x1000, 0];
        let bytes: Vec<u8> = exit.iter().flat_map(|word| word.to_le_bytes()).collect();
        let read = |bytes| Entries::new(bytes).map(|half| half.map(|half| half.what)).collect();
        let whole: Vec<_> = read(&bytes);
        assert_eq!(whole, [Ok(What::Exit(Exit { value: -2, cpu: 7 }))]);
        for len in 1..bytes.len() {
            assert_eq!(read(&bytes[..len]), [Err(Malformed)], "{len} bytes");
        }
    }
}
