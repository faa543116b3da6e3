//! Sets of a few names: `-e status=`, `-e quiet=`, `--decode-fds=`.

use super::{Set, UsageError, parse_set};

/// Defines a set of a few names.
macro_rules! named_set {
    ($(#[$doc:meta])* $set:ident, $what:literal, {
        $($(#[$member_doc:meta])* $konst:ident = $bit:literal, $name:literal $(| $alias:literal)*;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $set(u8);

        impl $set {
            /// Nothing.
            pub const NONE: $set = $set(0);
            /// Everything.
            pub const ALL: $set = $set($(1 << $bit)|*);
            $($(#[$member_doc])* pub const $konst: $set = $set(1 << $bit);)*

            /// The names of the members.
            pub(in crate::cli) const NAMES: &[&str] = &[$($name),*];

            /// Whether the two sets share a member.
            pub const fn contains(self, member: $set) -> bool {
                self.0 & member.0 != 0
            }

            /// The members of both sets.
            #[must_use]
            pub const fn union(self, other: $set) -> $set {
                $set(self.0 | other.0)
            }

            pub(in crate::cli) fn parse(text: &str) -> Result<$set, UsageError> {
                parse_set($what, text, |set: &mut $set, item| {
                    let member = match item.to_ascii_lowercase().as_str() {
                        $($name $(| $alias)* => $set::$konst,)*
                        _ => return Err(unknown($what, item, $set::NAMES)),
                    };
                    *set = set.union(member);
                    Ok(())
                })
            }
        }

        impl Set for $set {
            const NONE: $set = $set::NONE;

            fn complement(self) -> $set {
                $set($set::ALL.0 & !self.0)
            }
        }
    };
}

named_set! {
    /// How a call ended.
    StatusSet, "status", {
        /// Without an error.
        SUCCESSFUL = 0, "successful";
        /// With an error.
        FAILED = 1, "failed";
        /// Not at all: the thread ended inside it.
        UNFINISHED = 2, "unfinished";
        /// It returned, but its result could not be read.
        UNAVAILABLE = 3, "unavailable";
        /// The tracer detached before it returned.
        DETACHED = 4, "detached";
    }
}

named_set! {
    /// Messages that can be left out.
    QuietSet, "quiet", {
        /// Attaching and detaching.
        ATTACH = 0, "attach";
        /// The end of a process.
        EXIT = 1, "exit" | "exits";
        /// What the paths given with `-P` stand for.
        PATH_RESOLUTION = 2, "path-resolution";
        /// A change between the 64-bit and the 32-bit ABI.
        PERSONALITY = 3, "personality";
        /// A thread that vanished because another called `execve(2)`.
        THREAD_EXECVE = 4, "thread-execve" | "superseded";
    }
}

impl QuietSet {
    /// What is said of processes beside their calls.
    pub(in crate::cli) const OF_PROCESSES: QuietSet = QuietSet::ATTACH.union(QuietSet::PERSONALITY);
}

named_set! {
    /// What is told of file descriptors.
    DecodeFds, "decode-fds", {
        /// The file's path.
        PATH = 0, "path";
        /// Protocol and addresses of a socket.
        SOCKET = 1, "socket";
        /// The numbers of a device.
        DEV = 2, "dev";
        /// The process of a pidfd.
        PIDFD = 3, "pidfd";
        /// The signals of a signalfd.
        SIGNALFD = 4, "signalfd";
        /// The count of an eventfd.
        EVENTFD = 5, "eventfd";
    }
}

named_set! {
    /// What is told of process ids.
    DecodePids, "decode-pids", {
        /// The name of the command.
        COMM = 0, "comm";
        /// The id in the tracer's pid namespace.
        PIDNS = 1, "pidns";
    }
}

named_set! {
    /// How security contexts are told.
    SecurityContextSet, "secontext", {
        /// All of them, not only the type.
        FULL = 0, "full";
        /// Beside them those that the policy expects.
        MISMATCH = 1, "mismatch";
    }
}

fn unknown(what: &str, item: &str, names: &[&str]) -> UsageError {
    UsageError::new(format!("invalid {what} '{item}'"))
        .way_out(format!("it takes all, none or a list of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{QuietSet, StatusSet};

    #[test]
    fn names_and_complements() {
        assert_eq!(StatusSet::parse("Failed"), Ok(StatusSet::FAILED));
        let both = StatusSet::SUCCESSFUL.union(StatusSet::FAILED);
        assert_eq!(StatusSet::parse("failed,successful"), Ok(both));
        assert_eq!(StatusSet::parse("all"), Ok(StatusSet::ALL));
        assert_eq!(StatusSet::parse("!none"), Ok(StatusSet::ALL));
        let but_failed = StatusSet::parse("!failed").unwrap();
        assert!(
            but_failed.contains(StatusSet::DETACHED) && !but_failed.contains(StatusSet::FAILED)
        );
        assert_eq!(QuietSet::parse("exits"), Ok(QuietSet::EXIT));
        assert_eq!(QuietSet::parse("superseded"), Ok(QuietSet::THREAD_EXECVE));
    }

    #[test]
    fn an_unknown_name_is_told_with_the_known_ones() {
        let error = StatusSet::parse("success").unwrap_err().to_string();
        assert!(error.starts_with("invalid status 'success'; "), "{error}");
        assert!(error.contains("successful, failed"), "{error}");
        assert!(StatusSet::parse("none,failed").is_err());
        assert!(StatusSet::parse("").is_err());
    }
}
