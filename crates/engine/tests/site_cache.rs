//! What is known of sites is kept from one session to the next, spares stops, and does no harm
//! where it is wrong.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use contract::{Event, What};
use engine::{End, GuestEnd, Mechanism, Observer, Options, Session};
use kernel::probe;
use kernel::spawn::{Program, Role};

/// What comes first in an entry, in bytes: the format, a checksum of what follows, the file's
/// version, and of how many files habits follow; then come these and the sites.
const FORMAT_LEN: usize = 8;
const CHECKSUM_END: usize = 16;
const HEAD_LEN: usize = 72;
const SITES: usize = 74;

/// The numbers and results of a run's calls that depend on no address and no thread id.
#[derive(Default)]
struct Seen(Vec<(u64, i64)>);

impl Observer for Seen {
    fn event(&mut self, event: &Event<'_>) {
        if let What::Exit(call) | What::Call(call) = event.what {
            let result = call.outcome.map_or(0, |outcome| outcome.value);
            let tells_thread = call.number == libc::SYS_set_tid_address as u64;
            let same = (0..4096).contains(&result) && !tells_thread;
            self.0.push((call.number, if same { result } else { -1 }));
        }
    }
}

fn run(site_cache: Option<PathBuf>) -> (Vec<(u64, i64)>, End) {
    let args = ["cat", "/proc/self/nowhere", "/dev/null"].map(|arg| arg.as_bytes().to_vec());
    let env = vec![b"LC_ALL=C".to_vec()];
    let program = Program::new(b"/bin/cat".to_vec(), args.to_vec(), env).unwrap();
    let mechanism = Mechanism::Agent;
    let options = Options { mechanism, follow: true, site_cache, ..Options::default() };
    let mut session = Session::new(options, Vec::new());
    session.launch(program, Role::Child).unwrap();
    let mut seen = Seen::default();
    let end = session.run(&mut seen).unwrap();
    assert_eq!(end.guest, Some(GuestEnd::Exited(1)));
    (seen.0, end)
}

/// The stops at calls that come through the net when the sites are known. A run that is held up has
/// more of them.
fn warm_stops(folder: &Path) -> u64 {
    let stops = (0..5).map(|_| run(Some(folder.to_owned())).1.toll.stops.seccomp);
    stops.min().expect("there were runs")
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _: std::io::Result<()> = fs::remove_dir_all(&path);
    path
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn is_possible() -> bool {
    let possible = probe::filter_trace().is_ok() && probe::reads_gs_base();
    if !possible {
        println!("skipped: there can be no agent here");
    }
    possible
}

#[test]
fn what_one_session_has_learned_the_next_one_knows() {
    if !is_possible() {
        return;
    }
    let folder = directory("next-session");
    let (expected, cold) = run(Some(folder.clone()));
    let cold = cold.toll.stops.seccomp;
    let warm = warm_stops(&folder);
    assert!(warm + 4 < cold, "{warm} stops, without the cache {cold}");
    assert_eq!(run(Some(folder.clone())).0, expected);
    // As many as without one, when it is gone.
    fs::remove_dir_all(&folder).unwrap();
    let (calls, without) = run(None);
    assert!(without.toll.stops.seccomp > warm + 4);
    assert_eq!(calls, expected);
}

#[test]
fn what_is_damaged_is_not_used_and_is_replaced() {
    if !is_possible() {
        return;
    }
    let folder = directory("damaged");
    let (expected, _) = run(Some(folder.clone()));
    let warm = warm_stops(&folder);
    for path in entries(&folder) {
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&path, bytes).unwrap();
    }
    let (calls, end) = run(Some(folder.clone()));
    assert_eq!(calls, expected);
    assert!(end.toll.stops.seccomp > warm + 4);
    assert!(warm_stops(&folder) < warm + 4);
}

#[test]
fn sites_of_another_file_are_not_patched() {
    if !is_possible() {
        return;
    }
    let folder = directory("another-file");
    let (expected, _) = run(Some(folder.clone()));
    let paths = entries(&folder);
    let all: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let (programs, libraries): (Vec<_>, Vec<_>) =
        paths.iter().zip(&all).partition(|(_, entry)| entry[HEAD_LEN..SITES] != [0, 0]);
    assert_eq!((programs.len(), libraries.len()), (1, 2), "cat, the C library and its loader");
    // Each library gets the sites of the other, with a checksum that is right, and the program is
    // said to use them.
    let write = |path: &Path, ours: &[u8], rest: &[u8]| {
        let content = [&ours[CHECKSUM_END..HEAD_LEN], rest].concat();
        let sum = checksum(&content).to_le_bytes();
        fs::write(path, [&ours[..FORMAT_LEN], &sum, &content].concat()).unwrap();
    };
    let [(one, of_one), (other, of_other)] = [libraries[0], libraries[1]];
    write(one, of_one, &of_other[HEAD_LEN..]);
    write(other, of_other, &of_one[HEAD_LEN..]);
    let (program, habits) = programs[0];
    let (first, rest) = habit(&habits[SITES..]);
    let (second, rest) = habit(rest);
    let swapped = [first.0, second.1, second.0, first.1].concat();
    write(program, habits, &[&habits[HEAD_LEN..SITES], &swapped, rest].concat());
    assert_eq!(run(Some(folder)).0, expected);
}

/// The first of a program's habits (what tells the file, and the offsets with their number), and
/// what follows.
fn habit(bytes: &[u8]) -> ((&[u8], &[u8]), &[u8]) {
    let (file, rest) = bytes.split_at(16);
    let offsets = 2 + 8 * usize::from(u16::from_le_bytes([rest[0], rest[1]]));
    ((file, &rest[..offsets]), &rest[offsets..])
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}
