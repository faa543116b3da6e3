//! Arguments that are changed.

use crate::GuestAddr;

/// How many bytes the changed arguments of one call may have together: two paths of the longest
/// kind, and more.
pub const SCRATCH_LEN: usize = 12 << 10;

/// How many bytes a changed vector may have, with the bytes to which it leads.
pub const VECTOR_LEN: usize = 192 << 10;

/// An argument that is changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Which one, 0 to 5.
    pub index: u8,
    /// What stands in its place.
    pub content: Content,
}

/// What stands in an argument's place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// This value.
    Value(u64),
    /// A pointer to these bytes, which are in the guest's memory for the time of the call. Those of
    /// one call may have [`SCRATCH_LEN`] together.
    Bytes(Vec<u8>),
    /// A pointer to a vector of pointers that ends with NULL, as wide as the call's ABI has them:
    /// the `argv` of `execve(2)`. It may be as long as [`VECTOR_LEN`], with what it leads to.
    Vector(Vec<Element>),
}

/// What a pointer of a changed vector leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Element {
    /// What the guest has there.
    At(GuestAddr),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Element {
    /// A string, which needs no NUL.
    pub fn string(text: &[u8]) -> Element {
        Element::Bytes([text, &[0]].concat())
    }
}

impl Argument {
    /// The argument of this index becomes this value.
    pub fn value(index: u8, value: u64) -> Argument {
        Argument { index, content: Content::Value(value) }
    }

    /// The argument of this index becomes a pointer to these bytes.
    pub fn bytes(index: u8, bytes: impl Into<Vec<u8>>) -> Argument {
        Argument { index, content: Content::Bytes(bytes.into()) }
    }

    /// The argument of this index becomes a pointer to this vector, which needs no NULL.
    pub fn vector(index: u8, elements: Vec<Element>) -> Argument {
        Argument { index, content: Content::Vector(elements) }
    }

    /// The argument of this index becomes a pointer to this path, which needs no NUL.
    pub fn path(index: u8, path: impl Into<Vec<u8>>) -> Argument {
        let mut bytes = path.into();
        bytes.push(0);
        Argument::bytes(index, bytes)
    }
}
