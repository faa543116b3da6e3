//! Whom SELinux takes a file for.

use crate::GuestAddr;

/// The security context of a file, as the file is labelled with: `user:role:type:level`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecurityContext {
    /// The context, without a NUL.
    pub actual: Vec<u8>,
    /// What the policy would label the file with, where that was asked for and the policy knows it.
    pub expected: Option<Vec<u8>>,
}

/// A path that a call names, and the context of its file when the call was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathContext {
    /// Where the path is in the guest's memory.
    pub path: GuestAddr,
    /// The context.
    pub context: SecurityContext,
}
