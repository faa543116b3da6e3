//! Patches are written and undone while eight threads make calls there.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use kernel::ptrace::{Options, Stopped, Tracee};
use kernel::wait::{self, What};

use super::{Patch, exchange, undo, write_between};
use crate::sites::Window;

/// How often all sites are patched and put back: as often as takes a few seconds, or a million
/// times for all where `SHUNPIKE_SOAK` is set.
fn rounds() -> usize {
    if std::env::var_os("SHUNPIKE_SOAK").is_some() { 100_000 } else { 1_000 }
}

#[test]
fn threads_come_by_while_patches_are_written_and_undone() {
    let folder = std::env::temp_dir().join(format!("shunpike-races-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(mut guest) = Guest::start(&folder) {
        let patches = guest.patches();
        let stopped = guest.stop();
        let mut rounds = 0..rounds();
        let done = rounds.try_for_each(|round| {
            patches.iter().try_for_each(|patch| {
                match patch.jumps().last() {
                    // What is on a board stays there.
                    Some((start, jump)) if round > 0 && patch.board().is_some() => {
                        exchange(&stopped, start, jump)?;
                    }
                    _ => assert!(write_between(&stopped, patch)?, "{patch:x?}"),
                }
                undo(&stopped, patch)
            })
        });
        // If it has ended by now, it says why.
        if done.is_ok() {
            stopped.detach(0).unwrap();
        }
        guest.end();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// The program `guest.c`, which runs.
struct Guest {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Guest {
    /// `None` and a word why where there is no compiler.
    fn start(folder: &Path) -> Option<Guest> {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mechanism/agent/patch/guest.c");
        let program = folder.join("guest");
        let mut gcc = Command::new("gcc");
        match gcc.args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).status() {
            Err(error) => {
                println!("skipped: gcc: {error}");
                return None;
            }
            Ok(status) => assert!(status.success()),
        }
        let mut command = Command::new(program);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Some(Guest { process, output })
    }

    /// The next line that it prints, which has numbers.
    fn numbers(&mut self) -> Vec<u64> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let numbers: Result<_, _> = line.split_whitespace().map(str::parse).collect();
        numbers.unwrap_or_else(|_| panic!("the guest says {line:?}"))
    }

    /// The patches of its sites.
    fn patches(&mut self) -> Vec<Patch> {
        let numbers = self.numbers();
        let [trampolines, entry, sites @ ..] = numbers.as_slice() else { panic!("{numbers:?}") };
        let short_sites = self.numbers();
        // mov $186, %eax; mov $186, %al, which has no room for the jump.
        let long = sites.iter().map(|start| (start, &[0xb8, 186, 0, 0, 0][..], None));
        let short = short_sites.iter().map(|start| (start, &[0xb0, 186][..], Some([0xcc; 5])));
        let patches = long.chain(short).zip((*trampolines..).step_by(64));
        let patches = patches.map(|((start, code, board), trampoline)| {
            let window = Window::plain(start + code.len() as u64, code, board).unwrap();
            window.patch(0, trampoline, *entry).unwrap()
        });
        patches.collect()
    }

    /// Its first thread, which makes no calls, stopped.
    fn stop(&self) -> Tracee<Stopped> {
        let tid = self.process.id().cast_signed();
        wait::listen().unwrap();
        Tracee::seize(tid, Options::default()).unwrap().interrupt().unwrap();
        match wait::next_of(tid).unwrap().what {
            What::Stopped(stopped, _) => stopped,
            ended => panic!("{ended:?}"),
        }
    }

    /// Sees that all its calls have had the right result, and that some went each way.
    fn end(mut self) {
        drop(self.process.stdin.take());
        let numbers = self.numbers();
        let [calls, taken] = numbers[..] else { panic!("{:?}", self.process.wait()) };
        println!("{calls} calls, {taken} by a jump");
        assert!(taken > 0 && taken < calls, "{taken} of {calls}");
        assert!(self.process.wait().unwrap().success());
    }
}
