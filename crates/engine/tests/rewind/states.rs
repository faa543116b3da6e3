//! State that the kernel holds for a program is put back, or the program is refused, or its run is.

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use engine::rewind::{End, Error, Guest, Irreversible, Point};
use kernel::placement::Cpus;

use crate::LIMIT;
use crate::guests::built;
use crate::rewinding::can_rewind;
use crate::streams::Streams;

/// The status of a guest that lacks what its name says.
const UNAVAILABLE: End = End::Exited(77);

/// The guest's program, if it can be rewound; without a compiler none.
fn program() -> Option<PathBuf> {
    if can_rewind() { built("states") } else { None }
}

/// The guest at its point, with what this name prepares; none if there is no such thing here.
fn guest(program: &Path, streams: &mut Streams, name: &str) -> Option<Guest> {
    let program = streams.program(program.to_str().expect("the path is text"), &[name]);
    streams.give("x");
    let mut guest = Guest::start(program).unwrap();
    match guest.run_to(&Point::Reads(streams.input.as_raw_fd())) {
        Err(Error::Ended { end: UNAVAILABLE }) => {
            println!("skipped: {}", streams.written());
            None
        }
        come => come.map(|()| Some(guest)).unwrap(),
    }
}

/// Lets it run; what it has shown, if there is such a thing here.
fn run(guest: &mut Guest, streams: &mut Streams) -> Option<String> {
    streams.give("x");
    let end = guest.run(Some(LIMIT)).unwrap();
    let written = streams.written();
    if end == UNAVAILABLE {
        println!("skipped: {written}");
        return None;
    }
    assert_eq!(end, End::Exited(0), "{written}");
    Some(written)
}

#[test]
fn what_has_a_state_of_its_own_is_refused_by_its_name() {
    let Some(program) = program() else { return };
    for (name, expected) in [
        ("terminal", "a terminal ("),
        ("queue", "a message queue ("),
        ("fifo", "a FIFO ("),
        ("stopped", "is stopped"),
    ] {
        let mut streams = Streams::new();
        let Some(mut guest) = guest(&program, &mut streams, name) else { continue };
        let refused = guest.snapshot(&[]).unwrap_err().to_string();
        assert!(refused.contains(expected), "{name}: {refused}");
    }
}

#[test]
fn what_no_call_takes_back_is_refused_by_its_name() {
    const CALLS: [(&str, &str); 14] = [
        ("sched_setattr", "sched_setattr"),
        ("ioprio_set", "ioprio_set"),
        ("landlock_restrict_self", "landlock_restrict_self"),
        ("add_key", "add_key"),
        ("membarrier", "membarrier"),
        ("set_mempolicy", "set_mempolicy"),
        ("modify_ldt", "modify_ldt"),
        ("mlock", "mlock"),
        ("madvise", "madvise"),
        ("lease", "fcntl"),
        ("fcntl", "fcntl"),
        ("shutdown", "shutdown"),
        ("connect", "connect"),
        ("bind", "bind"),
    ];
    let Some(program) = program() else { return };
    for (name, call) in CALLS {
        let mut streams = Streams::new();
        let Some(mut guest) = guest(&program, &mut streams, name) else { continue };
        guest.snapshot(&[]).unwrap();
        let Some(_) = run(&mut guest, &mut streams) else { continue };
        let refused = guest.rewind();
        let by_name =
            matches!(refused, Err(Error::Irreversible(Irreversible::Call(name))) if name == call);
        assert!(by_name, "{name}: {refused:?}");
    }
}

#[test]
fn what_is_put_back_is_the_same_in_each_run() {
    const STATES: [&str; 25] = [
        "written",
        "written-twice",
        "cut",
        "memfd",
        "cloexec",
        "no-cloexec",
        "flock",
        "folder-locked",
        "locked",
        "ofd-locked",
        "lock-lost",
        "folder",
        "stack",
        "name",
        "datagram",
        "packet",
        "datagram-lost",
        "packet-lost",
        "options",
        "options-lost",
        "once",
        "once-told",
        "once-many",
        "watched",
        "watched-lost",
    ];
    let Some(program) = program() else { return };
    for name in STATES {
        let mut streams = Streams::new();
        let Some(mut guest) = guest(&program, &mut streams, name) else { continue };
        guest.snapshot(&[]).unwrap();
        let Some(first) = run(&mut guest, &mut streams) else { continue };
        let lines: Vec<&str> = first.lines().collect();
        let (before, after) = lines.split_at(lines.len() / 2);
        assert_ne!(before, after, "{name}: nothing is changed");
        // For more rounds than it takes until descriptors are not compared any more.
        for round in 0..12 {
            guest.rewind().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(run(&mut guest, &mut streams).as_ref(), Some(&first), "{name}, {round}");
        }
    }
}

