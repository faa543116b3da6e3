//! The classes by which users pick calls: `-e trace=%file`.

/// A set of call classes, as `strace(1)` names them under `-e trace=`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Classes(u32);

macro_rules! classes {
    ($($(#[$doc:meta])* $konst:ident = $bit:literal, $($name:literal)|+;)*) => {
        impl Classes {
            /// No class.
            pub const NONE: Classes = Classes(0);
            $($(#[$doc])* pub const $konst: Classes = Classes(1 << $bit);)*

            /// Every class with the names that users give it, without the leading `%`.
            pub const NAMES: &[(&str, Classes)] = &[$($(($name, Classes::$konst)),+),*];
        }
    };
}

classes! {
    /// Takes a file name.
    FILE = 0, "file";
    /// Takes or returns a file descriptor.
    DESC = 1, "desc";
    /// Life and death of processes.
    PROCESS = 2, "process";
    /// Sockets.
    NETWORK = 3, "network" | "net";
    /// Signals.
    SIGNAL = 4, "signal";
    /// System V IPC.
    IPC = 5, "ipc";
    /// Memory mappings.
    MEMORY = 6, "memory";
    /// User and group ids, capabilities.
    CREDS = 7, "creds";
    /// Clocks.
    CLOCK = 8, "clock";
    /// Always succeeds and takes no argument.
    PURE = 9, "pure";
    /// The `stat` call and its variants of the same shape.
    STAT = 10, "stat";
    /// The `lstat` call and its variants of the same shape.
    LSTAT = 11, "lstat";
    /// The `fstat`, `fstatat` and `statx` calls.
    FSTAT = 12, "fstat";
    /// The `statfs` call and its variants of the same shape.
    STATFS = 13, "statfs";
    /// The `fstatfs` call and its variants of the same shape.
    FSTATFS = 14, "fstatfs";
    /// All of the stat family.
    STAT_LIKE = 15, "%stat";
    /// All of the statfs family.
    STATFS_LIKE = 16, "%statfs";
}

impl Classes {
    /// The union of both sets.
    #[must_use]
    pub const fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// Whether the two sets share a class.
    pub const fn intersects(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }
}
