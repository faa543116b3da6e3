//! Brings the agent into an address space.

use std::io;

use agent::abi;
use agent::image::IMAGE_BYTES;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Failure, Image, Part, RemoteCalls};
use kernel::wait::Stop;

use super::arena::{Arena, FILE_AREA, FILE_ARENA, FILE_TABLES, FIRST_SLOTS, Layout, Slot};
use super::caller::Caller;
use super::extent;
use super::obstacles::{NOT_AFFORDED, REFUSED};
use super::patcher::Arrival;
use super::place::{Map, Place};
use super::space::{AREA_LEN, Area, Space};
use crate::session::Session;

/// Where in the file the calls lie that map the rest: behind the image.
const FILE_CALLS: usize = IMAGE_BYTES.len().next_multiple_of(8);

/// Image and tables.
const CODE: Part = Part {
    address: abi::IMAGE,
    len: FILE_AREA,
    offset: 0,
    protection: libc::PROT_READ | libc::PROT_EXEC,
    kind: libc::MAP_PRIVATE,
};
/// A stopped thread. Without a spot it is the only one of its address space.
pub struct Newcomer {
    pub caller: Caller,
    /// What is mapped there, where something is to be patched at once.
    pub map: Option<Map>,
    pub stopped: Ptraced<Stopped>,
    pub stop: Stop,
    /// The address of code that nobody executes.
    pub spot: Option<u64>,
    /// The filter stops `mmap(2)`.
    pub mmap_stops: bool,
}

/// What has come of an attempt, and the thread, stopped as before. It is to be resumed with the
/// signal, unless that is 0.
struct Injected {
    stopped: Ptraced<Stopped>,
    signal: i32,
    /// The thread's slot, to which `%gs` points. The guest's own kernel may refuse.
    slot: Result<Slot, io::Error>,
}

/// The same, for who has it brought in.
pub enum Came {
    /// The agent is there.
    In(Arrived),
    /// It is not, and the ledger says why.
    Not(Ptraced<Stopped>, i32),
}

/// An agent that has just come in.
pub struct Arrived {
    pub stopped: Ptraced<Stopped>,
    pub signal: i32,
    /// The thread's slot.
    pub slot: Slot,
    /// What is known of its address space: its program, and where trampolines can be.
    pub space: Space,
    /// The texts of its program.
    pub places: Vec<Place>,
}

impl Session {
    /// Brings the agent into the address space of a thread; with what is known of its program, where it is
    /// known what is mapped. Then has it make the calls that `then` wants.
    pub(super) fn bring_in(
        &mut self,
        mut thread: Newcomer,
        then: impl FnOnce(&mut RemoteCalls, &Slot) -> Result<(), Failure>,
    ) -> Result<Came, Failure> {
        let Some(agent) = &mut self.agent else { return Ok(Came::Not(thread.stopped, 0)) };
        if !extent::affords(thread.caller.process, agent.layout, FIRST_SLOTS) {
            self.toll.without_agent(NOT_AFFORDED);
            return Ok(Came::Not(thread.stopped, 0));
        }
        let map = thread.map.take();
        let Arrival { program, places, areas } =
            map.map(|map| agent.patcher.arrival(map)).unwrap_or_default();
        let Injected { stopped, signal, slot } =
            inject(thread, agent.mapped_tables(), agent.layout, &areas, then)?;
        let Ok(slot) = slot else {
            self.toll.without_agent(REFUSED);
            return Ok(Came::Not(stopped, signal));
        };
        agent.came = true;
        slot.ask_about_paths(agent.asks_paths);
        let space = Space { program, areas, ..Space::default() };
        Ok(Came::In(Arrived { stopped, signal, slot, space, places }))
    }
}

/// Maps image, tables and arena into the address space of a thread, and areas for trampolines; then
/// has it make the calls that `then` wants.
fn inject(
    thread: Newcomer,
    tables: &[u8],
    layout: Layout,
    areas: &[Area],
    then: impl FnOnce(&mut RemoteCalls, &Slot) -> Result<(), Failure>,
) -> Result<Injected, Failure> {
    let Newcomer { caller, map: _, stopped, stop, spot, mmap_stops } = thread;
    let Caller { process, ignores_trap, .. } = caller;
    let mut calls = match spot {
        Some(spot) => caller.begin_at(stopped, stop, spot)?,
        None => RemoteCalls::begin(process, stopped, stop, None, ignores_trap)?,
    };
    let parts: Vec<Part> =
        [CODE, slots(layout)].into_iter().chain(areas.iter().map(part)).collect();
    let image = Image {
        len: layout.file_len() as usize,
        contents: &[(0, IMAGE_BYTES), (FILE_TABLES as usize, tables)],
        parts: &parts,
        stub: super::STUB,
        room: FILE_CALLS,
        mmap_stops,
    };
    let slot = match calls.bring_in(&image) {
        Ok(memory) => {
            let slot = Arena::new(memory, layout).slot(FIRST_SLOTS).expect("all slots are free");
            then(&mut calls, &slot)?;
            calls.set_gs_base(slot.address());
            Ok(slot)
        }
        Err(Failure::Refused(error)) => Err(error),
        Err(failure) => return Err(failure),
    };
    let (stopped, signal) = calls.finish()?;
    Ok(Injected { stopped, signal, slot })
}

/// The first slots of the arena.
fn slots(layout: Layout) -> Part {
    Part {
        address: abi::ARENA,
        len: FIRST_SLOTS * layout.slot_len(),
        offset: FILE_ARENA,
        protection: libc::PROT_READ | libc::PROT_WRITE,
        kind: libc::MAP_SHARED,
    }
}

/// What is to be mapped for an area: memory of its own, as soon as anything is written there.
fn part(area: &Area) -> Part {
    Part {
        address: area.range.start,
        len: AREA_LEN,
        offset: FILE_AREA,
        protection: libc::PROT_READ | libc::PROT_EXEC,
        kind: libc::MAP_PRIVATE,
    }
}
