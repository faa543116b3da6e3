//! What is known of a call beside its arguments and its result.

/// What was looked up of a call when it had returned, where asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Aside {
    /// Why the virtual processor has returned: `exit_reason` of `struct kvm_run`.
    VcpuExit(u32),
    /// The namespaces that the call has made.
    Namespaces(Vec<Namespace>),
}

/// A namespace: `namespaces(7)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Namespace {
    /// Its kind, as the files in `/proc/PID/ns` are called: `net`.
    pub kind: &'static str,
    /// Its inode.
    pub inode: u64,
}
