use std::string::String;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::abi::Text;
use crate::guest::testing::{Model, OwnedSlot, PAGE};

const NUMBER: u64 = 7;

/// Guests see `/srv/data` at `/place`, `/srv/in` at `/place/in`, read-only, and all at `/alias` too.
const PLACES: [(&str, &str, bool); 3] =
    [("/place/in", "/srv/in", true), ("/place", "/srv/data", false), ("", "", false)];
const ALIAS: &str = "/alias";
const NAMES: [&str; 3] = ["place", "in", "alias"];

/// What becomes of a path, and what the kernel is asked.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    /// `None`: the supervisor knows.
    path: Option<String>,
    asked: Vec<String>,
    /// What the supervisor is told to be opened.
    opened: String,
}

/// How a call uses its path.
#[derive(Clone, Copy, Default)]
struct Use {
    follows: bool,
    writes: bool,
    flags: u8,
    /// See [`PathRules`].
    rules: u32,
    asks: bool,
    /// The family of addresses about which is asked.
    family: u32,
    /// The kernel's name of the directory at which relative paths begin.
    at: &'static str,
}

const LOOKS: Use =
    Use { follows: true, writes: false, flags: 0, rules: 0, asks: false, family: 0, at: "" };

fn outcome(path: &str, how: Use, kernel: i64) -> Outcome {
    outcome_at(PAGE, path, how, kernel)
}

fn outcome_at(pointer: u64, path: &str, how: Use, kernel: i64) -> Outcome {
    let mut bytes: Vec<u8> = Vec::new();
    let mut text = |of: &str| {
        let at = bytes.len() as u32;
        bytes.extend(of.as_bytes());
        Text { at, len: of.len() as u32 }
    };
    let places = PLACES.map(|(guest, host, read_only)| Place {
        guest: text(guest),
        host: text(host),
        flags: match guest {
            "" => Place::PARENT_STAYS,
            _ if read_only => Place::READ_ONLY,
            _ => 0,
        },
    });
    let (aliases, names) = ([text(ALIAS)], NAMES.map(&mut text));
    let when =
        |holds| When { kind: if holds { when::ALWAYS } else { when::NEVER }, ..When::default() };
    let argument = PathArgument {
        register: 1,
        directory: 0,
        flags: how.flags,
        follows: When { bits: how.family, ..when(how.follows) },
        writes: when(how.writes),
        ..PathArgument::default()
    };
    let paths = Paths {
        flags: how.rules,
        arguments: &[argument],
        places: &places,
        aliases: &aliases,
        names: &names,
        bytes: &bytes,
    };
    let mut memory = vec![0; PAGE as usize];
    memory[..path.len()].copy_from_slice(path.as_bytes());
    let mut machine = Model::default();
    machine.result = kernel as u64;
    machine.pages.insert(PAGE, memory);
    if !how.at.is_empty() {
        machine.links.insert("/proc/thread-self/fd/3".into(), how.at.into());
    }
    let mut owned = OwnedSlot::new();
    let slot = owned.calling(NUMBER, [3, pointer, 0, 0, 0, 0, 0]);
    slot.set_word(slot::ASKS_PATHS, how.asks.into());
    let way = decide(&machine, slot, &paths, &Call::default());
    let given = match way {
        Way::Asked => None,
        Way::Made(result) => Some(std::format!("made: {}", result as i64)),
        Way::Kept => Some(path.into()),
        Way::Changed => {
            let address = slot.word(slot::ARGS + 8);
            let start = address - slot.address(0);
            let bytes = (start..).map(|at| slot.byte(at)).take_while(|byte| *byte != 0);
            Some(String::from_utf8(bytes.collect()).expect("what was written"))
        }
    };
    let opened = (0..slot.word(slot::OPENED)).map(|at| slot.byte(slot::OPENED_PATHS + at));
    let opened = String::from_utf8(opened.collect()).expect("what was written");
    assert!(owned.is_whole());
    let asked = machine.asked.take().into_iter();
    let asked = asked.map(|(_, path)| String::from_utf8(path).expect("what was written"));
    Outcome { path: given, asked: asked.collect(), opened }
}

fn found(path: &str, how: Use) -> (Option<String>, Vec<String>) {
    let Outcome { path, asked, .. } = outcome(path, how, EISDIR);
    (path, asked)
}

fn is(path: &str, asked: &[&str]) -> (Option<String>, Vec<String>) {
    (Some(path.into()), asked.iter().map(|asked| String::from(*asked)).collect())
}

