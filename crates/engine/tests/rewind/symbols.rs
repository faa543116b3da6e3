//! Points before functions, by their names.

use engine::rewind::{End, Error, Guest, Point};

use crate::LIMIT;
use crate::guests::built;
use crate::rewinding::can_rewind;
use crate::streams::Streams;

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
        ("main", "abcde"),
        ("plain", "abcde"),
        ("_ZN2ns3oneEi", "bcde"),
        ("ns::one", "bcde"),
        ("ns::one(int)", "bcde"),
        ("_Z4overi", "cde"),
        ("over(double)", "de"),
        // Of the C library, which is not there yet when the program begins.
        ("strverscmp", "e"),
    ] {
        let mut streams = Streams::new();
        let mut guest = come_to(&streams, name).unwrap();
        guest.snapshot(&[]).unwrap();
        for round in 0..3 {
            streams.give("");
            assert_eq!(guest.run(Some(LIMIT)).unwrap(), End::Exited(0), "{name} in round {round}");
            assert_eq!(streams.written(), written, "{name} in round {round}");
            guest.rewind().unwrap();
        }
    }
    let refused = come_to(&Streams::new(), "over").unwrap_err();
    assert!(
        matches!(&refused, Error::SeveralSymbols { each, .. } if each.len() == 2),
        "{refused:?}"
    );
    let refused = come_to(&Streams::new(), "one").unwrap_err();
    assert!(matches!(refused, Error::NoSymbol { .. }), "{refused:?}");
}
