//! What the runs read.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::cli::RewindOptions;

/// The inputs, in the order in which they are given to runs.
pub struct Inputs(Vec<Input>);

/// An input of a run.
pub enum Input {
    /// The content of a file; it is read when it is its turn.
    File(PathBuf),
    /// What stood on the standard input.
    Bytes(Vec<u8>),
    /// Whatever the program's path to its input leads to.
    InPlace,
}

impl Inputs {
    /// Those that the options tell of, at least one.
    pub fn find(options: &RewindOptions) -> anyhow::Result<Inputs> {
        let inputs = match (&options.inputs, &options.input_path) {
            (Some(path), _) => files(path)?.into_iter().map(Input::File).collect(),
            (None, Some(_)) => vec![Input::InPlace],
            (None, None) => vec![Input::Bytes(standard_input()?)],
        };
        Ok(Inputs(inputs))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// That of this run; after the last one comes the first.
    pub fn of(&self, run: u64) -> &Input {
        &self.0[(run % self.0.len() as u64) as usize]
    }

    /// The name of a run's input, if it has one.
    pub fn name(&self, run: u64) -> Option<&Path> {
        match self.of(run) {
            Input::File(path) => Some(path),
            Input::Bytes(_) | Input::InPlace => None,
        }
    }
}

impl Input {
    /// What it holds; `None` where the program is to find what is there.
    pub fn read(&self) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(match self {
            Input::File(path) => {
                Some(fs::read(path).with_context(|| format!("Can't read '{}'", path.display()))?)
            }
            Input::Bytes(bytes) => Some(bytes.clone()),
            Input::InPlace => None,
        })
    }
}

/// The files of a folder by their names, or the one file that it is.
fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let open = || format!("Can't open '{}'", path.display());
    if !fs::metadata(path).with_context(open)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).with_context(open)? {
        let path = entry.with_context(open)?.path();
        if fs::metadata(&path).is_ok_and(|data| data.is_file()) {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("'{}' holds no files to be given to the program", path.display());
    }
    files.sort_unstable();
    Ok(files)
}

/// What stands on our standard input, unless somebody would have to type it.
fn standard_input() -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock();
    if !input.is_terminal() {
        input.read_to_end(&mut bytes).context("Can't read the standard input")?;
    }
    Ok(bytes)
}
