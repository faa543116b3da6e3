//! A directory in which programs run, and what they have said there.

use std::fs;
use std::path::PathBuf;

use super::launch::Outcome;
use super::tools;

/// An empty directory of this name, in which some files are made. Its path has no symbolic link.
pub fn grow(name: &str) -> PathBuf {
    let place = tools::empty_scratch(name);
    for directory in ["a/b", "c"] {
        fs::create_dir_all(place.join(directory)).expect("a directory");
    }
    for file in ["f", "a/f", "a/b/f"] {
        fs::write(place.join(file), format!("{file}\n")).expect("a file");
    }
    std::os::unix::fs::symlink("a/b", place.join("l")).expect("a link");
    fs::canonicalize(place).expect("its name")
}

/// What came out; `$X` is the directory, by whatever names.
pub fn told(outcome: &Outcome, names: &[&str]) -> String {
    let text = format!("{:?}\n{}\n{}", outcome.end, outcome.stdout, outcome.stderr);
    names.iter().fold(text, |text, name| text.replace(name, "$X"))
}
