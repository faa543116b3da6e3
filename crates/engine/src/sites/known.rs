//! What is known of executable files and their sites, in a session and from earlier ones.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use kernel::proc::mappings::Version;

use super::cache::{self, Cache, Entry};
use super::{Decline, Text, Window};

/// So many files are known at the same time; each may have an open descriptor.
const FILES_MAX: usize = 128;

/// So many sites are remembered of a program at most. One that uses more does now this, now that.
const USED_MAX: usize = 1024;

/// The executable files that are known.
#[derive(Debug)]
pub struct Known {
    files: HashMap<Version, Rc<Code>>,
    cache: Cache,
}

/// An executable file, and what is known of its sites. Addresses are offsets in the file.
#[derive(Debug)]
pub struct Code {
    version: Version,
    entry: RefCell<Entry>,
    /// There is something that the cache does not hold.
    learned: Cell<bool>,
    text: OnceCell<Option<Text>>,
    /// Where it is a program: it made many calls when it last ran.
    makes_many: Cell<bool>,
}

impl Known {
    /// What the cache in a directory holds, if one is given.
    pub fn new(cache: Option<PathBuf>) -> Known {
        Known { files: HashMap::new(), cache: Cache::new(cache) }
    }

    /// What is known of a file.
    pub fn file(&mut self, version: Version) -> Rc<Code> {
        if self.files.len() >= FILES_MAX && !self.files.contains_key(&version) {
            self.save();
            self.files.clear();
        }
        let code = self.files.entry(version).or_insert_with(|| {
            Rc::new(Code {
                version,
                entry: RefCell::new(self.cache.load(&version)),
                learned: Cell::new(false),
                text: OnceCell::new(),
                makes_many: Cell::new(false),
            })
        });
        Rc::clone(code)
    }

    /// Whether this program made many calls when it last ran.
    pub fn expects_many(&self, program: &Version) -> bool {
        self.files.get(program).is_some_and(|code| code.makes_many.get())
    }

    /// Whether any did.
    pub fn expects_any(&self) -> bool {
        self.files.values().any(|code| code.makes_many.get())
    }

    /// Keeps what was learned.
    pub fn save(&mut self) {
        for code in self.files.values() {
            if code.learned.take() && cache::is_settled(&code.version) {
                self.cache.save(&code.version, &code.entry.borrow());
            }
        }
    }
}

impl Code {
    /// The window of a site, which is looked for if the site is new. `open` opens the file.
    pub fn window(&self, site: u64, open: impl FnOnce() -> io::Result<File>) -> Option<Rc<Window>> {
        if let Some(window) = self.entry.borrow().sites.get(&site) {
            return window.clone();
        }
        let text = self.text.get_or_init(|| self.open(open)).as_ref()?;
        let window = match text.plan_offset(site) {
            Ok(window) => Some(Rc::new(window)),
            Err(Decline::Read(_)) => return None,
            Err(_) => None,
        };
        self.entry.borrow_mut().sites.insert(site, window.clone());
        self.learned.set(true);
        window
    }

    /// The windows of the sites from which a program is known to make calls, in ascending order.
    pub fn windows_used_by(&self, program: &Code) -> Vec<Rc<Window>> {
        // The file may be the program's own.
        let (entry, program) = (self.entry.borrow(), program.entry.borrow());
        let used = program.habits.get(&self.file()).into_iter().flatten();
        used.filter_map(|site| entry.sites.get(site)?.clone()).collect()
    }

    /// Whether, as a program, it is known to make calls from a file with this inode.
    pub fn uses(&self, inode: u64) -> bool {
        self.entry.borrow().habits.keys().any(|(_, used)| *used == inode)
    }

    /// Notes that this program makes calls from a site of a file.
    pub fn note_use(&self, of: &Code, site: u64) {
        let habits = &mut self.entry.borrow_mut().habits;
        if habits.get(&of.file()).is_some_and(|sites| sites.contains(&site)) {
            return;
        }
        if habits.values().map(BTreeSet::len).sum::<usize>() >= USED_MAX {
            habits.clear();
        }
        habits.entry(of.file()).or_default().insert(site);
        self.learned.set(true);
    }

    /// Notes whether it has made many calls, as a program.
    pub fn expect_many(&self, many: bool) {
        self.makes_many.set(many);
    }

    /// The sites that are known to have none, in ascending order.
    pub fn declined(&self) -> Vec<u64> {
        let sites = &self.entry.borrow().sites;
        sites.iter().filter(|(_, window)| window.is_none()).map(|(site, _)| *site).collect()
    }

    /// What tells it from all other files that are there at the same time.
    fn file(&self) -> (u64, u64) {
        (self.version.device, self.version.inode)
    }

    fn open(&self, open: impl FnOnce() -> io::Result<File>) -> Option<Text> {
        let file = open().ok()?;
        // Another one may have taken its name.
        let same = Version::from(&file.metadata().ok()?) == self.version;
        Text::open(file).ok().filter(|_| same)
    }
}
