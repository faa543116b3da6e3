//! Patches sites, so that their calls go to the agent: those that most programs use, or that were
//! worth it in another program, at the first call from their file; others at their second hit.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use agent::image::SYMBOLS;
use kernel::proc::mappings::{self, Mapping};
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Call, Failure, RemoteCalls};
use kernel::wait::Stop;

use super::bulk;
use super::space::{Area, Site, Space};
use crate::sites::gaps::{self, Growth};
use crate::sites::{JUMP_LEN, Patch, SYSCALL_LEN, Text, Window};

/// The hit of a site at which it is patched.
const HITS: u32 = 2;
/// The instruction of a breakpoint.
const INT3: u8 = 0xcc;
/// Size of an area for trampolines, in bytes.
const AREA_LEN: u64 = 0x1_0000;

/// Executable files, and the windows of their sites.
#[derive(Debug, Default)]
pub struct Files {
    files: HashMap<(u64, u64), Option<Rc<Code>>>,
}

#[derive(Debug)]
struct Code {
    text: Text,
    windows: RefCell<HashMap<u64, Option<Rc<Window>>>>,
    /// Sites that are patched in every program that uses the file: those that many use, and those
    /// that were worth it in another one.
    worthy: RefCell<BTreeSet<u64>>,
}

/// A thread at the exit of a call, and what it takes to patch the site of that call.
pub struct AtSite<'a> {
    pub process: i32,
    pub stopped: Ptraced<Stopped>,
    /// The process ignores `SIGTRAP`.
    pub ignores_trap: bool,
    pub space: &'a RefCell<Space>,
    /// The address of the `syscall`.
    pub site: u64,
    /// No other thread of the address space can be where the jump is written.
    pub alone: bool,
}

impl Files {
    /// Counts a call that went through the net. If it is time, patches its site, and at the first
    /// call from a file all of its sites that are worth it. The thread is to be resumed with the
    /// signal, unless that is 0.
    pub fn hit(&mut self, at: AtSite<'_>) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let mut space = at.space.borrow_mut();
        let served = space.served.iter().any(|text| text.contains(&at.site));
        let hits = match space.sites.entry(at.site).or_insert(Site::Seen(0)) {
            Site::Seen(hits) => {
                *hits += 1;
                *hits
            }
            Site::Patched(_) | Site::Declined => return Ok((at.stopped, 0)),
        };
        if served && hits < HITS {
            return Ok((at.stopped, 0));
        }
        let Some(place) = self.place(at.process, at.site) else {
            space.sites.insert(at.site, Site::Declined);
            return Ok((at.stopped, 0));
        };
        let (stopped, signal) =
            reserve(&mut space, (at.process, at.ignores_trap), at.stopped, &place)?;
        if !served && at.alone {
            unless_unwritable(space.patch_worthy(&stopped, &place))?;
        }
        if matches!(space.sites.get(&at.site), Some(Site::Seen(hits)) if *hits >= HITS) {
            unless_unwritable(space.patch_one(&stopped, &place, at.site, at.alone))?;
        }
        Ok((stopped, signal))
    }

    /// What lies at an address of a process.
    fn place(&mut self, process: i32, site: u64) -> Option<Place> {
        let mappings = mappings::mappings(process).ok()?;
        let mapping = mappings.iter().find(|mapping| mapping.range.contains(&site))?;
        let is_text = mapping.executable && !mapping.writable && !mapping.shared;
        let identity = mapping.file.filter(|_| is_text)?;
        let code = self.files.entry(identity).or_insert_with(|| {
            let file = mappings::open_mapped(process, mapping).ok()?;
            Some(Rc::new(Code::new(file).ok()?))
        });
        let code = Rc::clone(code.as_ref()?);
        let vaddr = code.text.vaddr(mapping.offset + (site - mapping.range.start))?;
        // Its data too may be referred to relative to the instruction pointer.
        let of_file = mappings.iter().filter(|other| other.file == Some(identity));
        let near = of_file.fold(mapping.range.clone(), |near, other| {
            near.start.min(other.range.start)..near.end.max(other.range.end)
        });
        let bias = site.wrapping_sub(vaddr);
        Some(Place { code, bias, text: mapping.range.clone(), near, mappings })
    }
}

struct Place {
    code: Rc<Code>,
    /// What is added to an address of the file.
    bias: u64,
    /// Where the code is mapped.
    text: Range<u64>,
    /// What a trampoline must reach.
    near: Range<u64>,
    mappings: Vec<Mapping>,
}

impl Code {
    fn new(file: File) -> Result<Code, crate::sites::BadFile> {
        let text = Text::open(file)?;
        let worthy = text.likely_sites()?.into_iter().collect();
        Ok(Code { text, windows: RefCell::default(), worthy: RefCell::new(worthy) })
    }

    fn window(&self, site: u64) -> Option<Rc<Window>> {
        let mut windows = self.windows.borrow_mut();
        windows.entry(site).or_insert_with(|| self.text.plan(site).ok().map(Rc::new)).clone()
    }
}

