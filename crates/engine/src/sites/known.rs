//! What is known of executable files and their sites, in a session and from earlier ones.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use kernel::proc::mappings::Version;

use super::cache::{self, Cache, Sites};
use super::{Decline, Text, Window};

/// So many files are known at the same time; each may have an open descriptor.
const FILES_MAX: usize = 128;

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
    sites: RefCell<Sites>,
    /// There is something that the cache does not hold.
    learned: Cell<bool>,
    text: OnceCell<Option<Text>>,
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
                sites: RefCell::new(self.cache.load(&version)),
                learned: Cell::new(false),
                text: OnceCell::new(),
            })
        });
        Rc::clone(code)
    }

    /// Keeps what was learned.
    pub fn save(&mut self) {
        for code in self.files.values() {
            if code.learned.take() && cache::is_settled(&code.version) {
                self.cache.save(&code.version, &code.sites.borrow());
            }
        }
    }
}

impl Code {
    /// The window of a site, which is looked for if the site is new. `open` opens the file.
    pub fn window(&self, site: u64, open: impl FnOnce() -> io::Result<File>) -> Option<Rc<Window>> {
        if let Some(window) = self.sites.borrow().get(&site) {
            return window.clone();
        }
        let text = self.text.get_or_init(|| self.open(open)).as_ref()?;
        let window = match text.plan_offset(site) {
            Ok(window) => Some(Rc::new(window)),
            Err(Decline::Read(_)) => return None,
            Err(_) => None,
        };
        self.sites.borrow_mut().insert(site, window.clone());
        self.learned.set(true);
        window
    }

    /// The windows of all sites that are known, in ascending order.
    pub fn windows(&self) -> Vec<Rc<Window>> {
        self.sites.borrow().values().flatten().cloned().collect()
    }

    /// The sites that are known to have none, in ascending order.
    pub fn declined(&self) -> Vec<u64> {
        let sites = self.sites.borrow();
        sites.iter().filter(|(_, window)| window.is_none()).map(|(site, _)| *site).collect()
    }

    fn open(&self, open: impl FnOnce() -> io::Result<File>) -> Option<Text> {
        let file = open().ok()?;
        // Another one may have taken its name.
        let same = Version::from(&file.metadata().ok()?) == self.version;
        Text::open(file).ok().filter(|_| same)
    }
}
