//! What a path of a guest leads to, against a mount namespace in which the same places are bind mounts:
//! the kernel walks there by itself.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use modules::paths::{Access, Caller, HostTree, Last, Map, Place, Plain, Target, see};

/// Where the paths to look up are for the process in the namespace.
const QUESTIONS: &str = "SHUNPIKE_TEST_QUESTIONS";

/// Numbers that look random, the same in each run.
struct Dice(u64);

impl Dice {
    fn upto(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.upto(of.len())]
    }

    /// A path of some names, most of which are there.
    fn path(&mut self, beginning: &str) -> String {
        const NAMES: [&str; 11] = ["a", "b", "c", "m", "in", "..", "..", ".", "l1", "l2", "no"];
        let mut path = String::from(beginning);
        for _ in 0..self.upto(7) {
            let _ =
                write!(path, "{}{}", if self.upto(9) == 0 { "//" } else { "/" }, self.one(&NAMES));
        }
        if self.upto(6) == 0 {
            path.push('/');
        }
        path
    }
}

/// What one process asks: the path, where it begins, and whether the last link is followed.
struct Question {
    cwd: String,
    path: String,
    last: Last,
}

struct Oneself<'a> {
    map: &'a Map,
    cwd: Plain,
    root: Plain,
}

impl Caller for Oneself<'_> {
    fn start_on_host(&self) -> Option<Plain> {
        Some(self.map.host(&self.cwd))
    }

    fn start(&self) -> Option<Plain> {
        Some(self.cwd.clone())
    }

    fn root(&self) -> &Plain {
        &self.root
    }

    fn link_name(&self, _: &Plain) -> Option<Plain> {
        None
    }
}

/// A tree with links of all kinds: `inside` is how the guest calls the top directory.
fn grow(dice: &mut Dice, top: &Path, inside: &str) {
    let names = [
        "a", "b", "c", "m", "m/in", "a/b", "b/a", "a/b/c", "h", "h/a", "h/b", "h/in", "h2", "h2/a",
        "h2/b",
    ];
    for name in names {
        fs::create_dir_all(top.join(name)).expect("a directory");
    }
    for name in ["f", "a/c", "h/c", "h2/c", "c/b"] {
        fs::write(top.join(name), name).expect("a file");
    }
    for directory in ["", "a", "b", "a/b", "h", "h/a", "h2", "h2/a"] {
        for link in ["l1", "l2"] {
            let text = match dice.upto(3) {
                0 => dice.path(inside),
                1 => dice.path("..").to_string(),
                _ => dice.path("m").to_string(),
            };
            let text = if text.is_empty() { String::from("/") } else { text };
            symlink(text, top.join(directory).join(link)).expect("a link");
        }
    }
}

fn plain(path: &str) -> Plain {
    Plain::of(path.as_bytes()).expect("a plain path")
}

/// What a path leads to on this host, told so that two answers can be compared.
fn answer(path: &Path, last: Last) -> String {
    let found = match last {
        Last::Follow => fs::metadata(path),
        Last::Keep | Last::Name => fs::symlink_metadata(path),
    };
    match found {
        Ok(meta) => format!("{}:{}", meta.dev(), meta.ino()),
        Err(error) => format!("errno {}", error.raw_os_error().unwrap_or_default()),
    }
}

/// Answers questions where it is run: the process in the namespace.
#[test]
fn answer_in_namespace() {
    let Some(file) = std::env::var_os(QUESTIONS) else { return };
    let questions = fs::read_to_string(&file).expect("questions");
    let mut answers = String::new();
    for line in questions.lines() {
        let [cwd, last, path] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        std::env::set_current_dir(cwd).expect("a directory to begin at");
        let last = if last == "follow" { Last::Follow } else { Last::Keep };
        let _ = writeln!(answers, "{}", answer(Path::new(path), last));
    }
    fs::write(PathBuf::from(file).with_file_name("answers"), answers).expect("answers");
}

/// Lets the kernel answer, after a shell has made the mounts.
fn oracle(scratch: &Path, setup: &str, run: &str, questions: &[Question]) -> Vec<String> {
    let mut text = String::new();
    for Question { cwd, path, last } in questions {
        let last = if *last == Last::Follow { "follow" } else { "keep" };
        let _ = writeln!(text, "{cwd}\t{last}\t{path}");
    }
    fs::write(scratch.join("questions"), text).expect("questions");
    let status = Command::new("unshare")
        .args([
            "-m",
            "--propagation",
            "private",
            "sh",
            "-ec",
            &format!("{setup}\nexec {run} --exact answer_in_namespace"),
        ])
        .env(
            QUESTIONS,
            if setup.contains("chroot-test") {
                Path::new("/questions").to_owned()
            } else {
                scratch.join("questions")
            },
        )
        .stdout(std::process::Stdio::null())
        .status();
    assert!(status.expect("unshare").success(), "the oracle failed");
    let answers = fs::read_to_string(scratch.join("answers")).expect("answers");
    answers.lines().map(String::from).collect()
}

