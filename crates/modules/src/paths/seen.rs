//! What the kernel is given for a path of a guest.

use super::caller::Caller;
use super::plain::{Plain, names};

/// What the kernel is to be given for a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The path; `None`: as the guest gave it.
    pub path: Option<Vec<u8>>,
    /// The guest's name for the file, without symbolic links but for one that the call is about. `None`
    /// where nobody had to know it: the path begins at a descriptor or the working directory and stays
    /// where it began.
    pub guest: Option<Plain>,
    /// The link of `/proc` by which the kernel is to find the file, on the host.
    pub link: Option<Plain>,
}

impl Seen {
    /// The path as the guest gave it.
    pub(super) const UNCHANGED: Seen = Seen { path: None, guest: None, link: None };
}

/// The guest's name for what a path leads to, looked up where nobody had to know it.
pub fn name_of(seen: &Seen, caller: &dyn Caller, path: &[u8]) -> Option<Plain> {
    match (&seen.guest, &seen.path) {
        (Some(guest), _) => Some(guest.clone()),
        (None, Some(_)) => None,
        (None, None) if path.starts_with(b"/") => None,
        (None, None) => {
            let mut name = caller.start()?;
            for part in names(path) {
                match part {
                    b"." => {}
                    b".." => return None,
                    part => name.push(part),
                }
            }
            Some(name)
        }
    }
}
