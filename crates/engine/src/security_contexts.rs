//! The security contexts of the files that calls name: `selinux(8)`.

mod policy;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::{Capture, PathContext, SecurityContext, Tid};
use kernel::proc::security_contexts as labels;
use record::{Decoder, Value};

pub use policy::Policy;

/// Which contexts of files are looked up.
#[derive(Clone, Debug, Default)]
pub enum SecurityContexts {
    /// None.
    #[default]
    None,
    /// Those that files are labelled with.
    Actual,
    /// Beside them those that this policy would label them with.
    Compared(Arc<Policy>),
}

impl SecurityContexts {
    /// Those of files, beside what the policy in use says.
    ///
    /// # Errors
    /// There is no policy, or it cannot be read.
    pub fn compared() -> io::Result<SecurityContexts> {
        Policy::in_use(Path::new("/etc/selinux")).map(|policy| Self::Compared(Arc::new(policy)))
    }

    /// Whether any are.
    pub(crate) fn are_wanted(&self) -> bool {
        !matches!(self, SecurityContexts::None)
    }

    /// The context of the file behind a descriptor.
    pub(crate) fn of_descriptor(&self, tid: Tid, fd: i32) -> Option<SecurityContext> {
        self.of_file(PathBuf::from(format!("/proc/{tid}/fd/{fd}")))
    }

    /// Notes in the capture the contexts of the files that the call is known to name by now, by its
    /// arguments, and of which none is noted yet.
    pub(crate) fn look_up(&self, tid: Tid, call: &mut Capture) {
        if !self.are_wanted() {
            return;
        }
        let found: Vec<PathContext> = named(tid, call)
            .filter_map(|(path, file)| Some(PathContext { path, context: self.of_file(file)? }))
            .collect();
        call.path_contexts.extend(found);
    }

    fn of_file(&self, file: PathBuf) -> Option<SecurityContext> {
        let policy = match self {
            SecurityContexts::None => return None,
            SecurityContexts::Actual => None,
            SecurityContexts::Compared(policy) => Some(policy),
        };
        let actual = labels::of_file(&file)?;
        Some(SecurityContext { actual, expected: policy.and_then(|policy| policy.expected(&file)) })
    }
}

/// Where the paths among the call's arguments are in the guest, and where we find their files.
fn named(tid: Tid, call: &Capture) -> impl Iterator<Item = (contract::GuestAddr, PathBuf)> {
    let record = Decoder::default().exit(call);
    let mut directory = None;
    let mut files = Vec::new();
    for (node, _) in record.args.from(0) {
        match node.value {
            Value::DirFd(fd, _) => directory = (fd >= 0).then_some(fd),
            Value::Path { bytes, cut: false, context: None } if !bytes.is_empty() => {
                let here = call.spans().find(|(_, copy)| copy.as_ptr() == bytes.as_ptr());
                files.extend(here.map(|(span, _)| (span.addr, file(tid, directory, bytes))));
            }
            _ => {}
        }
    }
    files.into_iter()
}

/// Where we find a file that a thread names by this path, relative to this directory of its or to
/// where it is.
fn file(tid: Tid, directory: Option<i32>, path: &[u8]) -> PathBuf {
    let start = match (path, directory) {
        ([b'/', ..], _) => "root".to_owned(),
        (_, Some(fd)) => format!("fd/{fd}"),
        (_, None) => "cwd".to_owned(),
    };
    let mut whole = format!("/proc/{tid}/{start}/").into_bytes();
    whole.extend_from_slice(path);
    PathBuf::from(OsStr::from_bytes(&whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_where_the_thread_is() {
        let found = |directory, path: &str| file(Tid(7), directory, path.as_bytes());
        assert_eq!(found(None, "a/b"), Path::new("/proc/7/cwd/a/b"));
        assert_eq!(found(Some(3), "a"), Path::new("/proc/7/fd/3/a"));
        assert_eq!(found(Some(3), "/a"), Path::new("/proc/7/root/a"));
    }
}
