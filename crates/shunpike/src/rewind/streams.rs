//! The standard streams of a guest: files without a name. What a run reads is put into one before
//! it, what it has written is found in the others after it, and neither takes a crossing.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

use kernel::memory_file;
use kernel::spawn::Program;

/// The standard streams of a guest.
pub struct Streams {
    input: File,
    outputs: [File; 2],
    /// How long the outputs were at the snapshot.
    written: [u64; 2],
}

/// What a run has written to an output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Written {
    /// How much, in bytes.
    pub len: u64,
    /// FNV-1a, 64 bits, of the bytes.
    pub hash: u64,
}

impl Streams {
    /// New ones, empty.
    pub fn new() -> io::Result<Streams> {
        let new = memory_file::create;
        let outputs = [new(c"stdout")?, new(c"stderr")?];
        Ok(Streams { input: new(c"stdin")?, outputs, written: [0; 2] })
    }

    /// A program that has these.
    pub fn give_to(&self, program: Program) -> io::Result<Program> {
        let [output, error] = &self.outputs;
        let copies = [self.input.try_clone()?, output.try_clone()?, error.try_clone()?];
        Ok(program.streams(copies.map(Into::into)))
    }

    /// The descriptor of the input.
    pub fn input(&self) -> i32 {
        self.input.as_raw_fd()
    }

    /// The descriptors of the outputs.
    pub fn outputs(&self) -> [i32; 2] {
        self.outputs.each_ref().map(AsRawFd::as_raw_fd)
    }

    /// Has the program read this.
    pub fn put(&self, input: &[u8]) -> io::Result<()> {
        self.input.write_all_at(input, 0)?;
        set_len(&self.input, input.len() as u64)
    }

    /// Notes what was written before the snapshot: each run begins with that.
    pub fn mark(&mut self) -> io::Result<()> {
        for (output, written) in self.outputs.iter().zip(&mut self.written) {
            *written = output.metadata()?.len();
        }
        Ok(())
    }

    /// Takes away what a run has written.
    pub fn clear(&self) -> io::Result<()> {
        self.outputs.iter().zip(self.written).try_for_each(|(output, len)| set_len(output, len))
    }

    /// The end of what there is on the standard error.
    pub fn last_words(&self) -> io::Result<String> {
        const MOST: u64 = 1000;
        let [_, error] = &self.outputs;
        let len = error.metadata()?.len();
        let told = len.min(MOST);
        let mut words = vec![0; told as usize];
        error.read_exact_at(&mut words, len - told)?;
        Ok(String::from_utf8_lossy(&words).into_owned())
    }

    /// How much both outputs hold.
    pub fn len(&self) -> io::Result<u64> {
        self.outputs.iter().map(|output| Ok(output.metadata()?.len())).sum()
    }

    /// What there is on both outputs, up to so many bytes.
    pub fn written(&self, most: u64) -> io::Result<[Written; 2]> {
        let [output, error] = &self.outputs;
        Ok([measure(output, most)?, measure(error, most)?])
    }
}

/// Sets the length of a file, if it has another one: to ask is a fraction of the cost.
fn set_len(file: &File, len: u64) -> io::Result<()> {
    if file.metadata()?.len() == len { Ok(()) } else { file.set_len(len) }
}

fn measure(file: &File, most: u64) -> io::Result<Written> {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut buffer = [0; 1 << 14];
    let mut written = Written { len: 0, hash: OFFSET };
    let len = file.metadata()?.len().min(most);
    while written.len < len {
        let wanted = buffer.len().min((len - written.len) as usize);
        let got = file.read_at(&mut buffer[..wanted], written.len)?;
        if got == 0 {
            break;
        }
        written.len += got as u64;
        written.hash = buffer[..got]
            .iter()
            .fold(written.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_written_is_measured() {
        let mut streams = Streams::new().unwrap();
        streams.outputs[0].write_all(b"foo").unwrap();
        streams.mark().unwrap();
        streams.outputs[0].write_all(b"bar").unwrap();
        // The test vectors of the hash's authors.
        let expected = Written { len: 6, hash: 0x8594_4171_f739_67e8 };
        let nothing = Written { len: 0, hash: 0xcbf2_9ce4_8422_2325 };
        assert_eq!(streams.written(u64::MAX).unwrap(), [expected, nothing]);
        assert_eq!(streams.written(2).unwrap()[0].len, 2);
        streams.clear().unwrap();
        assert_eq!(streams.written(u64::MAX).unwrap()[0].len, 3);
    }
}
