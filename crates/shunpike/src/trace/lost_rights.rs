//! Programs that would have more rights if nobody traced them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use contract::{Pid, Tid};
use kernel::credentials;
use kernel::gains::{self, Gains};
use kernel::proc;

use crate::cli::{QuietSet, TraceOptions};
use crate::errors::say;

/// The bits of `CAP_SYS_PTRACE` and `CAP_SYS_ADMIN`: who is traced by whom has the one keeps what a program
/// gives, and a filter takes it unless who puts it on has the other.
const NEEDED: u64 = 1 << 19 | 1 << 21;

/// Finds the file of a process's program, where a loader is run in its place.
pub(crate) type ProgramOf = Box<dyn Fn(Pid) -> Option<PathBuf>>;

/// Whether programs may lose what their files give them.
pub(crate) fn may_lose(options: &TraceOptions) -> bool {
    let keeps = may_grant() && options.launch.user.is_none();
    !keeps && !gains::are_off()
}

/// Whether we are somebody under whom programs may gain rights.
fn may_grant() -> bool {
    credentials::effective_capabilities().is_ok_and(|own| own & NEEDED == NEEDED)
}

/// Says once of each program that it runs without what its file gives.
pub(super) struct LostRights {
    /// What the command was called by.
    name: String,
    /// What takes them from each program, and what to do; `None`: nothing does.
    why: Option<&'static str>,
    /// Where loaders are run in the places of programs.
    program_of: ProgramOf,
    /// Of what it was said.
    told: HashSet<Told>,
}

/// A program of which something was said.
#[derive(PartialEq, Eq, Hash)]
enum Told {
    /// By device and inode.
    File(u64, u64),
    /// By what the kernel calls its process: nobody may look at the file.
    Name(OsString),
}

impl LostRights {
    /// `None` where programs gain what they do natively. strace says nothing of it, so neither does `trace`.
    pub(super) fn new(
        options: &TraceOptions,
        program_of: ProgramOf,
        name: &str,
    ) -> Option<LostRights> {
        let run = options.run.as_ref().filter(|_| options.quiet() != QuietSet::ALL)?;
        let why = if !may_lose(options) {
            None
        } else if may_grant() {
            Some("a filter that another user puts on takes them; --mechanism=ptrace leaves them")
        } else {
            Some("who is traced by an ordinary user gains none; root can give them, by --user=NAME")
        };
        let loads = !run.files.places.is_empty() && !gains::are_off();
        let is_wanted = why.is_some() || loads;
        let (name, told) = (name.to_owned(), HashSet::new());
        is_wanted.then_some(LostRights { name, why, program_of, told })
    }

    /// A thread stands before a program that it has executed.
    pub(super) fn look(&mut self, tid: Tid) {
        let executed = PathBuf::from(format!("/proc/{}/exe", tid.0));
        let loaded = (self.program_of)(tid).filter(|own| is_other(own, &executed));
        let why = match &loaded {
            Some(_) => "its loader is run in its place, and gains none",
            None => match self.why {
                Some(why) => why,
                None => return,
            },
        };
        let path = loaded.as_deref().unwrap_or(&executed);
        match gains::of_file(path) {
            Ok(Some(gains)) => self.compare(tid, path, &gains, why),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => self.suspect(tid, why),
            _ => {}
        }
    }

    /// A program's file gives this.
    fn compare(&mut self, tid: Tid, path: &Path, gains: &Gains, why: &str) {
        let Ok(identity) = proc::identity(tid.0) else { return };
        let has = &identity.rights;
        let what = if gains.user.is_some_and(|user| user != has.uid) {
            "the rights of its set-user-ID bit"
        } else if gains.group.is_some_and(|group| group != has.gid) {
            "the rights of its set-group-ID bit"
        } else if gains.capabilities && has.capabilities == 0 {
            "its file's capabilities"
        } else {
            return;
        };
        let (device, inode) = gains.file;
        let program = fs::canonicalize(path);
        if let Ok(program) = program
            && self.told.insert(Told::File(device, inode))
        {
            let (name, program) = (&self.name, program.display());
            say(format_args!("{name}: {program} runs without {what}: {why}"));
        }
    }

    /// A program may only be executed: what its file gives only root can see. Mostly it is for that that
    /// nobody may read it.
    fn suspect(&mut self, tid: Tid, why: &str) {
        let Ok(program) = proc::comm(tid.0) else { return };
        if self.told.insert(Told::Name(program.clone())) {
            let (name, program) = (&self.name, program.display());
            say(format_args!(
                "{name}: {program}, which only its owner may read, runs without what rights its file may give: {why}"
            ));
        }
    }
}

/// Whether these are two files.
fn is_other(one: &Path, other: &Path) -> bool {
    let of = |path| fs::metadata(path).map(|data| (data.dev(), data.ino())).ok();
    of(one).zip(of(other)).is_some_and(|(one, other)| one != other)
}
