//! The image, as it is mapped into the guest at [`crate::abi::IMAGE`].

use crate::abi::Symbols;

/// Its bytes: code and constants, not to be relocated, never written. The first page is the trusted
/// page.
pub static IMAGE_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/image.bin"));

include!(concat!(env!("OUT_DIR"), "/image.rs"));