fn asks() -> (Option<String>, Vec<String>) {
    (None, Vec::new())
}

#[test]
fn the_beginning_of_a_path_is_replaced() {
    assert_eq!(found("/place/a/b", LOOKS), is("/srv/data/a/b", &["/srv/data/a/b/x/"]));
    assert_eq!(found("/place", LOOKS), is("/srv/data", &["/srv/data/x/"]));
    assert_eq!(found("/place/in/a", LOOKS), is("/srv/in/a", &["/srv/in/a/x/"]));
    assert_eq!(found("/alias/usr", LOOKS), is("/usr", &["/usr/x/"]));
    assert_eq!(found("/alias/alias/place/", LOOKS), is("/srv/data/", &["/srv/data/x/"]));
    assert_eq!(found("/alias", LOOKS), is("/", &[]));
    assert_eq!(found("/", LOOKS), is("/", &[]));
    assert_eq!(found("/places/a", LOOKS), is("/places/a", &["/places/a/x/"]));
}

#[test]
fn of_what_is_not_followed_only_the_way_is_asked() {
    let keeps = Use { follows: false, ..LOOKS };
    assert_eq!(found("/place/a/b", keeps), is("/srv/data/a/b", &["/srv/data/a/x/"]));
    assert_eq!(found("/place", keeps), is("/srv/data", &["/srv/x/"]));
    assert_eq!(found("/a", keeps), is("/a", &[]));
    // What ends with a slash is followed all the same.
    assert_eq!(found("/a/", keeps), is("/a/", &["/a/x/"]));
    assert_eq!(found("a", keeps), is("a", &[]));
    assert_eq!(found("./a", keeps), is("./a", &[]));
    assert_eq!(found("b/a", keeps), is("b/a", &["b/x/"]));
}

#[test]
fn relative_paths_stay_where_they_begin() {
    assert_eq!(found("a/b", LOOKS), is("a/b", &["a/b/x/"]));
    assert_eq!(found(".", LOOKS), is(".", &[]));
    assert_eq!(found("", LOOKS), is("", &[]));
    assert_eq!(found("a/../b", LOOKS), is("a/../b", &["a/../b/x/"]));
    for path in ["place/a", "in", "./alias", "a/../place"] {
        assert_eq!(found(path, LOOKS), asks(), "{path}");
    }
}

#[test]
fn above_a_directory_is_what_the_guest_sees_there_unless_it_is_a_place() {
    const FD: &str = "/proc/thread-self/fd/3";
    let at = |at, path| found(path, Use { at, ..LOOKS });
    assert_eq!(at("/srv/data/a", ".."), is("..", &[FD]));
    assert_eq!(at("/srv/data/a/b", "../../c"), is("../../c", &[FD, "../../c/x/"]));
    assert_eq!(at("/usr", "../.."), is("../..", &[FD]));
    assert_eq!(at("/", "../usr"), is("../usr", &[FD, "../usr/x/"]));
    assert_eq!(at("/srv/database", ".."), is("..", &[FD]));
    let asked = |at, path| {
        let Outcome { path, asked, .. } = outcome(path, Use { at, ..LOOKS }, EISDIR);
        (path, asked)
    };
    for (directory, path) in [
        ("", ".."),
        ("", "a/../.."),
        ("/srv/data", ".."),
        ("/srv/in", "../a"),
        ("/srv/data/a", "../.."),
        ("/srv/data/a/b", "../../../../a"),
        // The kernel tells no path, or too long a one.
        ("pipe:[1]", ".."),
        ("(unreachable)/a", ".."),
    ] {
        assert_eq!(asked(directory, path), (None, is("", &[FD]).1), "{directory}: {path}");
    }
    assert_eq!(asked("/usr", "../place"), asks());
    // The other path of the call would lie where the name of the directory does.
    let more = Use { at: "/usr", flags: PathArgument::MORE, ..LOOKS };
    assert_eq!(outcome("..", more, EISDIR).path, None);
}

#[test]
fn what_may_leave_its_place_is_asked() {
    let turns = found("/place/a/.././b", LOOKS);
    assert_eq!(turns, is("/srv/data/a/.././b", &["/srv/data/a/.././b/x/"]));
    for path in
        ["/place/..", "/place/a/../../x", "//place/a", "/x/../place/a", "/place/./in", "/.."]
    {
        assert_eq!(found(path, LOOKS), asks(), "{path}");
    }
}