impl Space {
    /// Patches the sites of a file that are worth it, no other thread being there.
    fn patch_worthy(&mut self, stopped: &Ptraced<Stopped>, place: &Place) -> io::Result<()> {
        self.served.push(place.text.clone());
        let worthy = place.code.worthy.borrow();
        let is_new = |site: &u64| {
            let known = self.sites.get(&site.wrapping_add(place.bias));
            matches!(known, None | Some(Site::Seen(_)))
        };
        let windows = worthy.iter().filter(|site| is_new(site));
        let windows = windows.filter_map(|site| place.code.window(*site));
        // No signal handler returns to the middle of one instruction.
        let windows: Vec<_> = windows.filter(|window| window.single()).collect();
        let Some(area) = self.area(&place.near) else { return Ok(()) };
        let mut patches = Vec::new();
        for window in windows {
            if !area.has_room() {
                break;
            }
            let Ok(patch) = window.patch(place.bias, area.free, SYMBOLS.entry) else { continue };
            area.free += patch.bytes.len() as u64;
            patches.push(patch);
        }
        for patch in bulk::write(stopped, patches)? {
            self.sites.insert(patch.site, Site::Patched(Rc::new(patch)));
        }
        Ok(())
    }

    /// Patches a site, or decides never to.
    fn patch_one(
        &mut self,
        stopped: &Ptraced<Stopped>,
        place: &Place,
        site: u64,
        alone: bool,
    ) -> io::Result<()> {
        self.sites.insert(site, Site::Declined);
        let vaddr = site.wrapping_sub(place.bias);
        let window = place.code.window(vaddr).filter(|window| alone || window.single());
        let (Some(window), Some(area)) = (window, self.area(&place.near)) else { return Ok(()) };
        let Ok(patch) = window.patch(place.bias, area.free, SYMBOLS.entry) else { return Ok(()) };
        if write(stopped, &patch)? {
            area.free += patch.bytes.len() as u64;
            self.sites.insert(site, Site::Patched(Rc::new(patch)));
            place.code.worthy.borrow_mut().insert(vaddr);
        }
        Ok(())
    }

    /// An area with room that reaches all of `near`.
    fn area(&mut self, near: &Range<u64>) -> Option<&mut Area> {
        self.areas.iter_mut().find(|area| gaps::reaches(&area.range, near) && area.has_room())
    }
}

impl Area {
    fn has_room(&self) -> bool {
        self.range.end - self.free >= crate::sites::TRAMPOLINE_MAX
    }
}

/// Sees that there is an area with room, if there can be.
fn reserve(
    space: &mut Space,
    (process, ignores_trap): (i32, bool),
    stopped: Ptraced<Stopped>,
    place: &Place,
) -> Result<(Ptraced<Stopped>, i32), Failure> {
    if space.area(&place.near).is_some() {
        return Ok((stopped, 0));
    }
    let mappings: Vec<gaps::Mapping> = place.mappings.iter().map(gap_mapping).collect();
    let Some(start) = gaps::find(&mappings, &place.near, AREA_LEN) else {
        return Ok((stopped, 0));
    };
    let (stop, stub) = (Stop::Syscall, Some(super::STUB));
    let mut calls = RemoteCalls::begin(process, stopped, stop, stub, ignores_trap)?;
    let protection = libc::PROT_READ | libc::PROT_EXEC;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    match calls.call(Call::mmap(start, AREA_LEN, protection, flags, -1, 0)) {
        Ok(_) => space.areas.push(Area { range: start..start + AREA_LEN, free: start }),
        Err(Failure::Refused(_)) => {}
        Err(failure) => return Err(failure),
    }
    calls.finish()
}

/// Memory that is not there or cannot be written (`EIO`) leaves a site as it is: text at the end of
/// its mapping, or a trampoline's place of which only the maker of a copied address space knows.
fn unless_unwritable(patched: io::Result<()>) -> io::Result<()> {
    match patched {
        Err(error) if error.raw_os_error() == Some(libc::EIO) => Ok(()),
        patched => patched,
    }
}

fn gap_mapping(mapping: &Mapping) -> gaps::Mapping {
    let growth = match mapping.name.as_slice() {
        b"[heap]" => Growth::Up,
        b"[stack]" => Growth::Down,
        _ => Growth::No,
    };
    gaps::Mapping { range: mapping.range.clone(), growth }
}

/// Writes the trampoline, then the jump to it, if the guest's memory is what the file says.
fn write(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<bool> {
    let before = stopped.peek(patch.start)?.to_le_bytes();
    let call = stopped.peek(patch.site)?.to_le_bytes();
    if before[..JUMP_LEN] != patch.original || call[..SYSCALL_LEN as usize] != [0x0f, 0x05] {
        return Ok(false);
    }
    stopped.write_many([(patch.trampoline, patch.bytes.as_slice())])?;
    exchange(stopped, patch.start, patch.jump)?;
    Ok(true)
}

/// Puts back what was at a site, if the jump is still there.
pub fn undo(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<()> {
    unless_unwritable(undo_mapped(stopped, patch))
}

fn undo_mapped(stopped: &Ptraced<Stopped>, patch: &Patch) -> io::Result<()> {
    let there = stopped.peek(patch.start)?.to_le_bytes();
    if there[..JUMP_LEN] != patch.jump {
        return Ok(());
    }
    exchange(stopped, patch.start, patch.original)
}

/// Writes one instruction over another one while other threads may come by: these find the old one,
/// the new one, or a breakpoint that holds them up until the new one is there.
fn exchange(stopped: &Ptraced<Stopped>, start: u64, new: [u8; JUMP_LEN]) -> io::Result<()> {
    let first = start & !7;
    let place = (start - first) as usize;
    let (in_first, in_second) = new.split_at(JUMP_LEN.min(8 - place));
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

#[cfg(test)]
mod tests;
