//! What is mapped where in a guest, as far as it can be patched.

use std::ops::Range;
use std::rc::Rc;

use agent::abi;
use kernel::proc::mappings::{self, Mapping};

use super::space::{AREA_LEN, Area};
use super::vdso;
use crate::sites::gaps::{self, Growth};
use crate::sites::{Code, Known, Window};

/// The mappings of a process at one moment.
pub struct Map {
    process: i32,
    mappings: Vec<Mapping>,
}

/// A text: code of a file that is mapped in the ordinary way. Only such code is patched.
pub struct Place {
    pub code: Rc<Code>,
    /// Where it is mapped.
    pub text: Range<u64>,
    /// What is added to an offset in the file.
    pub bias: u64,
    /// What a trampoline must reach.
    pub near: Range<u64>,
    process: i32,
    mapping: Mapping,
}

impl Map {
    /// What is mapped now; nothing, if that cannot be read.
    pub fn read(process: i32) -> Map {
        Map { process, mappings: mappings::mappings(process).unwrap_or_default() }
    }

    /// A place for calls at the supervisor's behest, if there is one.
    pub fn spot(&self) -> Option<u64> {
        vdso::spot(&self.mappings)
    }

    /// The text at an address.
    pub fn place(&self, known: &mut Known, site: u64) -> Option<Place> {
        let mapping = self.texts().find(|mapping| mapping.range.contains(&site))?;
        self.place_of(known, mapping)
    }

    /// The program's text, and those from which it is known to make calls.
    pub fn places(&self, known: &mut Known) -> Vec<Place> {
        let mut texts = self.texts();
        // Its interpreter lies above it. Where that is run as a program, it is taken for one.
        let program = texts.next().and_then(|mapping| self.place_of(known, mapping));
        let Some(program) = program else { return Vec::new() };
        let code = Rc::clone(&program.code);
        let used = texts.filter(|text| text.file.is_some_and(|(_, inode)| code.uses(inode)));
        let used = used.filter_map(|mapping| self.place_of(known, mapping));
        [program].into_iter().chain(used).collect()
    }

    fn texts(&self) -> impl Iterator<Item = &Mapping> {
        self.mappings.iter().filter(|mapping| {
            mapping.executable && !mapping.writable && !mapping.shared && mapping.file.is_some()
        })
    }

    fn place_of(&self, known: &mut Known, mapping: &Mapping) -> Option<Place> {
        let version = mappings::mapped_version(self.process, mapping).ok()?;
        // Its data too may be referred to relative to the instruction pointer.
        let of_file = self.mappings.iter().filter(|other| other.file == mapping.file);
        let near = of_file.fold(mapping.range.clone(), |near, other| {
            near.start.min(other.range.start)..near.end.max(other.range.end)
        });
        Some(Place {
            code: known.file(version),
            text: mapping.range.clone(),
            bias: mapping.range.start.wrapping_sub(mapping.offset),
            near,
            process: self.process,
            mapping: mapping.clone(),
        })
    }

    /// Where an area for trampolines can be that reaches all of `near`.
    pub fn room(&self, near: &Range<u64>) -> Option<Area> {
        gaps::find(&self.for_gaps(), near, AREA_LEN).map(Area::new)
    }

    /// An area for trampolines is there, or will be.
    pub fn add_area(&mut self, area: &Area) {
        self.add(area.range.clone());
    }

    /// The agent is there, or will be.
    pub fn add_agent(&mut self) {
        self.add(abi::IMAGE..abi::TABLES_END);
        self.add(abi::ARENA..abi::ARENA_END);
    }

    fn add(&mut self, range: Range<u64>) {
        let behind = self.mappings.partition_point(|mapping| mapping.range.start < range.start);
        self.mappings.insert(
            behind,
            Mapping {
                range,
                readable: false,
                writable: false,
                executable: false,
                shared: false,
                offset: 0,
                file: None,
                name: Vec::new(),
            },
        );
    }

    fn for_gaps(&self) -> Vec<gaps::Mapping> {
        let is_heap = |mapping: &Mapping| mapping.name == b"[heap]";
        // A program that has no heap yet gets it somewhere behind one of its mappings.
        let has_heap = self.mappings.iter().any(is_heap);
        let growth = |mapping: &Mapping| match mapping.name.as_slice() {
            b"[stack]" => Growth::Down,
            _ if is_heap(mapping) || !has_heap && mapping.file.is_some() => Growth::Up,
            _ => Growth::No,
        };
        let convert = |mapping: &Mapping| gaps::Mapping {
            range: mapping.range.clone(),
            growth: growth(mapping),
        };
        self.mappings.iter().map(convert).collect()
    }
}

impl Place {
    /// The window of a site, if it has one.
    pub fn window(&self, site: u64) -> Option<Rc<Window>> {
        let open = || mappings::open_mapped(self.process, &self.mapping);
        self.code.window(site.wrapping_sub(self.bias), open)
    }

    /// The windows of the sites from which a program is known to make calls.
    pub fn windows_used_by(&self, program: &Code) -> Vec<Rc<Window>> {
        let mut windows = self.code.windows_used_by(program);
        windows.retain(|window| self.maps(window.start) && self.maps(window.site));
        windows
    }

    /// Notes that a program has made a call from a site.
    pub fn note_use_by(&self, program: &Code, site: u64) {
        program.note_use(&self.code, site.wrapping_sub(self.bias));
    }

    /// The addresses of the sites that are known to have no window.
    pub fn declined(&self) -> Vec<u64> {
        let sites = self.code.declined().into_iter().filter(|site| self.maps(*site));
        sites.map(|site| site.wrapping_add(self.bias)).collect()
    }

    /// Whether the byte at an offset in the file is mapped here.
    fn maps(&self, offset: u64) -> bool {
        let Range { start, end } = self.text;
        offset.checked_sub(self.mapping.offset).is_some_and(|behind| behind < end - start)
    }
}