#[test]
fn a_link_on_the_way_is_asked_unless_it_does_no_harm() {
    let linked = |path, how| outcome(path, how, ELOOP);
    let Outcome { path, asked, .. } = linked("/place/a", LOOKS);
    assert_eq!((path, asked), (None, vec![String::from("/srv/data/a/x/")]));
    assert_eq!(linked("/lib/a", LOOKS).path, None);
    // The kernel is asked again; here it says the same.
    let stay = Use { rules: PathRules::LINKS_STAY, ..LOOKS };
    assert_eq!(linked("/lib/a", stay).asked, ["/lib/a/x/", "/lib/a/x/"]);
    assert_eq!(linked("/place/a", stay).asked.len(), 1);
    // Links of processes are asked about where they are read.
    let reads = Use { flags: PathArgument::READS_LINK, follows: false, ..stay };
    assert_eq!(linked("/lib/a", reads).asked, ["/lib/a", "/lib/x/"]);
    assert_eq!(linked("/lib/a", reads).path, None);
    assert_eq!(found("/proc/1/exe", reads), asks());
    assert_eq!(found("/lib/a", Use { rules: 0, ..reads }), is("/lib/a", &["/lib/x/"]));
    for (error, decided) in
        [(ENOENT, true), (EACCES, true), (ENOTDIR, true), (-38, false), (5, false)]
    {
        assert_eq!(outcome("/place/a", LOOKS, error).path.is_some(), decided, "{error}");
    }
}

#[test]
fn what_only_looks_is_made_at_once_where_links_do_no_harm() {
    let looks = Use { flags: PathArgument::LOOKS, rules: PathRules::LINKS_STAY, ..LOOKS };
    let made = |path, result| {
        let Outcome { path, asked, .. } = outcome(path, looks, result);
        (path.unwrap_or_default(), asked)
    };
    assert_eq!(made("/lib/a", 0), ("made: 0".into(), vec![String::from("/lib/a")]));
    assert_eq!(made("/alias/lib/a", -61), ("made: -61".into(), vec![String::from("/lib/a")]));
    // It was not found: there may be a link on the way into a place.
    let asked = ["/lib/a", "/lib/a/x/"].map(String::from).to_vec();
    assert_eq!(made("/lib/a", ENOENT), ("made: -2".into(), asked));
    let asked = ["/lib/a", "/lib/a/x/", "/lib/a/x/"].map(String::from).to_vec();
    assert_eq!(made("/lib/a", ELOOP), (String::new(), asked));
    // Places are not in the root, and relative paths begin anywhere.
    assert_eq!(made("/place/a", EISDIR).1, ["/srv/data/a/x/"]);
    assert_eq!(made("a/b", EISDIR).1, ["a/b/x/"]);
    // Links may lead anywhere.
    assert_eq!(outcome("/lib/a", Use { rules: 0, ..looks }, 0).path, None);
}

#[test]
fn what_is_no_link_is_not_asked_about_where_links_do_no_harm() {
    const EINVAL: i64 = -22;
    let rules = PathRules::LINKS_STAY;
    let reads = Use { flags: PathArgument::READS_LINK, follows: false, rules, ..LOOKS };
    let read = |path, result| {
        let Outcome { path, asked, .. } = outcome(path, reads, result);
        (path, asked)
    };
    assert_eq!(read("/lib/a", EINVAL), is("made: -22", &["/lib/a"]));
    assert_eq!(read("/alias/lib/a", EINVAL), is("made: -22", &["/lib/a"]));
    assert_eq!(read("/lib/a", ENOENT), is("made: -2", &["/lib/a", "/lib/x/"]));
    // It is one: the guest's own call reads it, if the way to it is straight.
    assert_eq!(read("/lib/a", 1), (None, is("", &["/lib/a", "/lib/x/"]).1));
    // Places are not in the root.
    assert_eq!(read("/place/a/b", EISDIR), is("/srv/data/a/b", &["/srv/data/a/x/"]));
}

#[test]
fn what_is_not_to_be_changed_is_asked() {
    let writes = Use { writes: true, rules: PathRules::READ_ONLY, ..LOOKS };
    for path in ["/place/in/a", "/place/in", "/place", "/alias", "a", ""] {
        assert_eq!(found(path, writes), asks(), "{path}");
    }
    assert_eq!(found("/place/a", writes), is("/srv/data/a", &["/srv/data/a/x/"]));
}

