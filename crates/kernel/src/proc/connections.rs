//! TCP sockets of a thread's network namespace: `/proc/TID/net/tcp` and `tcp6`.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use libc::pid_t;

use super::{ProcError, path_of, read};

/// The address that the socket with this inode is, or is about to be, connected to. Reads the
/// table of all TCP sockets.
pub fn remote_address(tid: pid_t, inode: u64) -> Result<Option<SocketAddr>, ProcError> {
    for table in ["net/tcp", "net/tcp6"] {
        let text = read(&path_of(tid, table))?;
        let mut lines = text.split(|&byte| byte == b'\n').skip(1);
        if let Some(address) = lines.find_map(|line| remote_on(line, inode)) {
            return Ok(Some(address));
        }
    }
    Ok(None)
}

/// The remote address on the line of the socket with this inode.
fn remote_on(line: &[u8], inode: u64) -> Option<SocketAddr> {
    const REMOTE: usize = 2;
    const REMOTE_TO_INODE: usize = 6;
    let mut fields = str::from_utf8(line).ok()?.split_ascii_whitespace();
    let remote = fields.nth(REMOTE)?;
    if fields.nth(REMOTE_TO_INODE)?.parse() != Ok(inode) {
        return None;
    }
    let (address, port) = remote.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    // Each 32 bits are written as the number that this machine makes of them.
    let mut bytes = Vec::new();
    for word in address.as_bytes().chunks(8) {
        let word = u32::from_str_radix(str::from_utf8(word).ok()?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    if let Ok(address) = <[u8; 4]>::try_from(&bytes[..]) {
        return Some((Ipv4Addr::from(address), port).into());
    }
    let address = <[u8; 16]>::try_from(&bytes[..]).ok()?;
    Some((Ipv6Addr::from(address), port).into())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_connection_is_found_by_its_inode() {
        for any in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(server) = TcpListener::bind(any) else { continue };
            let address = server.local_addr().unwrap();
            let client = TcpStream::connect(address).unwrap();
            let pid = std::process::id() as pid_t;
            let (_, inode) = super::super::open_file(pid, client.as_raw_fd()).unwrap().identity;
            assert_eq!(remote_address(pid, inode).unwrap(), Some(address));
            assert_eq!(remote_address(pid, u64::MAX).unwrap(), None);
        }
    }
}
