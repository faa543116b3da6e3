//! Decides what is patched when. A program mostly does what it did before: the sites in it from which
//! it has made calls are patched when it begins, those in a library at its first call from there; any
//! other at its first call.

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use agent::image::SYMBOLS;
use kernel::proc::mappings::program_version;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Call, Failure};
use kernel::wait::Stop;

use super::caller::Caller;
use super::patch::{unless_unwritable, write_all, write_between};
use super::place::{Map, Place};
use super::space::{AREA_LEN, Area, Site, Space};
use crate::sites::{Code, Known, Window};

/// Patches sites, so that their calls go to the agent.
#[derive(Debug)]
pub struct Patcher {
    known: Known,
}

/// Where a thread makes a call, before or behind which it stands.
pub struct AtSite {
    pub process: i32,
    /// The address of the `syscall`.
    pub site: u64,
    /// No other thread of the address space can be where the jump is written.
    pub alone: bool,
}

/// A program that is about to begin.
#[derive(Default)]
pub struct Arrival {
    /// Its file.
    pub program: Option<Rc<Code>>,
    /// Its text, and those from which it makes calls.
    pub places: Vec<Place>,
    /// Where areas for trampolines can be that reach those of them that it makes calls from.
    pub areas: Vec<Area>,
}

/// What can be patched at a call.
struct Found {
    map: Map,
    place: Place,
    windows: Vec<Rc<Window>>,
}

impl Patcher {
    /// One that remembers what it learns in this directory, if one is given.
    pub fn new(cache: Option<PathBuf>) -> Patcher {
        Patcher { known: Known::new(cache) }
    }

    /// Whether the program that a process is about to begin made many calls when it last ran.
    pub fn expects_many(&self, process: i32) -> bool {
        self.known.expects_any()
            && program_version(process).is_ok_and(|version| self.known.expects_many(&version))
    }

    /// Keeps what was learned.
    pub fn save(&mut self) {
        self.known.save();
    }

    /// A process is about to begin a program, which is to get the agent.
    /// `map` is what is mapped there.
    pub fn arrival(&mut self, mut map: Map) -> Arrival {
        map.add_agent();
        let places = map.places(&mut self.known);
        let program = places.first().map(|place| Rc::clone(&place.code));
        let mut areas: Vec<Area> = Vec::new();
        for place in &places {
            let is_used = |program: &Rc<Code>| !place.windows_used_by(program).is_empty();
            if !program.as_ref().is_some_and(is_used) {
                continue;
            }
            if areas.iter().any(|area| area.serves(&place.near)) {
                continue;
            }
            let Some(area) = map.room(&place.near) else { continue };
            map.add_area(&area);
            areas.push(area);
        }
        Arrival { program, places, areas }
    }

    /// A thread stands behind a call that went through the net: patches its site if that can be; at the
    /// first call from a text, all in it that the program is known to use. The thread is to be resumed with
    /// the signal, unless that is 0.
    pub fn hit(
        &mut self,
        at: AtSite,
        space: &RefCell<Space>,
        stopped: Ptraced<Stopped>,
        caller: Caller,
    ) -> Result<(Ptraced<Stopped>, i32), Failure> {
        let mut space = space.borrow_mut();
        let Some(Found { map, place, windows }) = self.found(&at, &mut space) else {
            return Ok((stopped, 0));
        };
        let (stopped, signal) = reserve(&mut space, caller, stopped, &map, &place)?;
        space.patch_from(&at, &stopped, &place, &windows)?;
        Ok((stopped, signal))
    }

    /// The same where a thread stands before the call, and can make none for us: it comes back behind the
    /// `syscall`, or to it, and both stay as they are. Whether that is all; if not, [`Patcher::hit`] does
    /// the rest.
    pub fn hit_before(
        &mut self,
        at: AtSite,
        space: &RefCell<Space>,
        stopped: &Ptraced<Stopped>,
    ) -> io::Result<bool> {
        let mut space = space.borrow_mut();
        let Some(Found { place, windows, .. }) = self.found(&at, &mut space) else {
            return Ok(true);
        };
        if !space.has_area_for(&place) {
            space.sites.remove(&at.site);
            return Ok(false);
        }
        space.patch_from(&at, stopped, &place, &windows)?;
        Ok(true)
    }

