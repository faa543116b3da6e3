//! Programs that a guest runs.
//!
//! The kernel itself opens a script's interpreter and a program's dynamic loader, by the host's names.
//! Where the guest sees other files there, it is made to run the interpreter or the loader instead, which
//! then open script and program by the guest's names.

use contract::{Arch, Argument, Capture, Element, Guest, GuestAddr, Verdict};
use table::arch::x86_64 as id;

use super::as_given::MOST_SCRIPTS;
use super::caller::OfCall;
use super::processes::Known;
use super::program::{self, Program};
use super::{MapModule, read_path};
use crate::paths::{Errno, Follows, HostTree, Last, Plain, name_of, path_calls, see};

/// A vector of more strings than this is left to the kernel.
const MOST_ARGUMENTS: usize = 1 << 16;

/// A program on its way to run.
struct Run {
    /// The path with which the kernel is to be called; `None`: the guest's own.
    path: Option<Vec<u8>>,
    /// The file's name for the guest, and on the host.
    file: Known,
    /// What takes the place of `argv[0]`, if anything does.
    first: Vec<Element>,
    /// What the guest reads in `/proc/self/exe`.
    program: Known,
}

impl MapModule {
    /// `execve(2)`, `execveat(2)`.
    pub(super) fn exec(&mut self, guest: &mut dyn Guest, call: &Capture) -> Verdict {
        let is_at = u64::from(id::EXECVEAT.number) == call.arch.native_number(call.number);
        let register = u8::from(is_at);
        let Some(text) = read_path(guest, call, call.args[usize::from(register)]) else {
            return Verdict::pass();
        };
        self.processes.will_run(guest.tid(), guest.process(), None);
        if self.runs_as_given(guest, &text) {
            return Verdict::pass();
        }
        let argv = read_vector(guest, call.arch, call.args[usize::from(register) + 1]);
        let run = match self.run(guest, call, &text, argv.first().copied()) {
            Ok(Some(run)) => run,
            Ok(None) => return self.paths(guest, call),
            Err(errno) => return Verdict::error(errno.0),
        };
        let Run { path, first, program, .. } = run;
        let is_known = self.map.guest(&program.host).as_ref() == Some(&program.guest);
        if !is_known || !first.is_empty() {
            self.processes.will_run(guest.tid(), guest.process(), Some(program));
        }
        let mut arguments = Vec::new();
        if let Some(path) = path {
            arguments.push(Argument::path(register, path));
        }
        if !first.is_empty() {
            let rest = argv.iter().skip(1).map(|&at| Element::At(GuestAddr(at)));
            let vector = first.into_iter().chain(rest).collect();
            arguments.push(Argument::vector(register + 1, vector));
        }
        Verdict::with(arguments)
    }

    /// What is to be run in place of this program. `None`: the kernel is to say what it thinks of it.
    fn run(
        &self,
        guest: &dyn Guest,
        call: &Capture,
        text: &[u8],
        argv0: Option<u64>,
    ) -> Result<Option<Run>, Errno> {
        let Some(arg) = path_calls::of(call.arch, call.number).first() else { return Ok(None) };
        let caller = self.caller(guest, call, arg);
        let tree = HostTree::of(guest.process(), guest.tid());
        let seen = see(&self.map, &tree, &caller, text, arg.links.last(&call.args, 0))?;
        let name = name_of(&seen, &caller, text);
        let name = name.or_else(|| self.behind_link(&tree, &seen).ok().flatten());
        let Some(name) = name else { return Ok(None) };
        let file = Known { host: self.map.host(&name), guest: name };
        let mut run = Run { path: seen.path, program: file.clone(), file, first: Vec::new() };
        // The kernel's name for a script is what its interpreter is given.
        let (mut called, is_lost) = caller.called(text);
        for _ in 0..=MOST_SCRIPTS {
            let Ok(found) = self.programs.read(&run.file.host) else { return Ok(Some(run)) };
            match found {
                Program::Alone => return Ok(Some(run)),
                Program::Loaded { by } => {
                    return self.loaded(&tree, caller, run, (&by, &called), argv0).map(Some);
                }
                Program::Script { by, argument } => {
                    let seen = see(&self.map, &tree, &caller, &by, Last::Follow)?;
                    if seen.path.is_none() && run.path.is_none() {
                        return Ok(Some(run));
                    }
                    let Some(name) = name_of(&seen, &caller, &by) else { return Ok(Some(run)) };
                    if is_lost {
                        return Err(Errno::ENOENT);
                    }
                    let mut first = vec![Element::string(&by)];
                    first.extend(argument.map(|argument| Element::string(&argument)));
                    first.push(Element::string(&called));
                    first.extend(run.first.drain(..).skip(1));
                    let file = Known { host: self.map.host(&name), guest: name };
                    // An interpreter with an unchanged path is run by that path.
                    let path = seen.path.or(Some(by.clone()));
                    run = Run { path, program: file.clone(), file, first };
                    called = by;
                }
            }
        }
        Err(Errno::ELOOP)
    }

    /// A program, called so, that needs a loader: run by that, if the kernel would find another.
    fn loaded(
        &self,
        tree: &HostTree,
        caller: OfCall,
        run: Run,
        (by, called): (&[u8], &[u8]),
        argv0: Option<u64>,
    ) -> Result<Run, Errno> {
        let seen = see(&self.map, tree, &caller, by, Last::Follow)?;
        let (Some(path), Some(name)) = (&seen.path, name_of(&seen, &caller, by)) else {
            return Ok(run);
        };
        let host = self.map.host(&name);
        let kernels = std::fs::canonicalize(Plain::of(by).unwrap_or_default().as_path());
        if kernels.is_ok_and(|kernels| kernels == host.as_path()) {
            return Ok(run);
        }
        let Some(own) = caller.below_root(&run.file.guest) else { return Ok(run) };
        let mut first = vec![Element::string(by)];
        let mut given = run.first.into_iter();
        let argv0 = given.next().or(argv0.map(|at| Element::At(GuestAddr(at))));
        let takes_argv0 = program::takes_argv0(&host);
        if let Some(argv0) = argv0.filter(|_| takes_argv0) {
            first.extend([Element::string(b"--argv0"), argv0]);
        }
        // Else the program sees the path, and may go by its last name. One without a slash would be a
        // library's, and by links of processes the loader would find itself.
        let ordinary = caller.resolving(Follows::Ordinary);
        let is_kept = !takes_argv0
            && called.contains(&b'/')
            && see(&self.map, tree, &ordinary, called, Last::Follow).is_ok();
        first.push(Element::string(if is_kept { called } else { own.as_bytes() }));
        first.extend(given);
        Ok(Run { path: Some(path.clone()), first, ..run })
    }
}

/// The pointers of a vector that ends with NULL.
fn read_vector(guest: &mut dyn Guest, arch: Arch, at: u64) -> Vec<u64> {
    let width = if arch == Arch::X86_64 { 8 } else { 4 };
    let mut pointers = Vec::new();
    while at != 0 && pointers.len() < MOST_ARGUMENTS {
        let mut bytes = [0; 8];
        let at = GuestAddr(at.wrapping_add(pointers.len() as u64 * width));
        if guest.read(at, &mut bytes[..width as usize]).is_err() {
            break;
        }
        match u64::from_le_bytes(bytes) {
            0 => break,
            pointer => pointers.push(pointer),
        }
    }
    pointers
}
