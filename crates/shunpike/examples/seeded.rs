//! A module outside of Shunpike: a program gets the same random numbers in each run.
//!
//!     cargo run --example seeded -- 42 python3 -c 'import os; print(os.urandom(4))'
//!
//! `getrandom(2)` is answered. `/dev/urandom` and `/dev/random` are a file of ours: the program gets a
//! descriptor of that, and reads without anybody being asked.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::process;
use std::rc::Rc;

use shunpike::contract::{
    Answer, Birth, CallSet, Capture, Failure, Guest, GuestAddr, Module, Pid, Reply, Tid, Verdict,
    Write,
};
use shunpike::status::Status;
use shunpike::table::arch::x86_64::{GETRANDOM, OPEN, OPENAT};

/// So many bytes does one call get at most, as by `getrandom(2)` of a signal's victim.
const MOST: u64 = 256;
/// The length of the file that stands for the devices, in bytes.
const FILE_LEN: usize = 1 << 20;

fn main() -> Status {
    let mut arguments = env::args_os().skip(1);
    let seed = arguments.next().and_then(|seed| seed.to_str()?.parse().ok());
    let command: Vec<OsString> = arguments.collect();
    let Some(seed) = seed.filter(|_| !command.is_empty()) else {
        eprintln!("usage: seeded SEED PROG [ARGS]");
        return Status::FAILURE;
    };
    run(seed, &command).unwrap_or_else(|error| {
        eprintln!("seeded: {error}");
        Status::FAILURE
    })
}

/// Runs a command whose random numbers begin with this seed.
fn run(seed: u64, command: &[OsString]) -> Result<Status, Failure> {
    let module = Seeded::new(seed)?;
    Ok(shunpike::run::with(vec![Box::new(module)], command, "seeded")?)
}

/// The module.
#[derive(Debug)]
struct Seeded {
    /// What a new process without a maker begins with.
    seed: u64,
    /// Where each process is.
    states: HashMap<Pid, u64>,
    /// What the devices hold.
    file: Rc<File>,
}

impl Seeded {
    fn new(seed: u64) -> io::Result<Seeded> {
        // Nobody needs its name once it is open.
        let path = env::temp_dir().join(format!("seeded-{}", process::id()));
        let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        let mut state = seed;
        file.write_all(&bytes(&mut state, FILE_LEN))?;
        Ok(Seeded { seed, states: HashMap::new(), file: Rc::new(file) })
    }
}

impl Module for Seeded {
    fn name(&self) -> &'static str {
        "seeded"
    }

    fn claims(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        [GETRANDOM, OPEN, OPENAT].iter().for_each(|id| calls.insert(id.number.into()));
        calls
    }

    fn explain(&self) -> Vec<String> {
        vec![format!("random numbers begin with {}", self.seed)]
    }

    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        if call.number == u64::from(GETRANDOM.number) {
            let len = call.args[1].min(MOST);
            let state = self.states.entry(guest.process()).or_insert(self.seed);
            let write = Write { at: GuestAddr(call.args[0]), bytes: bytes(state, len as usize) };
            return Ok(Verdict::answer(Answer { result: Reply::Value(len), writes: vec![write] }));
        }
        // What a path argument leads to is part of the capture.
        let index = if call.number == u64::from(OPEN.number) { 0 } else { 1 };
        match call.string(GuestAddr(call.args[index])) {
            Some(b"/dev/urandom" | b"/dev/random") => {
                Ok(Verdict::hand(Rc::clone(&self.file), call.args[index + 1] as u32))
            }
            _ => Ok(Verdict::pass()),
        }
    }

    fn born(&mut self, birth: &Birth) {
        // A fork goes on where its maker is, as a copy of any generator does.
        if birth.child == birth.process
            && let Some(state) = self.states.get(&birth.parent).copied()
        {
            self.states.insert(birth.process, state);
        }
    }

    fn ended(&mut self, tid: Tid) {
        self.states.remove(&tid);
    }
}

/// The next numbers: `splitmix64`.
fn bytes(state: &mut u64, len: usize) -> Vec<u8> {
    let mut next = || {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| next().to_ne_bytes()).collect();
    bytes.truncate(len);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell reads of both devices, with this seed.
    fn read(seed: u64) -> Vec<u8> {
        let file = env::temp_dir().join(format!("seeded-test-{}-{seed}", process::id()));
        let script = format!(
            "head -c 16 /dev/urandom > '{0}'; head -c 16 /dev/random >> '{0}'",
            file.display()
        );
        let status = run(seed, &["sh".into(), "-c".into(), script.into()]).expect("it runs");
        assert_eq!(status, Status::SUCCESS);
        let read = fs::read(&file).expect("it was written");
        fs::remove_file(&file).expect("it is removed");
        read
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let first = read(42);
        assert_eq!(first.len(), 32);
        assert_eq!(first, read(42));
        assert_ne!(first, read(43));
    }
}
