//! The worlds, and how a program is run in each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::guests::Guests;
use super::super::notes::Notes;
use super::super::options::Options;
use super::super::row;
use super::super::rows::Guest;
use super::super::run;
use super::super::tracer::Files;

/// Where a program can run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum World {
    /// On the host: the measure of all others.
    Native,
    /// `shunpike run` at this path, with this name and these options.
    Shunpike(PathBuf, &'static str, &'static [&'static str]),
    /// A peer: its name, and the words before the program's.
    Peer(&'static str, &'static [&'static str]),
    /// User-mode Linux, with these options; its first process is this program, which runs the other.
    Uml(&'static str, &'static [&'static str], PathBuf),
}

/// `shunpike run`: without a module, and with the host's root at another path, by either module.
const OURS: [(&str, &[&str]); 3] =
    [("null", &[]), ("unreal", &["--unreal"]), ("map", &["--map=/mapped=/"])];

/// The peers, by names that `--peers` takes up to their first space.
const PEERS: [(&str, &[&str]); 5] = [
    ("proot", &["proot"]),
    ("proot /mapped", &["proot", "-b", "/:/mapped"]),
    ("fakeroot", &["fakeroot"]),
    ("bwrap", &["bwrap", "--dev-bind", "/", "/"]),
    ("umview", &["umview", "-q"]),
];

const UML: [(&str, &[&str]); 2] = [("uml", &[]), ("uml nosysemu", &["nosysemu"])];
/// What user-mode Linux is told in any case.
const UML_OPTIONS: [&str; 8] = [
    "rootfstype=hostfs",
    "rootflags=/",
    "rw",
    "mem=1G",
    "quiet",
    "con=null",
    // What it has to say of these itself it says behind the first process's words.
    "root=98:0",
    "console=tty0",
];

/// The names by which peers are chosen.
pub fn peers() -> impl Iterator<Item = &'static str> {
    PEERS.iter().chain(&UML).map(|(name, _)| *name).filter(|name| !name.contains(' '))
}

/// Native, then every world that works here and was asked for.
pub fn available(
    shunpike: &Path,
    guests: &Guests,
    options: &Options,
    files: &Files,
    notes: &mut Notes,
) -> Vec<World> {
    let ours = OURS.map(|(name, words)| World::Shunpike(shunpike.to_owned(), name, words));
    let peers = PEERS.map(|(name, words)| World::Peer(name, words));
    let mut candidates: Vec<World> = ours.into_iter().chain(peers).collect();
    match &guests.within {
        Ok(within) => {
            candidates.extend(UML.map(|(name, words)| World::Uml(name, words, within.clone())));
        }
        Err(reason) => notes.drop("uml", reason),
    }
    let mut worlds = vec![World::Native];
    let nothing = Guest { program: "/bin/true".into(), args: Vec::new(), directory: None };
    for world in candidates {
        if !world.is_wanted(options) {
            continue;
        }
        match world.is_its_own().and_then(|()| world.run(&nothing, files)) {
            Ok(_) => worlds.push(world),
            Err(reason) => notes.drop(world.name(), &reason),
        }
    }
    worlds
}

/// What one run in a world has told.
#[derive(Debug)]
pub struct Once {
    /// The program's time.
    pub elapsed: Duration,
    /// The same with the start and the end of the world, where that is not counted.
    pub lasted: Duration,
    pub toll: Vec<row::TollLine>,
}

impl World {
    /// What its column is called.
    pub fn name(&self) -> &'static str {
        match self {
            World::Native => "native",
            World::Shunpike(_, name, _) | World::Peer(name, _) | World::Uml(name, ..) => name,
        }
    }

    /// What stands before the host's paths in it, where it shows them elsewhere too.
    pub fn prefix(&self) -> &'static str {
        match self {
            World::Shunpike(_, "unreal", _) => "/unreal",
            World::Shunpike(_, "map", _) | World::Peer("proot /mapped", _) => "/mapped",
            _ => "",
        }
    }

    /// That where it shows the host's paths the host has nothing: what is there changes the measure, and a
    /// proot that is ended leaves the place that it has made.
    fn is_its_own(&self) -> Result<(), String> {
        let prefix = self.prefix();
        match !prefix.is_empty() && Path::new(prefix).exists() {
            true => Err(format!("there is a {prefix} here; remove it")),
            false => Ok(()),
        }
    }

    fn is_wanted(&self, options: &Options) -> bool {
        let is_peer = matches!(self, World::Peer(..) | World::Uml(..));
        let name = self.name().split(' ').next().unwrap_or_default();
        let is_among = |peers: &Vec<String>| peers.iter().any(|peer| peer == name);
        !is_peer || options.peers.as_ref().is_none_or(is_among)
    }

    /// The command that runs a program there.
    fn command(&self, guest: &Guest, files: &Files) -> Command {
        let mut words: Vec<OsString> = Vec::new();
        match self {
            World::Native => {}
            World::Shunpike(path, _, options) => {
                let mut toll = OsString::from("--toll=");
                toll.push(&files.toll);
                words.extend([path.into(), "run".into(), toll]);
                words.extend(options.iter().map(OsString::from));
            }
            World::Peer(_, before) => words.extend(before.iter().map(OsString::from)),
            World::Uml(_, options, within) => {
                let mut init = OsString::from("init=");
                init.push(within);
                words.push("linux.uml".into());
                words.extend(UML_OPTIONS.iter().chain(*options).map(OsString::from));
                // The console of the machine is what the first process prints to.
                words.extend(["con0=null,fd:1".into(), init, "--".into()]);
                words.push(guest.directory.as_deref().unwrap_or(Path::new("/")).into());
            }
        }
        let mut command = match self {
            World::Uml(..) => in_one_line(guest).behind(words),
            _ => guest.behind(words),
        };
        command.env("HOME", "/tmp");
        command
    }

    /// Runs a program there. Fails, with the reason, if it does.
    pub fn run(&self, guest: &Guest, files: &Files) -> Result<Once, String> {
        let command = self.command(guest, files);
        if let World::Uml(..) = self {
            let run = run::run(command, Stdio::piped(), &files.stderr)?;
            let seconds = row::printed(&run.stdout.replace('\r', ""), "elapsed")?;
            let elapsed = Duration::from_secs_f64(seconds);
            return Ok(Once { elapsed, lasted: run.elapsed, toll: Vec::new() });
        }
        let run = run::run(command, Stdio::null(), &files.stderr)?;
        let toll = match self {
            World::Shunpike(..) => row::read_toll(&files.toll)?,
            _ => Vec::new(),
        };
        Ok(Once { elapsed: run.elapsed, lasted: run.elapsed, toll })
    }
}

/// A program whose words are words still when a kernel has taken its command line apart.
fn in_one_line(guest: &Guest) -> Guest {
    let quoted = |word: &String| match word.contains(' ') {
        true => format!("\"{word}\""),
        false => word.clone(),
    };
    let args = guest.args.iter().map(quoted).collect();
    Guest { program: guest.program.clone(), args, directory: guest.directory.clone() }
}
