//! A directory in which programs run, and what they have said there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

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

/// Makes a directory a root in which these programs of the machine run, below `bin`: with their loaders and
/// libraries.
pub fn furnish(root: &Path, programs: &[&Path]) -> io::Result<()> {
    fs::create_dir_all(root.join("bin"))?;
    for program in programs {
        fs::copy(program, root.join("bin").join(program.file_name().expect("a name")))?;
        let libraries = Command::new("ldd").arg(program).output()?;
        let libraries = String::from_utf8_lossy(&libraries.stdout);
        for path in libraries.split_whitespace().filter_map(|word| word.strip_prefix('/')) {
            let to = root.join(path);
            fs::create_dir_all(to.parent().expect("a file has a directory"))?;
            fs::copy(Path::new("/").join(path), to)?;
        }
    }
    Ok(())
}

/// What came out; `$X` is the directory, by whatever names.
pub fn told(outcome: &Outcome, names: &[&str]) -> String {
    let text = format!("{:?}\n{}\n{}", outcome.end, outcome.stdout, outcome.stderr);
    names.iter().fold(text, |text, name| text.replace(name, "$X"))
}
