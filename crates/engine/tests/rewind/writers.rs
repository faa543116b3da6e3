//! Memory that the kernel writes for a program, or another process, is put back; or the call is refused.
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use engine::rewind::{End, Error, Guest, Irreversible, Point};

use crate::LIMIT;
use crate::guests::built;
use crate::memory::{assert_same_memory, memory_of, stay_on_one_processor};
use crate::rewinding::can_rewind;
use crate::streams::Streams;

/// The ways of `tests/guests/rewound/writers.c`.
const WAYS: &str = "rpvVRFMNsSWmzDgfbtc";
/// Those that are refused, and by which call.
const REFUSED: [(&str, &str); 3] = [("a", "io_setup"), ("u", "io_uring_setup"), ("T", "ptrace")];
/// The guest, where it was built before.
const BUILT: &str = "SHUNPIKE_TEST_WRITERS";

/// The guest's program; without a compiler none.
fn writers() -> Option<PathBuf> {
    if let Some(built) = std::env::var_os(BUILT) {
        return Some(built.into());
    }
    built("writers")
}

/// The guest before it reads in which way memory is to be written.
fn guest(streams: &Streams) -> Option<Guest> {
    if !can_rewind() {
        return None;
    }
    let program = streams.program(writers()?.to_str().expect("the path is text"), &[]);
    let mut guest = Guest::start(program).unwrap();
    guest.run_to(&Point::Reads(streams.input.as_raw_fd())).unwrap();
    stay_on_one_processor(guest.pid());
    guest.snapshot(&[]).unwrap();
    Some(guest)
}

#[test]
fn what_the_kernel_writes_is_put_back() {
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&streams) else { return };
    let before = memory_of(guest.pid());
    // In the first rounds pages are found, then some are hot, then it may be that none is looked for.
    for round in 0..8 {
        for way in WAYS.chars() {
            streams.give(&way.to_string());
            let end = guest.run(Some(LIMIT)).unwrap();
            assert_eq!(end, End::Exited(0), "{way} in round {round}: {}", streams.written());
            guest.rewind().unwrap();
            assert_same_memory(&before, guest.pid(), round);
        }
    }
    for way in WAYS.chars() {
        for round in 0..8 {
            streams.give(&way.to_string());
            let end = guest.run(Some(LIMIT)).unwrap();
            assert_eq!(end, End::Exited(0), "{way} in round {round}: {}", streams.written());
            guest.rewind().unwrap();
            assert_same_memory(&before, guest.pid(), round);
        }
    }
}

#[test]
fn what_writes_unseen_is_refused_by_its_name() {
    for (way, call) in REFUSED {
        let mut streams = Streams::new();
        let Some(mut guest) = guest(&streams) else { return };
        streams.give(way);
        guest.run(Some(LIMIT)).unwrap();
        let refused = guest.rewind();
        let by_name =
            matches!(refused, Err(Error::Irreversible(Irreversible::Call(name))) if name == call);
        assert!(by_name, "{way}: {refused:?}");
    }
}

#[test]
fn and_so_it_is_for_a_user_without_rights() {
    /// Nobody.
    const NOBODY: u32 = 65534;
    let is_root = std::fs::metadata("/proc/self")
        .is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0);
    if !is_root || !can_rewind() {
        println!("skipped: the other tests have run without rights");
        return;
    }
    let Some(program) = writers() else { return };
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.env(BUILT, &program).uid(NOBODY).gid(NOBODY).current_dir("/");
    again.args(["--exact", "writers::what_the_kernel_writes_is_put_back"]);
    again.arg("writers::what_writes_unseen_is_refused_by_its_name").arg("--nocapture");
    match again.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
            assert!(text.contains("2 passed"), "{text}");
        }
        Err(error) => println!("skipped: nobody cannot run this test: {error}"),
    }
}
