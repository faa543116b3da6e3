//! Points before functions, by their names.

use engine::rewind::{End, Error, Guest, Point};

use crate::LIMIT;
use crate::guests::{built, built_as};
use crate::rewinding::can_rewind;
use crate::streams::Streams;

/// From this function on the program writes the same each time.
fn is_repeated(mut guest: Guest, mut streams: Streams, name: &str, written: &str) {
    for round in 0..3 {
        streams.give("");
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{name} in round {round}");
        assert_eq!(streams.written(), written, "{name} in round {round}");
        guest.rewind().unwrap();
    }
}

#[test]
fn a_function_goes_by_its_symbol_and_by_what_is_written() {
    if !can_rewind() {
        return;
    }
    let Some(program) = built("functions") else { return };
    let program = program.to_str().expect("the path is text");
    let come_to = |streams: &Streams, name: &str| {
        let mut guest = Guest::start(streams.program(program, &[])).unwrap();
        guest.run_to(&Point::Symbol(name.to_owned())).map(|()| guest)
    };
    for (name, written) in [
        ("main", "abcdef"),
        ("plain", "abcdef"),
        ("_ZN2ns3oneEi", "bcdef"),
        ("ns::one", "bcdef"),
        ("ns::one(int)", "bcdef"),
        ("_Z4overi", "cdef"),
        ("over(double)", "def"),
        // Of the C library, which is not there yet when the program begins.
        ("strverscmp", "ef"),
        // Of that which the loader asks which function it is.
        ("chosen", "f"),
    ] {
        let streams = Streams::new();
        let mut guest = come_to(&streams, name).unwrap();
        guest.snapshot(&[]).unwrap();
        is_repeated(guest, streams, name, written);
    }
    let refused = come_to(&Streams::new(), "over").unwrap_err();
    assert!(
        matches!(&refused, Error::SeveralSymbols { each, .. } if each.len() == 2),
        "{refused:?}"
    );
    let refused = come_to(&Streams::new(), "one").unwrap_err();
    assert!(matches!(refused, Error::NoSymbol { .. }), "{refused:?}");
}

#[test]
fn several_threads_come_to_it_at_once() {
    if !can_rewind() {
        return;
    }
    let Some(program) = built("functions") else { return };
    let program = program.to_str().expect("the path is text");
    for _ in 0..5 {
        let streams = Streams::new();
        let mut guest = Guest::start(streams.program(program, &["8"])).unwrap();
        guest.run_to(&Point::Symbol("together".to_owned())).unwrap();
        guest.snapshot(&[]).unwrap();
        is_repeated(guest, streams, "together", "tttttttt");
    }
}

#[test]
fn a_function_that_the_loader_chooses_is_found_in_a_library() {
    if !can_rewind() {
        return;
    }
    let Some(program) = built("functions") else { return };
    let program = program.to_str().expect("the path is text");
    // Those of another C library may be ordinary ones. Of memcpy there may be one besides for programs of old.
    for name in ["strlen", "memcpy"] {
        let streams = Streams::new();
        let mut guest = Guest::start(streams.program(program, &[])).unwrap();
        guest.run_to(&Point::Symbol(name.to_owned())).unwrap();
        guest.snapshot(&[]).unwrap();
        is_repeated(guest, streams, name, "abcdef");
    }
}

#[test]
fn a_function_is_one_of_the_last_program_that_the_first_process_runs() {
    if !can_rewind() {
        return;
    }
    let Some(program) = built("functions") else { return };
    let script = format!("exec '{}'", program.display());
    // The shell has the same library, which is no more behind its last call.
    for (name, written) in [("strverscmp", "ef"), ("plain", "abcdef"), ("chosen", "f")] {
        let mut streams = Streams::new();
        let mut guest = Guest::start(streams.program("/bin/sh", &["-c", &script])).unwrap();
        guest.run_to(&Point::Symbol(name.to_owned())).unwrap();
        guest.snapshot(&[]).unwrap();
        streams.give("");
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{name}");
        assert_eq!(streams.written(), written, "{name}");
    }
}

#[test]
fn a_function_is_sought_in_each_library_that_the_first_process_maps() {
    if !can_rewind() {
        return;
    }
    let Some(program) = built_as("loading", "loading", &["-ldl"]) else { return };
    let Some(one) = built_as("one.so", "library", &["-shared", "-fPIC"]) else { return };
    let options = ["-shared", "-fPIC", "-DSEVERAL"];
    let Some(several) = built_as("several.so", "library", &options) else { return };
    let text = |path: &std::path::Path| path.to_str().expect("the path is text").to_owned();
    let (program, one, several) = (text(&program), text(&one), text(&several));
    let come_to = |streams: &Streams, name: &str, libraries: &[&str]| {
        let mut guest = Guest::start(streams.program(&program, libraries)).unwrap();
        guest.run_to(&Point::Symbol(name.to_owned())).map(|()| guest)
    };
    // To its own function a child comes first, which has the breakpoint from its parent.
    for (name, written) in [("parse", "b"), ("load", "ab")] {
        let mut streams = Streams::new();
        let mut guest = come_to(&streams, name, &[&several, &one]).unwrap();
        guest.snapshot(&[]).unwrap();
        streams.give("");
        assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{name}");
        assert_eq!(streams.written(), written, "{name}");
    }
    let refused = come_to(&Streams::new(), "parse", &[&several, &several]).unwrap_err();
    assert!(
        matches!(&refused, Error::SeveralSymbols { each, .. } if each.len() == 2),
        "{refused:?}"
    );
}
