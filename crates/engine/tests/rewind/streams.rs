//! What programs read and write: files without a name.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use kernel::memory_file;
use kernel::spawn::Program;

/// What a program reads and writes.
pub struct Streams {
    pub input: File,
    output: File,
}

impl Streams {
    pub fn new() -> Streams {
        let new = || memory_file::create(c"stream").unwrap();
        Streams { input: new(), output: new() }
    }

    pub fn program(&self, path: &str, args: &[&str]) -> Program {
        let args = [path].iter().chain(args).map(|arg| arg.as_bytes().to_vec()).collect();
        // Little memory for each thread.
        let environment = ["PATH=/usr/bin:/bin", "MALLOC_ARENA_MAX=1"];
        let environment = environment.map(|variable| variable.as_bytes().to_vec());
        let program = Program::new(path.into(), args, environment.into());
        program.unwrap().streams(self.copies().map(Into::into))
    }

    /// Standard input, output and error.
    pub fn copies(&self) -> [File; 3] {
        [&self.input, &self.output, &self.output].map(|file| file.try_clone().unwrap())
    }

    /// The next run reads this.
    pub fn give(&mut self, input: &str) {
        self.input.set_len(0).unwrap();
        self.input.write_all_at(input.as_bytes(), 0).unwrap();
        self.input.seek(SeekFrom::Start(0)).unwrap();
        self.output.set_len(0).unwrap();
        self.output.seek(SeekFrom::Start(0)).unwrap();
    }

    pub fn written(&self) -> String {
        let mut bytes = vec![0; self.output.metadata().unwrap().len() as usize];
        self.output.read_exact_at(&mut bytes, 0).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}
