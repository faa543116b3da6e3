//! Programs are rewound.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use engine::rewind::{End, Guest, Point};
use kernel::memory_file;
use kernel::spawn::Program;

const LIMIT: Duration = Duration::from_secs(60);

/// What a program reads and writes.
struct Streams {
    input: File,
    output: File,
}

impl Streams {
    fn new() -> Streams {
        let new = || memory_file::create(c"stream").unwrap();
        Streams { input: new(), output: new() }
    }

    fn program(&self, path: &str, args: &[&str]) -> Program {
        let args = [path].iter().chain(args).map(|arg| arg.as_bytes().to_vec()).collect();
        let program = Program::new(path.into(), args, vec![b"PATH=/usr/bin:/bin".to_vec()]);
        let [input, output] = [&self.input, &self.output].map(|file| file.try_clone().unwrap());
        let error = output.try_clone().unwrap();
        program.unwrap().streams([input.into(), output.into(), error.into()])
    }

    /// The next run reads this.
    fn give(&mut self, input: &str) {
        self.input.set_len(0).unwrap();
        self.input.write_all_at(input.as_bytes(), 0).unwrap();
        self.input.seek(SeekFrom::Start(0)).unwrap();
        self.output.set_len(0).unwrap();
        self.output.seek(SeekFrom::Start(0)).unwrap();
    }

    fn written(&self) -> String {
        let mut bytes = vec![0; self.output.metadata().unwrap().len() as usize];
        self.output.read_exact_at(&mut bytes, 0).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

#[test]
fn a_shell_runs_each_script_from_before_its_first_read() {
    let mut streams = Streams::new();
    let mut guest = Guest::start(streams.program("/bin/sh", &[])).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    guest.snapshot(&[]).unwrap();
    for round in 0..100 {
        streams.give(&format!(
            "x=${{x:-fresh}}{round}; cd /usr; umask 0; echo $x; exit {}",
            round % 7
        ));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(round % 7));
        assert_eq!(streams.written(), format!("fresh{round}\n"));
        guest.rewind().unwrap();
    }
    streams.give("kill -SEGV $$");
    assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Killed(libc::SIGSEGV));
    guest.rewind().unwrap();
    streams.give("while :; do :; done");
    assert_eq!(guest.run(Some(Duration::from_millis(20))).unwrap(), End::TimedOut);
    guest.rewind().unwrap();
    streams.give("pwd; umask; exit 3");
    assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(3));
    let here = std::env::current_dir().unwrap();
    assert!(streams.written().starts_with(&format!("{}\n00", here.display())));
}

/// Everything that is mapped, and what it holds, but for what is the kernel's or ours.
fn memory_of(pid: i32) -> Vec<(String, Vec<u8>)> {
    let file = File::open(format!("/proc/{pid}/mem")).unwrap();
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let foreign = |line: &&str| !line.contains("[v") && !line.contains("agent");
    let read = |line: &str| {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).unwrap());
        let mut bytes = vec![0; (end - start) as usize];
        // Beyond the end of a file there is nothing to be read.
        let _ = file.read_exact_at(&mut bytes, start);
        (line.to_owned(), bytes)
    };
    maps.lines().filter(foreign).map(read).collect()
}

#[test]
fn python_finds_its_memory_as_it_was() {
    let mut streams = Streams::new();
    let mut guest = Guest::start(streams.program("/usr/bin/python3", &["-"])).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    guest.snapshot(&[]).unwrap();
    let before = memory_of(guest.pid());
    for round in 0..5 {
        streams.give(&format!("print({round})"));
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0));
        assert_eq!(streams.written(), format!("{round}\n"));
        guest.rewind().unwrap();
        let after = memory_of(guest.pid());
        for ((line, bytes), (line_after, bytes_after)) in before.iter().zip(&after) {
            assert_eq!(line, line_after);
            let differs = bytes.iter().zip(bytes_after).position(|(one, other)| one != other);
            assert_eq!(differs.map(|at| at / 4096), None, "in {line}");
        }
    }
}