#[test]
fn a_directory_that_was_removed_is_not_found_again() {
    let Some(program) = program() else { return };
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&program, &mut streams, "removed-folder") else { return };
    guest.snapshot(&[]).unwrap();
    assert_eq!(run(&mut guest, &mut streams).unwrap(), "removed\n/usr\n");
    let rewound = guest.rewind();
    assert!(matches!(rewound, Err(Error::Irreversible(Irreversible::Directory))), "{rewound:?}");
}

#[test]
fn a_file_that_was_removed_does_not_come_back() {
    let Some(program) = program() else { return };
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&program, &mut streams, "removed") else { return };
    guest.snapshot(&[]).unwrap();
    let Some(_) = run(&mut guest, &mut streams) else { return };
    let rewound = guest.rewind();
    assert!(matches!(rewound, Err(Error::Irreversible(Irreversible::Removed))), "{rewound:?}");
}

#[test]
fn what_nobody_can_stop_watching_is_not_taken_for_put_back() {
    let Some(program) = program() else { return };
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&program, &mut streams, "watched-by-another") else { return };
    guest.snapshot(&[]).unwrap();
    let Some(_) = run(&mut guest, &mut streams) else { return };
    let rewound = guest.rewind();
    assert!(matches!(rewound, Err(Error::Irreversible(Irreversible::Descriptor))), "{rewound:?}");
}

#[test]
fn who_ends_with_a_lock_is_dead_to_who_waits_for_it() {
    let Some(program) = program() else { return };
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&program, &mut streams, "lock") else { return };
    guest.snapshot(&[]).unwrap();
    assert_eq!(run(&mut guest, &mut streams).unwrap(), "its owner is dead\n");
    let rewound = guest.rewind();
    assert!(matches!(rewound, Err(Error::Irreversible(Irreversible::Thread))), "{rewound:?}");
}

#[test]
fn a_process_that_ends_with_a_lock_of_any_thread_is_dead_to_others() {
    let Some(program) = program() else { return };
    for name in ["lock-of-exited", "lock-of-killed"] {
        let mut streams = Streams::new();
        let Some(mut guest) = guest(&program, &mut streams, name) else { continue };
        guest.snapshot(&[]).unwrap();
        assert_eq!(run(&mut guest, &mut streams).unwrap(), "its owner is dead\n", "{name}");
        let rewound = guest.rewind();
        let is_killed = matches!(rewound, Err(Error::Irreversible(Irreversible::Killed)));
        assert!(is_killed, "{name}: {rewound:?}");
    }
}

#[test]
fn who_asks_for_its_processors_has_them_all() {
    let Some(program) = program() else { return };
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&program, &mut streams, "processors") else { return };
    let all = Cpus::of(0).unwrap();
    assert!(guest.share_processor(all.list()[0]));
    assert_eq!(Cpus::of(guest.pid()).unwrap().count(), 1);
    guest.snapshot(&[]).unwrap();
    let expected = format!("{0} processors\n{0} processors\n", all.count());
    for _ in 0..3 {
        assert_eq!(run(&mut guest, &mut streams), Some(expected.clone()));
        guest.rewind().unwrap();
    }
    assert!(!guest.share_processor(all.list()[0]), "it has asked");
}

#[test]
fn what_a_run_does_to_its_own_is_gone_with_that() {
    let Some(program) = program() else { return };
    let mut streams = Streams::new();
    let Some(mut guest) = guest(&program, &mut streams, "own") else { return };
    guest.snapshot(&[]).unwrap();
    for _ in 0..4 {
        let Some(_) = run(&mut guest, &mut streams) else { return };
        guest.rewind().unwrap();
    }
}
