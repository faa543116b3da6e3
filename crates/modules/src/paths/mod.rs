//! What guests call files: a guest's path and the host's name of the same file.
//!
//! The kernel does the walking wherever it can. A guest's working directory and descriptors are real
//! directories of the host, so a relative path mostly needs no change, and an absolute path below a
//! [`Place`] is a replaced beginning. Only a path that crosses from one place to another by `..` or by a
//! symbolic link is walked here, name by name.

mod caller;
mod calls;
mod errno;
mod map;
pub mod path_calls;
mod plain;
mod proc_files;
mod seen;
mod tree;
mod view;
mod walk;

/// The longest path that the kernel takes, with the NUL at its end.
pub(crate) const PATH_MAX: usize = 4096;

pub(crate) use caller::ends_with_dots;
pub use caller::{Caller, Follows, Last};
pub use calls::{Does, Links, PathArg, Writes};
pub use errno::Errno;
pub use map::{Access, Map, MapError, Place, Spot, Target};
pub use plain::Plain;
pub use proc_files::{Link, link, process_of};
pub use seen::{Seen, name_of};
pub use tree::{HostTree, Leads, Met, Tree, meets_link};
pub use view::see;
