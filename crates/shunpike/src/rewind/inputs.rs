//! What the runs read.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::cli::RewindOptions;

/// The inputs, in the order in which they are given to runs.
pub struct Inputs {
    list: Vec<Input>,
    /// The standard inputs of runs, if they are of several sizes: the smallest first.
    by_size: Vec<u64>,
    /// How many of these are empty.
    empty: usize,
}

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
    /// Those that the options have given to runs, at least one.
    pub fn find(options: &RewindOptions) -> anyhow::Result<Inputs> {
        let mut list: Vec<Input> = match (&options.inputs, &options.input_path) {
            (Some(path), _) => files(path)?.into_iter().map(Input::File).collect(),
            (None, Some(_)) => vec![Input::InPlace],
            (None, None) => vec![Input::Bytes(standard_input()?)],
        };
        if let Some(times) = options.times {
            list.truncate(times as usize);
        }
        let sizes = if options.input_path.is_none() { by_size(&list) } else { Vec::new() };
        let empty = sizes.iter().filter(|(size, _)| *size == 0).count();
        let by_size = sizes.into_iter().map(|(_, run)| run).collect();
        Ok(Inputs { list, by_size, empty })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// That of this run; after the last one comes the first.
    pub fn of(&self, run: u64) -> &Input {
        &self.list[(run % self.list.len() as u64) as usize]
    }

    /// Whether the program has standard inputs of several sizes.
    pub fn differ(&self) -> bool {
        !self.by_size.is_empty()
    }

    /// So many of the runs with these, at least two: the smallest input first, the largest last.
    pub fn by_size(&self, most: usize) -> Vec<u64> {
        let (count, last) = (self.by_size.len().min(most), self.by_size.len().saturating_sub(1));
        (0..count).map(|index| self.by_size[index * last / (count - 1)]).collect()
    }

    /// The runs with the smallest of these and with the largest; and with the smallest that is not empty, where there
    /// are empty ones.
    pub fn extremes(&self) -> Vec<u64> {
        let mut extremes = vec![0, self.empty, self.by_size.len().saturating_sub(1)];
        extremes.dedup();
        extremes.into_iter().filter_map(|index| self.by_size.get(index).copied()).collect()
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

/// The sizes of these files, in order, and the first run with each of them; none, if all have the same.
fn by_size(list: &[Input]) -> Vec<(u64, u64)> {
    let size = |input: &Input| match input {
        Input::File(path) => fs::metadata(path).map_or(0, |data| data.len()),
        Input::Bytes(_) | Input::InPlace => 0,
    };
    let mut sizes: Vec<(u64, u64)> = list.iter().map(size).zip(0..).collect();
    sizes.sort_unstable();
    match (sizes.first(), sizes.last()) {
        (Some((smallest, _)), Some((largest, _))) if smallest != largest => sizes,
        _ => Vec::new(),
    }
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
