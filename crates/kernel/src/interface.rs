//! Names of network interfaces: `netdevice(7)`.

use std::ffi::CStr;

use crate::toll;

/// The name of the interface with this index, in the network namespace that we are in; `None` if
/// there is none: `if_indextoname(3)`.
pub fn name(index: u32) -> Option<Vec<u8>> {
    let mut name = [0 as libc::c_char; libc::IF_NAMESIZE];
    toll::count(toll::Kind::Other);
    // SAFETY: the function writes at most `IF_NAMESIZE` bytes, a NUL among them, and `name` has as
    // many.
    let found = unsafe { libc::if_indextoname(index, name.as_mut_ptr()) };
    if found.is_null() {
        return None;
    }
    // SAFETY: what it has written ends with a NUL within `name`, which outlives the reference.
    Some(unsafe { CStr::from_ptr(name.as_ptr()) }.to_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_interface_is_the_loopback() {
        assert_eq!(name(1).as_deref(), Some(&b"lo"[..]));
        assert_eq!(name(0), None);
    }
}