fn place(guest: &str, target: Target) -> Place {
    Place { guest: plain(guest), target, access: Access::Writable }
}

fn ours(map: &Map, root: &str, Question { cwd, path, last }: &Question) -> String {
    let caller = Oneself { map, cwd: plain(cwd), root: plain(root) };
    match see(map, &HostTree::NOBODY, &caller, path.as_bytes(), *last) {
        Err(errno) => format!("errno {}", errno.0),
        Ok(seen) => {
            let bytes = seen.path.unwrap_or_else(|| path.as_bytes().to_vec());
            let path = Path::new(OsStr::from_bytes(&bytes));
            answer(&caller.map.host(&caller.cwd).as_path().join(path), *last)
        }
    }
}

fn may_mount() -> bool {
    let can = Command::new("unshare").args(["-m", "true"]).output();
    let can = can.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("skipped: this user cannot make a mount namespace (unshare -m)");
    }
    can
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("shunpike-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a temporary directory");
    fs::canonicalize(path).expect("its name")
}

fn compare(name: &str, map: &Map, questions: &[Question], expected: &[String]) {
    assert_eq!(questions.len(), expected.len());
    let mut kinds = BTreeSet::new();
    for (question, expected) in questions.iter().zip(expected) {
        let Question { cwd, path, last } = question;
        assert_eq!(
            &ours(map, "/", question),
            expected,
            "{name}: {path} from {cwd}, {last:?}, in {map:?}"
        );
        kinds.insert(expected.starts_with("errno").then_some(expected));
    }
    assert!(kinds.len() > 2, "{name}: only {kinds:?} came out");
}

fn questions(dice: &mut Dice, inside: &str, cwds: &[&str], map_in: &str) -> Vec<Question> {
    (0..400)
        .map(|_| {
            let beginnings = [
                inside.to_string(),
                format!("{inside}/m"),
                map_in.to_string(),
                String::from("."),
                String::from("m"),
                String::from(".."),
            ];
            let path = dice.one(&beginnings).clone();
            let path = dice.path(&path);
            let path = if path.is_empty() { String::from("/") } else { path };
            let last = if dice.upto(2) == 0 { Last::Follow } else { Last::Keep };
            let cwd = match format!("{inside}{}", dice.one(cwds)) {
                root if root.is_empty() => String::from("/"),
                cwd => cwd,
            };
            Question { cwd, path, last }
        })
        .collect()
}

const CWDS: [&str; 7] = ["", "/a", "/m", "/m/a", "/a/b", "/m/in", "/m/in/a"];

#[test]
fn places_are_as_bind_mounts() {
    if !may_mount() {
        return;
    }
    for seed in 0..24 {
        let mut dice = Dice(seed);
        let top = scratch("binds");
        let inside = top.to_str().expect("a plain name").to_owned();
        grow(&mut dice, &top, &inside);
        let of = |name: &str| format!("{inside}/{name}");
        let places = [("m", "h"), ("m/in", "h2"), ("c/b", "f")];
        let map = places.map(|(guest, host)| place(&of(guest), Target::Host(plain(&of(host)))));
        let map = Map::new(map.to_vec(), &HostTree::NOBODY).expect("a map");
        let setup: String = places
            .map(|(guest, host)| format!("mount --bind {} {}\n", of(host), of(guest)))
            .concat();
        let questions = questions(&mut dice, &inside, &CWDS, &of("m/in"));
        let exe = std::env::current_exe().expect("this program");
        let expected = oracle(&top, &setup, exe.to_str().expect("a plain name"), &questions);
        compare(&format!("seed {seed}"), &map, &questions, &expected);
        fs::remove_dir_all(top).expect("it is removed");
    }
}

#[test]
fn a_root_is_as_after_chroot() {
    if !may_mount() {
        return;
    }
    for seed in 100..124 {
        let mut dice = Dice(seed);
        let top = scratch("root");
        grow(&mut dice, &top, "");
        for library in ["usr", "lib", "lib64", "exe", "unreal"] {
            fs::create_dir_all(top.join(library)).expect("a directory");
        }
        let host = |name: &str| Target::Host(plain(&format!("{}/{name}", top.display())));
        let map = Map::new(
            vec![
                place("/", host("")),
                place("/m", host("h")),
                place("/m/in", host("h2")),
                place("/unreal", Target::Root),
            ],
            &HostTree::NOBODY,
        )
        .expect("a map");
        let exe = std::env::current_exe().expect("this program");
        let setup = format!(
            "cd {top}; mount --bind . .; cd {top}; mount --bind h m; mount --bind h2 m/in\n\
             for d in usr lib lib64; do mount --rbind /$d $d; done\n\
             mount --bind {exe} {top}/h2/c; mount --rbind . unreal # chroot-test",
            top = top.display(),
            exe = exe.display(),
        );
        let questions = questions(&mut dice, "", &CWDS, "/unreal/m");
        let expected = oracle(&top, &setup, "chroot . /h2/c", &questions);
        compare(&format!("seed {seed}"), &map, &questions, &expected);
        fs::remove_dir_all(top).expect("it is removed");
    }
}
