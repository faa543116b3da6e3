//! Descriptors of a program, and what they are of.

use kernel::proc;

use super::Error;

/// A descriptor of the program.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its process.
    pub pid: i32,
    /// Its number.
    pub fd: i32,
    /// What it is of, as `/proc/PID/fd` has it.
    pub name: String,
}

/// All descriptors of these processes.
pub fn of_all(processes: &[i32]) -> Result<Vec<Named>, Error> {
    let mut all = Vec::new();
    for &pid in processes {
        let list =
            proc::descriptors(pid).map_err(Error::proc("its descriptors cannot be listed"))?;
        let name = |fd: i32| proc::descriptor(pid, fd).unwrap_or_default().display().to_string();
        all.extend(list.into_iter().map(|fd| Named { pid, fd, name: name(fd) }));
    }
    Ok(all)
}
