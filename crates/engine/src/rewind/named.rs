//! Descriptors of a program, and what they are of.

use kernel::proc;

use super::Error;
use super::file::File;

/// A descriptor of the program.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its process.
    pub pid: i32,
    /// Its number.
    pub fd: i32,
    /// What it is of, as `/proc/PID/fd` has it.
    pub name: String,
    /// It is of a file that was ours before the program began: an input or an output.
    pub is_ours: bool,
}

/// All descriptors of these processes. These files were ours before the program began.
pub fn of_all(processes: &[i32], ours: &[File]) -> Result<Vec<Named>, Error> {
    let mut all = Vec::new();
    for &pid in processes {
        let list =
            proc::descriptors(pid).map_err(Error::proc("its descriptors cannot be listed"))?;
        let name = |fd: i32| proc::descriptor(pid, fd).unwrap_or_default().display().to_string();
        let is_ours = |fd: i32| ours.iter().any(|file| file.is_of(pid, fd as u64));
        let named = |fd: i32| Named { pid, fd, name: name(fd), is_ours: is_ours(fd) };
        all.extend(list.into_iter().map(named));
    }
    Ok(all)
}
