//! Files without a name, as of `memfd_create(2)`, `O_TMPFILE`, or removed since they were opened: nobody but the
//! program has them, so what they hold is put back.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileExt, MetadataExt};

use kernel::{behalf, status_flags};

use super::file::is_nameless;
use super::named::Named;

/// So much is copied of all together, in bytes.
const MOST: u64 = 1 << 26;
/// `HUGETLBFS_MAGIC` and `MQUEUE_MAGIC`: of file systems whose files are not written as others.
const SPECIAL: [u64; 2] = [0x9584_58f6, 0x1980_0202];

/// A file without a name.
#[derive(Debug)]
pub struct Nameless {
    /// By it we read and write.
    file: File,
    content: Vec<u8>,
}

/// The files that are copied already: several descriptors and processes may have the same.
#[derive(Debug, Default)]
pub struct Copied {
    /// Their devices and inodes.
    files: BTreeSet<(u64, u64)>,
    /// What they hold together, in bytes.
    len: u64,
}

/// What a descriptor is of.
#[derive(Debug)]
pub enum Found {
    /// A file without a name.
    Nameless(Nameless),
    /// One that is copied already.
    Known,
    /// One that cannot be copied.
    Uncopied,
    /// Something else, or a file of ours.
    Other,
}

impl Nameless {
    /// That of which we have a copy of a descriptor.
    pub fn of(named: &Named, copy: &File, copied: &mut Copied) -> Found {
        let nameless = copy.metadata().ok().filter(|data| !named.is_ours && is_nameless(data));
        let Some(data) = nameless else { return Found::Other };
        let number = (data.dev(), data.ino());
        if copied.files.contains(&number) {
            return Found::Known;
        }
        let opened = File::options().read(true).write(true).open(path(copy));
        let Ok(file) = opened else {
            // We may not write it, or nobody may (a program that runs). Who has opened it before may still.
            let is_only_read = status_flags::of(copy.as_fd())
                .is_ok_and(|flags| flags & libc::O_ACCMODE == libc::O_RDONLY);
            return if is_only_read { Found::Other } else { Found::Uncopied };
        };
        match content(&file, MOST - copied.len) {
            Ok(Some(content)) => {
                copied.files.insert(number);
                copied.len += content.len() as u64;
                Found::Nameless(Nameless { file, content })
            }
            _ => Found::Uncopied,
        }
    }

    /// Puts back what it held.
    pub fn put_back(&self) -> io::Result<()> {
        let mut room = [0; 1 << 16];
        if self.file.metadata()?.len() != self.content.len() as u64 {
            self.file.set_len(self.content.len() as u64)?;
        }
        for (index, was) in self.content.chunks(room.len()).enumerate() {
            let at = (index * room.len()) as u64;
            let is = &mut room[..was.len()];
            self.file.read_exact_at(is, at)?;
            if is != was {
                self.file.write_all_at(was, at)?;
            }
        }
        Ok(())
    }
}

fn path(copy: &File) -> String {
    format!("/proc/self/fd/{}", copy.as_raw_fd())
}

/// What a file holds, if that can be copied and is `most` bytes at most.
fn content(file: &File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let len = file.metadata()?.len();
    if len > most || SPECIAL.contains(&behalf::file_system(file.as_fd())?) {
        return Ok(None);
    }
    let mut content = vec![0; len as usize];
    file.read_exact_at(&mut content, 0)?;
    Ok(Some(content))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt;

    use super::*;

    #[test]
    fn what_only_the_program_may_write_is_not_passed_over() {
        let mut options = File::options();
        options.read(true).write(true).custom_flags(libc::O_TMPFILE).mode(0o400);
        let Ok(file) = options.open("/tmp") else {
            println!("skipped: there are no files without a name");
            return;
        };
        if File::options().write(true).open(path(&file)).is_ok() {
            println!("skipped: we may write what nobody may");
            return;
        }
        let named = Named { pid: 0, fd: 0, name: String::new(), is_ours: false };
        assert!(matches!(Nameless::of(&named, &file, &mut Copied::default()), Found::Uncopied));
        let read_only = File::open(path(&file)).unwrap();
        assert!(matches!(Nameless::of(&named, &read_only, &mut Copied::default()), Found::Other));
    }

    #[test]
    fn what_was_written_cut_or_added_is_as_it_was() {
        let file = kernel::memory_file::create(c"test").unwrap();
        file.write_all_at(&[7; 200_000], 0).unwrap();
        let named = Named { pid: 0, fd: 0, name: String::new(), is_ours: false };
        let mut copied = Copied::default();
        let found = Nameless::of(&named, &file, &mut copied);
        let Found::Nameless(nameless) = found else { panic!("it is one") };
        assert!(matches!(Nameless::of(&named, &file, &mut copied), Found::Known));
        for change in 0..3 {
            match change {
                0 => file.write_all_at(&[8; 3], 100_000).unwrap(),
                1 => file.set_len(10).unwrap(),
                _ => file.write_all_at(&[8], 300_000).unwrap(),
            }
            nameless.put_back().unwrap();
            assert_eq!(content(&file, MOST).unwrap().unwrap(), [7; 200_000]);
        }
        let ours = Named { is_ours: true, ..named };
        assert!(matches!(Nameless::of(&ours, &file, &mut copied), Found::Other));
    }

    #[test]
    fn there_is_a_limit_for_all_together() {
        let files = [c"one", c"other"].map(|name| kernel::memory_file::create(name).unwrap());
        let named = Named { pid: 0, fd: 0, name: String::new(), is_ours: false };
        let mut copied = Copied { len: MOST - 1000, ..Copied::default() };
        let mut found = files.iter().map(|file| {
            file.set_len(600).unwrap();
            Nameless::of(&named, file, &mut copied)
        });
        assert!(matches!(found.next(), Some(Found::Nameless(_))));
        assert!(matches!(found.next(), Some(Found::Uncopied)));
    }
}