    /// What is to be patched at a call that went through the net; `None` if nothing is.
    fn found(&mut self, at: &AtSite, space: &mut Space) -> Option<Found> {
        if space.sites.contains_key(&at.site) {
            return None;
        }
        space.sites.insert(at.site, Site::Declined);
        let map = Map::read(at.process);
        let place = map.place(&mut self.known, at.site)?;
        let window = place.window(at.site);
        let is_new = at.alone && !space.served.contains(&place.text);
        let mut windows: Vec<Rc<Window>> = window.into_iter().collect();
        if let Some(program) = &space.program {
            place.note_use_by(program, at.site);
            if is_new {
                windows = place.windows_used_by(program);
            }
        }
        (!windows.is_empty()).then_some(Found { map, place, windows })
    }

    /// Notes a call that is about to be made and does not return: its site is patched when the
    /// program runs the next time.
    pub fn note(&mut self, process: i32, space: &RefCell<Space>, site: u64) {
        let mut space = space.borrow_mut();
        let Some(program) = space.program.clone().filter(|_| !space.sites.contains_key(&site))
        else {
            return;
        };
        space.sites.insert(site, Site::Declined);
        if let Some(place) = Map::read(process).place(&mut self.known, site)
            && place.window(site).is_some()
        {
            place.note_use_by(&program, site);
        }
    }
}

impl Space {
    /// Patches all that a program is known to use which has not begun.
    pub fn patch_all(&mut self, stopped: &Ptraced<Stopped>, places: &[Place]) -> io::Result<()> {
        let Some(program) = self.program.clone() else { return Ok(()) };
        for place in places {
            let windows = place.windows_used_by(&program);
            unless_unwritable(self.patch(stopped, place, &windows, true))?;
        }
        Ok(())
    }

    /// Patches sites of a text, among them that of a call, at most once.
    fn patch_from(
        &mut self,
        at: &AtSite,
        stopped: &Ptraced<Stopped>,
        place: &Place,
        windows: &[Rc<Window>],
    ) -> io::Result<()> {
        self.sites.remove(&at.site);
        unless_unwritable(self.patch(stopped, place, windows, at.alone))?;
        self.sites.entry(at.site).or_insert(Site::Declined);
        Ok(())
    }

    fn has_area_for(&self, place: &Place) -> bool {
        self.areas.iter().any(|area| area.serves(&place.near))
    }

    /// Patches sites of a text. `alone`: no other thread can be where the jumps are written.
    fn patch(
        &mut self,
        stopped: &Ptraced<Stopped>,
        place: &Place,
        windows: &[Rc<Window>],
        alone: bool,
    ) -> io::Result<()> {
        let Space { sites, areas, served, interrupted, untraced, .. } = self;
        if alone && !served.contains(&place.text) {
            served.push(place.text.clone());
            for site in place.declined() {
                sites.entry(site).or_insert(Site::Declined);
            }
        }
        let Some(area) = areas.iter_mut().find(|area| area.serves(&place.near)) else {
            return Ok(());
        };
        let mut patches = Vec::new();
        for window in windows {
            let Ok(patch) = window.patch(place.bias, area.free, SYMBOLS.entry) else { continue };
            let safe = if window.single() {
                patch.is_in_one_word() || !*untraced
            } else {
                alone && !interrupted.any_of(&patch.covered)
            };
            if safe && !sites.contains_key(&patch.site) && area.has_room() {
                area.free += patch.bytes.len() as u64;
                patches.push(patch);
            }
        }
        if alone {
            patches = write_all(stopped, patches)?;
        } else {
            let mut written = Vec::new();
            for patch in patches {
                if write_between(stopped, &patch)? {
                    written.push(patch);
                }
            }
            patches = written;
        }
        sites.extend(patches.into_iter().map(|patch| (patch.site, Site::Patched(Rc::new(patch)))));
        Ok(())
    }
}

/// Sees that there is an area with room, if there can be.
fn reserve(
    space: &mut Space,
    caller: Caller,
    stopped: Ptraced<Stopped>,
    map: &Map,
    place: &Place,
) -> Result<(Ptraced<Stopped>, i32), Failure> {
    if space.has_area_for(place) {
        return Ok((stopped, 0));
    }
    let Some(area) = map.room(&place.near) else { return Ok((stopped, 0)) };
    let mut calls = caller.begin(stopped, Stop::Syscall)?;
    let protection = libc::PROT_READ | libc::PROT_EXEC;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    match calls.call(Call::mmap(area.range.start, AREA_LEN, protection, flags, -1, 0)) {
        Ok(_) => space.areas.push(area),
        Err(Failure::Refused(_)) => {}
        Err(failure) => return Err(failure),
    }
    calls.finish()
}
