//! Buffers and the files behind them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use record::{Tid, errno};

/// Where bytes go.
pub(super) enum Target {
    /// To one place, whichever thread caused them.
    Shared(Shared),
    /// To one file a thread.
    PerThread(ThreadFiles),
    /// Nowhere.
    Closed,
}

impl Target {
    pub fn write(&mut self, tid: Tid, bytes: &[u8]) -> io::Result<()> {
        match self {
            Target::Shared(shared) => shared.write(bytes),
            Target::PerThread(files) => files.write(tid, bytes),
            Target::Closed => Ok(()),
        }
    }

    /// Whether bytes wait in a buffer.
    pub fn is_waiting(&self) -> bool {
        match self {
            Target::Shared(shared) => !shared.buffer.is_empty(),
            Target::PerThread(files) => files.waiting,
            Target::Closed => false,
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Shared(shared) => shared.empty(),
            Target::PerThread(files) => files.flush(),
            Target::Closed => Ok(()),
        }
    }

    /// No more bytes come from this thread.
    pub fn close(&mut self, tid: Tid) -> io::Result<()> {
        match self {
            Target::PerThread(files) => files.close(tid),
            Target::Shared(_) | Target::Closed => Ok(()),
        }
    }
}

/// One place for all bytes.
pub(super) struct Shared {
    writer: Box<dyn Write>,
    buffer: Vec<u8>,
    live: bool,
}

impl Shared {
    const BUFFER: usize = 64 << 10;

    pub fn live(writer: Box<dyn Write>) -> Shared {
        Shared { writer, buffer: Vec::new(), live: true }
    }

    pub fn buffered(writer: Box<dyn Write>) -> Shared {
        let buffer = Vec::with_capacity(Shared::BUFFER);
        Shared { writer, buffer, live: false }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.live {
            self.writer.write_all(bytes)?;
            return self.writer.flush();
        }
        if self.buffer.len() + bytes.len() > Shared::BUFFER {
            self.empty()?;
        }
        if bytes.len() > Shared::BUFFER {
            return self.writer.write_all(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn empty(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.buffer)?;
        self.buffer.clear();
        self.writer.flush()
    }
}

/// The error with the name of its file.
fn cannot_open(path: &OsStr, error: &io::Error) -> io::Error {
    let answer = error.raw_os_error().and_then(|number| errno::message(number as u32));
    let answer = answer.map_or_else(|| error.to_string(), str::to_owned);
    io::Error::new(error.kind(), format!("Can't fopen '{}': {answer}", path.display()))
}

/// One file a thread.
pub(super) struct ThreadFiles {
    path: PathBuf,
    append: bool,
    threads: HashMap<Tid, ThreadFile>,
    open: usize,
    /// A thread may have bytes in its buffer.
    waiting: bool,
}

#[derive(Default)]
struct ThreadFile {
    buffer: Vec<u8>,
    file: Option<File>,
    /// The file was made by us: what it holds is to be kept.
    made: bool,
}

impl ThreadFiles {
    /// Buffered bytes of one thread; there may be thousands of threads.
    const BUFFER: usize = 8 << 10;
    /// Files kept open, well below the customary limit of 1,024.
    const MOST_OPEN: usize = 256;

    pub fn new(path: PathBuf, append: bool) -> ThreadFiles {
        ThreadFiles { path, append, threads: HashMap::new(), open: 0, waiting: false }
    }

    fn write(&mut self, tid: Tid, bytes: &[u8]) -> io::Result<()> {
        let thread = self.threads.entry(tid).or_default();
        thread.buffer.extend_from_slice(bytes);
        if thread.buffer.len() >= ThreadFiles::BUFFER {
            return self.empty(tid);
        }
        self.waiting = true;
        Ok(())
    }

    fn empty(&mut self, tid: Tid) -> io::Result<()> {
        if self.open >= ThreadFiles::MOST_OPEN {
            self.threads.values_mut().for_each(|thread| thread.file = None);
            self.open = 0;
        }
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        if thread.buffer.is_empty() {
            return Ok(());
        }
        let file = match &mut thread.file {
            Some(file) => file,
            closed => {
                let opened = open(&self.path, tid, self.append || thread.made)?;
                self.open += 1;
                thread.made = true;
                closed.insert(opened)
            }
        };
        file.write_all(&thread.buffer)?;
        thread.buffer.clear();
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.waiting = false;
        let waiting: Vec<Tid> = self
            .threads
            .iter()
            .filter(|(_, thread)| !thread.buffer.is_empty())
            .map(|(tid, _)| *tid)
            .collect();
        waiting.into_iter().try_for_each(|tid| self.empty(tid))
    }

    /// Keeps no more of the thread than that its file was made: its id may be given again. A thread
    /// of which there was nothing to tell has an empty file.
    fn close(&mut self, tid: Tid) -> io::Result<()> {
        self.empty(tid)?;
        let thread = self.threads.entry(tid).or_default();
        if !thread.made {
            open(&self.path, tid, self.append)?;
            thread.made = true;
        }
        thread.buffer = Vec::new();
        self.open -= usize::from(thread.file.take().is_some());
        Ok(())
    }
}

/// Opens a thread's file; what it holds is kept or not.
fn open(path: &Path, tid: Tid, keep: bool) -> io::Result<File> {
    let mut path = OsString::from(path);
    path.push(format!(".{tid}"));
    OpenOptions::new()
        .create(true)
        .write(true)
        .append(keep)
        .truncate(!keep)
        .open(&path)
        .map_err(|error| cannot_open(&path, &error))
}
