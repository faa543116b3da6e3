//! Writes patches into a guest's code, and takes them out again.

use std::collections::BTreeMap;
use std::io;

use kernel::memory::{GuestMemory, PAGE_SIZE, Page, ReadError};
use kernel::ptrace::{Stopped, Tracee as Ptraced, gone};

use crate::sites::Patch;

/// The instruction of a breakpoint.
const INT3: u8 = 0xcc;

/// Writes those of the patches at whose places the memory is what they expect, and returns them.
/// No other thread can come by meanwhile.
pub fn write_all(stopped: &Ptraced<Stopped>, mut patches: Vec<Patch>) -> io::Result<Vec<Patch>> {
    let mut text = Text::read(stopped, &patches)?;
    patches.retain(|patch| text.replace(patch));
    // Trampolines before the jumps to them.
    let mut pieces = join(patches.iter().map(|patch| (patch.trampoline, patch.bytes.as_slice())));
    pieces.extend(text.changed());
    stopped.write_many(pieces.iter().map(|(address, bytes)| (*address, bytes.as_slice())))?;
    Ok(patches)
}

/// Writes a patch whose window is single, if the memory at its place is what it expects. Other
/// threads may come by meanwhile.
pub fn write_between(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<bool> {
    let mut text = Text::read(stopped, std::slice::from_ref(patch))?;
    if !text.replace(patch) {
        return Ok(false);
    }
    stopped.write_many([(patch.trampoline, patch.bytes.as_slice())])?;
    patch.jumps().try_for_each(|(at, jump)| exchange(stopped, at, jump))?;
    Ok(true)
}

/// Puts back what was at a site, if the jump is still there. A board stays as it is: a thread may be
/// there.
pub fn undo(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<()> {
    unless_unwritable(undo_mapped(stopped, patch))
}

fn undo_mapped(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<()> {
    let mut last = patch.jumps().rev().take(1);
    last.try_for_each(|(at, jump)| undo_jump(stopped, patch, at, jump))
}

/// Puts back what was on a board, behind whose site [`undo`] has put back what was there. No thread
/// may be on it.
pub fn undo_board(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<()> {
    let mut others = patch.jumps().rev().skip(1);
    unless_unwritable(others.try_for_each(|(at, jump)| undo_jump(stopped, patch, at, jump)))
}

fn undo_jump(stopped: &Ptraced<Stopped>, patch: &Patch, at: u64, jump: &[u8]) -> io::Result<()> {
    if stopped.peek(at)?.to_le_bytes()[..jump.len()] != *jump {
        return Ok(());
    }
    exchange(stopped, at, patch.original(at, jump.len()))
}

/// Writes one instruction over another one while other threads may come by: these find the old one,
/// the new one, or a breakpoint that holds them up until the new one is there.
fn exchange(stopped: &Ptraced<Stopped>, start: u64, new: &[u8]) -> io::Result<()> {
    let first = start & !7;
    let place = (start - first) as usize;
    let (in_first, in_second) = new.split_at(new.len().min(8 - place));
    let mut word = stopped.peek(first)?.to_le_bytes();
    word[place..place + in_first.len()].copy_from_slice(in_first);
    if !in_second.is_empty() {
        let mut held = word;
        held[place] = INT3;
        stopped.poke(first, u64::from_le_bytes(held))?;
        let mut second = stopped.peek(first + 8)?.to_le_bytes();
        second[..in_second.len()].copy_from_slice(in_second);
        stopped.poke(first + 8, u64::from_le_bytes(second))?;
    }
    stopped.poke(first, u64::from_le_bytes(word))
}

/// Memory that is not there or cannot be written (`EIO`) leaves a site as it is: text at the end of
/// its mapping, or a trampoline's place of which only the maker of a copied address space knows.
pub fn unless_unwritable(patched: io::Result<()>) -> io::Result<()> {
    match patched {
        Err(error) if error.raw_os_error() == Some(libc::EIO) => Ok(()),
        patched => patched,
    }
}

/// Pages of a guest's code, as they are to be.
struct Text {
    /// By their addresses; whether anything is changed.
    pages: BTreeMap<u64, (Page, bool)>,
}

impl Text {
    /// The pages that these patches are about, as far as they can be read.
    fn read(stopped: &Ptraced<Stopped>, patches: &[Patch]) -> io::Result<Text> {
        let ends = |patch: &Patch| [patch.first, patch.first + patch.expected.len() as u64 - 1];
        let mut addresses: Vec<u64> = patches.iter().flat_map(ends).map(page_of).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut pages = vec![[0; PAGE_SIZE]; addresses.len()];
        let read = GuestMemory::new().read_pages(stopped.tid(), &addresses, &mut pages).map_err(
            |error| match error {
                ReadError::Gone { .. } => gone(),
                other => io::Error::other(other),
            },
        )?;
        let pages = addresses.into_iter().zip(pages).zip(read).filter(|(_, read)| *read);
        Ok(Text { pages: pages.map(|((at, page), _)| (at, (page, false))).collect() })
    }

    /// Puts a patch's jump in its place, if the memory there is what it expects.
    fn replace(&mut self, patch: &Patch) -> bool {
        let expected = (patch.first..).zip(&patch.expected);
        if !expected.into_iter().all(|(at, byte)| self.byte(at) == Some(*byte)) {
            return false;
        }
        for (at, byte) in patch.jumps().flat_map(|(at, jump)| (at..).zip(jump)) {
            if let Some((page, changed)) = self.pages.get_mut(&page_of(at)) {
                page[at as usize % PAGE_SIZE] = *byte;
                *changed = true;
            }
        }
        true
    }

    fn byte(&self, at: u64) -> Option<u8> {
        self.pages.get(&page_of(at)).map(|(page, _)| page[at as usize % PAGE_SIZE])
    }

    /// The pages that are changed, neighbours together.
    fn changed(&self) -> Vec<(u64, Vec<u8>)> {
        let changed = self.pages.iter().filter(|(_, (_, changed))| *changed);
        join(changed.map(|(at, (page, _))| (*at, page.as_slice())))
    }
}

/// Joins pieces that lie behind one another.
fn join<'b>(pieces: impl Iterator<Item = (u64, &'b [u8])>) -> Vec<(u64, Vec<u8>)> {
    let mut joined: Vec<(u64, Vec<u8>)> = Vec::new();
    for (at, bytes) in pieces {
        match joined.last_mut() {
            Some((start, before)) if *start + before.len() as u64 == at => before.extend(bytes),
            _ => joined.push((at, bytes.to_vec())),
        }
    }
    joined
}

fn page_of(address: u64) -> u64 {
    address & !(PAGE_SIZE as u64 - 1)
}

#[cfg(test)]
mod tests;
