//! Addresses of sockets that are files: `unix(7)`.

use std::io;

use super::walk::errno;

/// The kernel takes no longer address (`struct sockaddr_storage`).
pub const LONGEST: u64 = 128;

/// Where the path begins in a `struct sockaddr_un`, and how long it is at most.
const PATH: usize = 2;
const PATH_LEN: usize = 108;

/// The path of an address; `None` for one that is no file.
pub fn path(address: &[u8]) -> Option<&[u8]> {
    let family = u16::from_ne_bytes(address.get(..PATH)?.try_into().ok()?);
    if family != libc::AF_UNIX as u16 {
        return None;
    }
    let path = address.get(PATH..)?;
    let len = path.iter().position(|&byte| byte == 0).unwrap_or(path.len());
    (len > 0).then(|| &path[..len])
}

/// The address of a file, by a path with a NUL.
///
/// # Errors
/// `ENAMETOOLONG` if an address cannot hold the path.
pub fn address(path: &[u8]) -> io::Result<Vec<u8>> {
    if path.len() > PATH_LEN {
        return Err(errno(libc::ENAMETOOLONG));
    }
    Ok([&(libc::AF_UNIX as u16).to_ne_bytes()[..], path].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unix_addresses_with_names_have_paths() {
        let of = |path: &[u8]| address(path).expect("it fits");
        assert_eq!(path(&of(b"/a\0")), Some(&b"/a"[..]));
        // An abstract one, one that the kernel shall choose, another family.
        assert_eq!(path(&of(b"\0a")), None);
        assert_eq!(path(&of(b"")), None);
        assert_eq!(path(&[2, 0, 47, 97]), None);
        assert!(address(&[1; 109]).is_err());
    }
}
