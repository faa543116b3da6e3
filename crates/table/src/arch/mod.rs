//! Call numbers of each architecture's ABI.

pub mod i386;
pub mod x32;
pub mod x86_64;
