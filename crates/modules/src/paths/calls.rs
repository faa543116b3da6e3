//! A path among a call's arguments, and what the call does with it.

use super::caller::Last;

/// A path among a call's arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathArg {
    /// The register that points to it, 0 to 5.
    pub register: u8,
    /// The register with the descriptor that it is relative to; `None`: it is the working directory.
    pub dirfd: Option<u8>,
    /// Whether a last symbolic link is followed.
    pub links: Links,
    /// What the call does to the file.
    pub does: Does,
}

/// Whether a call follows a symbolic link that is a path's last name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// It does.
    Followed,
    /// It does not.
    Kept,
    /// It does not, and a slash behind the name changes nothing.
    Named,
    /// It does not if this register has one of these bits.
    KeptIf(u8, u64),
    /// It does if this register has one of these bits.
    FollowedIf(u8, u64),
    /// As `open(2)` with the flags of this register.
    Opened(u8),
    /// As `openat2(2)` with the struct to which this register points.
    OpenedAs(u8),
}

/// What a call does to the file of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    /// It changes nothing.
    Looks,
    /// It opens it as [`Links`] says.
    Opens,
    /// It empties it, or makes it (`creat(2)`).
    Empties,
    /// It makes a new name.
    Makes,
    /// It gives it another name: by that it can be changed.
    Links,
    /// It removes or replaces a name.
    Removes,
    /// It changes the file or what is known of it.
    Changes,
    /// It asks whether it may be changed, if this register has `W_OK`.
    Asks(u8),
    /// It mounts it, if this register has `MS_BIND` or `MS_MOVE`: else the text may be no path.
    Mounts(u8),
}

const W_OK: u64 = 2;
/// `MS_BIND` and `MS_MOVE`.
const MS_OF_FILES: u64 = 0x1000 | 0x2000;

impl Links {
    /// Whether a call with these registers follows a last link. `how` are the flags of `openat2(2)`.
    pub fn last(self, args: &[u64; 6], how: u64) -> Last {
        let of = |register: u8| args[usize::from(register)];
        let opened = |flags: u64| {
            let kept = flags & libc::O_NOFOLLOW as u64 != 0
                || flags & libc::O_CREAT as u64 != 0 && flags & libc::O_EXCL as u64 != 0;
            if kept { Last::Keep } else { Last::Follow }
        };
        match self {
            Links::Followed => Last::Follow,
            Links::Kept => Last::Keep,
            Links::Named => Last::Name,
            Links::KeptIf(register, bits) if of(register) & bits != 0 => Last::Keep,
            Links::KeptIf(..) => Last::Follow,
            Links::FollowedIf(register, bits) if of(register) & bits != 0 => Last::Follow,
            Links::FollowedIf(..) => Last::Keep,
            Links::Opened(register) => opened(of(register)),
            Links::OpenedAs(_) => opened(how),
        }
    }
}

/// What a call would do to a file that is not to be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// Nothing.
    Never,
    /// It changes it if it is there, and makes it if not.
    File,
    /// It changes it if it is there.
    IfThere,
    /// It changes the directory, if the name is not there already.
    UnlessThere,
    /// It changes the directory.
    Directory,
    /// It changes the directory that it names.
    Inside,
}

impl PathArg {
    /// Whether this text is a path to a call with these registers: only an absolute one may be the name of a
    /// device.
    pub fn is_path(&self, args: &[u64; 6], text: &[u8]) -> bool {
        match self.does {
            Does::Mounts(register) => {
                args[usize::from(register)] & MS_OF_FILES != 0 || text.starts_with(b"/")
            }
            _ => true,
        }
    }

    /// What a call with these registers writes. `how` are the flags of `openat2(2)`.
    pub fn writes(&self, args: &[u64; 6], how: u64) -> Writes {
        let of = |register: u8| args[usize::from(register)];
        let opened = |flags: u64| {
            let flags = flags as i32;
            let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
            match (flags & libc::O_PATH != 0, flags & libc::O_CREAT != 0) {
                (true, _) => Writes::Never,
                _ if flags & libc::O_TMPFILE == libc::O_TMPFILE => Writes::Inside,
                (false, true) if writes => Writes::File,
                (false, true) => Writes::UnlessThere,
                (false, false) if writes => Writes::IfThere,
                (false, false) => Writes::Never,
            }
        };
        match (self.does, self.links) {
            (Does::Opens, Links::Opened(register)) => opened(of(register)),
            (Does::Opens, _) => opened(how),
            (Does::Looks | Does::Links | Does::Mounts(_), _) => Writes::Never,
            (Does::Empties, _) => Writes::File,
            (Does::Makes, _) => Writes::UnlessThere,
            (Does::Removes, _) => Writes::Directory,
            (Does::Changes, _) => Writes::IfThere,
            (Does::Asks(register), _) if of(register) & W_OK != 0 => Writes::IfThere,
            (Does::Asks(_), _) => Writes::Never,
        }
    }
}
