//! The files that guests have mapped, and what they tell of code.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use contract::{Code, Function};
use gimli::UnwindContext;
use kernel::proc::mappings::{Mapping, Version, mapped_version, open_mapped};

use super::lines::Lines;
use super::memory::Memory;
use super::row::Row;
use super::symbols::Symbols;
use crate::eh_frame::Unwind;
use crate::elf::Elf;

/// The kernel's own file, of which there is only a copy in each guest's memory.
const VDSO: &[u8] = b"[vdso]";
/// It is no longer than this, in bytes.
const VDSO_MAX: u64 = 1 << 16;

/// All files that were met.
#[derive(Debug)]
pub struct Objects {
    /// By what they are, and the path by which they were mapped.
    by_version: HashMap<(Option<Version>, Vec<u8>), Rc<Object>>,
    /// Lines of source are wanted.
    sources: bool,
}

/// A file, or what is known of one that cannot be read.
#[derive(Debug)]
pub struct Object {
    path: Arc<[u8]>,
    elf: Option<Elf>,
    unwind: Option<Unwind>,
    symbols: Symbols,
    lines: Option<Lines>,
    /// Rows of the unwind tables that were needed, by address.
    rows: RefCell<HashMap<u64, Option<Rc<Row>>>>,
    context: RefCell<Box<UnwindContext<usize>>>,
    /// Places that were met: by where they are in the file, and whether a call goes on there.
    places: RefCell<HashMap<(u64, bool), Arc<Code>>>,
}

impl Objects {
    /// None was met yet.
    pub fn new(sources: bool) -> Objects {
        Objects { by_version: HashMap::new(), sources }
    }

    /// The file of a mapping, if it is of one.
    pub fn of(&mut self, mapping: &Mapping, memory: &mut Memory) -> Option<Rc<Object>> {
        let tid = memory.tid;
        let is_vdso = mapping.name == VDSO;
        if mapping.file.is_none() && !is_vdso {
            return None;
        }
        let version = mapped_version(tid.0, mapping).ok();
        // Of a file that has lost its name, another of the same name says nothing.
        let key = (version, mapping.name.clone());
        if let Some(known) = self.by_version.get(&key).filter(|_| version.is_some() || is_vdso) {
            return Some(Rc::clone(known));
        }
        let elf = if is_vdso {
            let len = mapping.range.end - mapping.range.start;
            let mut bytes = vec![0; len.min(VDSO_MAX) as usize];
            let read = memory.read(mapping.range.start, &mut bytes);
            bytes.truncate(read);
            Elf::parse(bytes).ok()
        } else {
            open_mapped(tid.0, mapping).ok().and_then(|file| Elf::open(file).ok())
        };
        let object = Rc::new(Object::new(&mapping.name, elf, self.sources));
        self.by_version.insert(key, Rc::clone(&object));
        Some(object)
    }
}

impl Object {
    fn new(path: &[u8], elf: Option<Elf>, sources: bool) -> Object {
        let unwind = elf
            .as_ref()
            .and_then(|elf| Unwind::read(elf).ok().flatten().or_else(|| Unwind::scan(elf)));
        Object {
            path: path.into(),
            unwind,
            symbols: elf.as_ref().map(Symbols::read).unwrap_or_default(),
            lines: elf.as_ref().filter(|_| sources).and_then(Lines::read),
            elf,
            rows: RefCell::default(),
            context: RefCell::new(Box::new(UnwindContext::new())),
            places: RefCell::default(),
        }
    }

    /// What is known of the code at an offset in the file. Where a call `returns` there, it is the
    /// call that counts, which lies before it and may be its function's last instruction.
    pub fn code(&self, offset: u64, returns: bool) -> Arc<Code> {
        let mut places = self.places.borrow_mut();
        let place = places.entry((offset, returns)).or_insert_with(|| {
            let (function, source) = match self.vaddr(offset, returns) {
                Some(vaddr) => (
                    self.symbols.function_at(vaddr).map(|(name, begin)| Function {
                        name,
                        offset: vaddr - begin + u64::from(returns),
                    }),
                    self.lines.as_ref().and_then(|lines| lines.at(vaddr)),
                ),
                None => (None, None),
            };
            Arc::new(Code { file: Arc::clone(&self.path), offset, function, source })
        });
        Arc::clone(place)
    }

    /// The address of an offset in the file, or of the byte before it.
    fn vaddr(&self, offset: u64, before: bool) -> Option<u64> {
        self.elf.as_ref()?.vaddr(offset.checked_sub(u64::from(before))?)
    }

    /// How to get to the caller of the function at an offset in the file.
    pub fn row(&self, offset: u64, returns: bool) -> Option<(Rc<Row>, &Unwind)> {
        let vaddr = self.vaddr(offset, returns)?;
        let unwind = self.unwind.as_ref()?;
        let mut rows = self.rows.borrow_mut();
        let row = rows.entry(vaddr).or_insert_with(|| {
            let entry = unwind.entry(vaddr)?;
            let mut context = self.context.borrow_mut();
            Row::of(&entry, vaddr, unwind, &mut context).map(Rc::new)
        });
        Some((row.clone()?, unwind))
    }
}
