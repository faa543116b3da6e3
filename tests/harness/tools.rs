//! Where things are: the repository, scratch folders, the tools that this machine has.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the tests.
pub fn tests() -> PathBuf {
    repository().join("tests")
}

/// A folder of this name for what tests make; it may exist already.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the scratch folder can be made");
    folder
}

/// An empty folder of this name.
pub fn empty_scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the old scratch folder can be removed");
    }
    scratch(name)
}

/// The program of this name in PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The files of a folder below `tests/` which end so, in order of their names.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = tests().join(folder);
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("cannot list {}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|file| file.extension().is_some_and(|extension| extension == ending))
        .collect();
    files.sort();
    files
}

/// A path's last part without its ending.
pub fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).expect("tests have plain names")
}
