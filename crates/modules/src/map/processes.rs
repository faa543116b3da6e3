//! By what names guests reached their directories and programs, where the kernel knows others.
//!
//! The kernel knows the directory, and which of several names a guest used for it does not matter to any
//! call but to those that tell of it. So a name counts only as long as the kernel's answer is the one
//! for which it was kept: nothing has to be undone when a call fails.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;

use contract::{Birth, Pid, Tid};

use crate::paths::Plain;

/// A file by the name that the kernel tells, and the guest's name for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub host: Plain,
    pub guest: Plain,
}

/// So many directories are known by other names than the map tells.
const OPENED: usize = 64;

/// What threads with `CLONE_FS` share.
#[derive(Clone, Debug, Default)]
struct Directories {
    /// The working directory, and the one before it: which of them it is the kernel tells.
    working: [Option<Known>; 2],
    root: Plain,
}

/// What processes run, where it is another program than the kernel knows, or has another name than the map
/// tells: one table, however often it is cloned.
#[derive(Clone, Debug, Default)]
pub struct Running(Rc<RefCell<HashMap<Pid, Known>>>);

impl Running {
    /// The program's file on the host; `None` if it is the kernel's.
    pub fn program(&self, process: Pid) -> Option<PathBuf> {
        self.of(process).map(|known| known.host.as_path().to_owned())
    }

    fn of(&self, process: Pid) -> Option<Known> {
        self.0.borrow().get(&process).cloned()
    }

    fn set(&self, process: Pid, program: Option<Known>) {
        let mut all = self.0.borrow_mut();
        match program {
            Some(program) => all.insert(process, program),
            None => all.remove(&process),
        };
    }
}

/// All guests' names.
#[derive(Debug, Default)]
pub(super) struct Processes {
    directories: HashMap<Tid, Rc<RefCell<Directories>>>,
    programs: Running,
    /// Programs that threads are about to run.
    coming: HashMap<Tid, (Pid, Option<Known>)>,
    processes: HashMap<Tid, Pid>,
    /// Directories that guests have opened by other names than the map tells, the latest first.
    opened: VecDeque<Known>,
    /// A thread has another directory as `/`, or had it.
    other_roots: bool,
}

impl Processes {
    fn of(&mut self, tid: Tid) -> &Rc<RefCell<Directories>> {
        self.directories.entry(tid).or_default()
    }

    /// The guest's name for its working directory, if the kernel knows that as `host`.
    pub fn working(&self, tid: Tid, host: &Plain) -> Option<Plain> {
        let of = self.directories.get(&tid)?.borrow();
        of.working.iter().flatten().find(|known| known.host == *host).map(|it| it.guest.clone())
    }

    /// The guest's name for a file that it may have opened by another than the map tells: itself, or by the
    /// nearest directory above it that it has opened or gone to. Not by the root, above every file.
    pub fn opened(&self, tid: Tid, host: &Plain) -> Option<Plain> {
        if !self.has_opened() {
            return None;
        }
        let of = self.directories.get(&tid).map(|of| of.borrow());
        let working = of.iter().flat_map(|of| of.working.iter().flatten());
        let latest_first = self.opened.iter().chain(working);
        let names = latest_first.filter_map(|known| Some((known, host.below(&known.host)?)));
        let near = names.filter(|(known, _)| known.host != Plain::ROOT || *host == Plain::ROOT);
        let nearest = near.min_by_key(|(_, rest)| rest.len());
        nearest.map(|(known, rest)| known.guest.join(rest))
    }

    /// Whether any guest has opened something by another name than the map tells.
    pub fn has_opened(&self) -> bool {
        !self.opened.is_empty()
    }

    /// A guest opens a directory by this name.
    pub fn note_opened(&mut self, directory: Known) {
        self.opened.retain(|known| known.host != directory.host);
        self.opened.truncate(OPENED - 1);
        self.opened.push_front(directory);
    }

    /// The thread asks for this working directory; `None`: for one whose name the map tells.
    pub fn change_working(&mut self, tid: Tid, to: Option<Known>) {
        if to.is_none() && !self.directories.contains_key(&tid) {
            return;
        }
        let mut of = self.of(tid).borrow_mut();
        let before = of.working[0].take();
        of.working = [to, before];
    }

    /// Whether this is a thread of a guest's.
    pub fn is_guest(&self, tid: Tid) -> bool {
        self.processes.contains_key(&tid)
    }

    /// The first thread begins.
    pub fn begin(&mut self, tid: Tid, process: Pid) {
        self.processes.insert(tid, process);
    }

    /// The directory that the thread has as `/`.
    pub fn root(&self, tid: Tid) -> Plain {
        self.directories.get(&tid).map(|of| of.borrow().root.clone()).unwrap_or_default()
    }

    /// The thread has another directory as `/` from now on.
    pub fn change_root(&mut self, tid: Tid, to: Plain) {
        self.other_roots = true;
        self.of(tid).borrow_mut().root = to;
    }

    /// Whether any thread has another directory as `/`, or had it.
    pub fn has_other_roots(&self) -> bool {
        self.other_roots
    }

    /// The program of a process, where its name is another than the map tells.
    pub fn program(&self, process: Pid) -> Option<Known> {
        self.programs.of(process)
    }

    /// All such programs.
    pub fn running(&self) -> Running {
        self.programs.clone()
    }

    /// A thread is about to run a program.
    pub fn will_run(&mut self, tid: Tid, process: Pid, program: Option<Known>) {
        self.coming.insert(tid, (process, program));
    }

    /// There is a new thread.
    pub fn born(&mut self, birth: &Birth) {
        let Birth { child, parent, process, directory, .. } = *birth;
        let shared = match directory {
            true => Some(Rc::clone(self.of(parent))),
            false => {
                self.directories.get(&parent).map(|of| Rc::new(RefCell::new(of.borrow().clone())))
            }
        };
        if let Some(shared) = shared {
            self.directories.insert(child, shared);
        }
        let maker = self.processes.get(&parent).copied().unwrap_or(parent);
        self.processes.insert(child, process);
        if process != maker
            && let Some(program) = self.programs.of(maker)
        {
            self.programs.set(process, Some(program));
        }
    }

    /// A thread runs another program.
    pub fn executed(&mut self, from: Tid, to: Tid) {
        if let Some((process, program)) = self.coming.remove(&from) {
            self.programs.set(process, program);
        }
        if from != to
            && let Some(directories) = self.directories.remove(&from)
        {
            self.directories.insert(to, directories);
        }
    }

    /// A thread is no more.
    pub fn ended(&mut self, tid: Tid) {
        self.directories.remove(&tid);
        self.coming.remove(&tid);
        self.processes.remove(&tid);
        self.programs.set(tid, None);
    }
}