#[test]
fn all_is_asked_where_the_supervisor_wants_that() {
    assert_eq!(found("/usr", Use { asks: true, ..LOOKS }), asks());
}

#[test]
fn what_is_opened_is_told_by_its_name() {
    let opens = Use { flags: PathArgument::OPENS, rules: PathRules::LINKS_STAY, ..LOOKS };
    for path in ["/alias/usr/", "/usr", "/place/a", "/alias/alias/place/in/a", "/"] {
        let Outcome { path: given, opened, .. } = outcome(path, opens, EISDIR);
        assert!(given.is_some(), "{path}");
        assert_eq!(opened, [path, "\0"].concat());
    }
    for (path, kernel) in [("usr", EISDIR), ("/a/../usr", EISDIR), ("/place", -5)] {
        assert_eq!(outcome(path, opens, kernel).opened, "", "{path}");
    }
    assert_eq!(outcome("/usr", LOOKS, EISDIR).opened, "");
    // What it leads to has another name.
    for path in ["/alias/a/../usr", "/alias/./usr"] {
        assert_eq!(outcome(path, opens, EISDIR).path, None, "{path}");
    }
    assert_eq!(outcome("/alias/lib", opens, ELOOP).path, None);
}

#[test]
fn who_may_open_what_tells_of_processors_is_asked_about() {
    let opens = Use { flags: PathArgument::OPENS, ..LOOKS };
    for path in ["/proc/1/status", "status", "/place/a/status"] {
        assert_eq!(found(path, opens).0, None, "{path}");
        assert!(found(path, LOOKS).0.is_some(), "{path}");
    }
    for path in ["/proc/1/statuses", "/status/a"] {
        assert!(found(path, opens).0.is_some(), "{path}");
    }
}

#[test]
fn what_is_asked_in_any_case_is_so_where_it_points_to_anything() {
    let asked = Use { flags: PathArgument::ASKED, ..LOOKS };
    assert_eq!(found("/a", asked), asks());
    assert_eq!(outcome_at(0, "/a", asked, EISDIR).path, is("/a", &[]).0);
}

#[test]
fn a_program_that_is_missing_is_not_asked_about() {
    let executes = Use { flags: PathArgument::UNLESS_MISSING, ..LOOKS };
    for (path, asked) in
        [("/place/a", "/srv/data/a/x/"), ("/alias/a", "/a/x/"), ("a/", "a/x/"), ("b/a", "b/a/x/")]
    {
        let missing = outcome(path, executes, ENOENT);
        assert_eq!((missing.path, missing.asked), is("made: -2", &[asked]), "{path}");
        for other in [EISDIR, ENOTDIR, EACCES, ELOOP, -38, 5] {
            assert_eq!(outcome(path, executes, other).path, None, "{path}: {other}");
        }
    }
    for path in ["/", "", ".", "../a", "place/a"] {
        assert_eq!(outcome(path, executes, ENOENT).path, None, "{path}");
    }
    assert_eq!(outcome_at(0, "/a", executes, ENOENT).path, None);
}

#[test]
fn what_is_asked_by_what_it_leads_to_is_kept_where_that_is_something_else() {
    // An address begins with its family, of 16 bits, and a message with a pointer.
    let by = |more, family| Use { flags: PathArgument::ASKED | more, family, ..LOOKS };
    let unix = by(PathArgument::BY_FAMILY, 1);
    assert_eq!(found("\u{1}\0/run/socket", unix), asks());
    assert_eq!(found("\u{2}\0/run/socket", unix), is("\u{2}\0/run/socket", &[]));
    assert!(found("\u{1}\u{1}/run/socket", unix).0.is_some());
    let message = by(PathArgument::BY_POINTER, 0);
    assert_eq!(found("", message), is("", &[]));
    assert_eq!(found("\0\0\0\0\0\0\0\u{1}", message), asks());
    // What cannot be read is asked about.
    assert_eq!(outcome_at(3 * PAGE, "", message, EISDIR).path, None);
    assert_eq!(outcome_at(3 * PAGE, "", unix, EISDIR).path, None);
}

#[test]
fn long_paths_are_asked() {
    let longest = |len: usize| ["/place/", &"a".repeat(len - 7)].concat();
    let most = PATH_MOST as usize - 2;
    assert!(found(&longest(most), LOOKS).0.is_some());
    assert_eq!(found(&longest(most + 1), LOOKS), asks());
}
