//! A guest's sockets, looked at through a descriptor of our own: `pidfd_getfd(2)`.
//!
//! The socket itself tells its addresses, whatever network namespace it belongs to and however
//! many sockets there are; `/proc/PID/net` and `sock_diag(7)` can say neither for all of them.
//! While the [`GuestSocket`] lives, the socket stays open even if the guest closes it.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use libc::{c_int, pid_t};

use crate::{pidfd, toll};

/// A TCP socket that tries to connect.
pub const TCP_SYN_SENT: u8 = 2;
/// A TCP socket without a connection, or whose connection is over.
pub const TCP_CLOSE: u8 = 7;

/// Where `struct tcp_info` says how many segments were sent.
const SEGMENTS_SENT: usize = 136;

/// A guest's socket.
#[derive(Debug)]
pub struct GuestSocket(File);

/// An address of a socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    /// IPv4 or IPv6.
    Inet(SocketAddr),
    /// A path, an abstract name with its NUL in front, or empty: `unix(7)`.
    Unix(Vec<u8>),
    /// The socket's id: `netlink(7)`.
    Netlink(u32),
}

impl GuestSocket {
    /// The socket behind a descriptor of a guest thread; `process` is the thread's process.
    ///
    /// # Errors
    /// `EBADF` if there is no such descriptor, `EPERM` if we may not trace the thread, `ENOSYS`
    /// before Linux 5.6.
    pub fn borrow(process: pid_t, tid: pid_t, fd: c_int) -> io::Result<GuestSocket> {
        Ok(GuestSocket(File::from(pidfd::copy_descriptor(process, tid, fd)?)))
    }

    /// Its inode, as in `socket:[123]`.
    pub fn inode(&self) -> io::Result<u64> {
        toll::count(toll::Kind::Other);
        Ok(self.0.metadata()?.ino())
    }

    /// The kernel's name of its protocol: `TCP`, `UNIX-STREAM`.
    pub fn protocol_name(&self) -> io::Result<String> {
        let mut name = [0_u8; 64];
        toll::count(toll::Kind::Other);
        // SAFETY: the attribute's name ends with NUL, and the kernel writes at most the size that
        // it is given.
        let len = unsafe {
            let attribute = c"system.sockprotoname".as_ptr();
            libc::fgetxattr(self.0.as_raw_fd(), attribute, name.as_mut_ptr().cast(), name.len())
        };
        if len < 0 {
            return Err(io::Error::last_os_error());
        }
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    /// Whether it is a raw socket: its port, where it shows one, is a protocol's number.
    pub fn is_raw(&self) -> io::Result<bool> {
        Ok(self.kind()? == libc::SOCK_RAW)
    }

    /// Its kind: `SOCK_STREAM` and its like.
    pub fn kind(&self) -> io::Result<c_int> {
        self.option(libc::SOL_SOCKET, libc::SO_TYPE).map(c_int::from_ne_bytes)
    }

    /// The number of its protocol within its address family.
    pub fn protocol(&self) -> io::Result<c_int> {
        self.option(libc::SOL_SOCKET, libc::SO_PROTOCOL).map(c_int::from_ne_bytes)
    }

    /// The state of its connection (`tcp(7)`). Fails if it is no TCP socket.
    pub fn tcp_state(&self) -> io::Result<u8> {
        let [state] = self.option(libc::IPPROTO_TCP, libc::TCP_INFO)?;
        Ok(state)
    }

    /// Whether a TCP socket has ever sent anything, be it only to connect.
    pub fn has_sent(&self) -> bool {
        let info = self.option::<{ SEGMENTS_SENT + 4 }>(libc::IPPROTO_TCP, libc::TCP_INFO);
        info.is_ok_and(|info| info[SEGMENTS_SENT..] != [0; 4])
    }

    /// Its own address; `None` for a family that [`Address`] does not know.
    pub fn local(&self) -> io::Result<Option<Address>> {
        self.address(libc::getsockname)
    }

    /// The address that it is connected to. Fails with `ENOTCONN` if there is none.
    pub fn peer(&self) -> io::Result<Option<Address>> {
        self.address(libc::getpeername)
    }

    /// The first bytes of an option's value.
    fn option<const LEN: usize>(&self, level: c_int, option: c_int) -> io::Result<[u8; LEN]> {
        let mut value = [0; LEN];
        let mut len = LEN as libc::socklen_t;
        toll::count(toll::Kind::Other);
        // SAFETY: the kernel writes at most `len` bytes to `value`, which has as many.
        let result = unsafe {
            let value = value.as_mut_ptr().cast();
            libc::getsockopt(self.0.as_raw_fd(), level, option, value, &mut len)
        };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
    }

    fn address(
        &self,
        get: unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut libc::socklen_t) -> c_int,
    ) -> io::Result<Option<Address>> {
        let mut storage = MaybeUninit::<[u8; size_of::<libc::sockaddr_storage>()]>::zeroed();
        let mut len = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
        toll::count(toll::Kind::Other);
        // SAFETY: both `getsockname(2)` and `getpeername(2)` write at most `len` bytes of address,
        // and `storage` has as many.
        let result = unsafe { get(self.0.as_raw_fd(), storage.as_mut_ptr().cast(), &mut len) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all zeroes are valid bytes, and so is what the kernel wrote over them.
        let storage = unsafe { storage.assume_init() };
        // An address that does not fit is cut, and its whole length is told.
        Ok(parse(&storage[..storage.len().min(len as usize)]))
    }
}

/// Takes a `struct sockaddr` apart.
fn parse(bytes: &[u8]) -> Option<Address> {
    let (family, rest) = bytes.split_first_chunk()?;
    match c_int::from(u16::from_ne_bytes(*family)) {
        libc::AF_INET => {
            let (port, rest) = rest.split_first_chunk()?;
            let address = Ipv4Addr::from(*rest.first_chunk::<4>()?);
            Some(Address::Inet((address, u16::from_be_bytes(*port)).into()))
        }
        libc::AF_INET6 => {
            let (port, rest) = rest.split_first_chunk()?;
            let (_flow, rest) = rest.split_first_chunk::<4>()?;
            let address = Ipv6Addr::from(*rest.first_chunk::<16>()?);
            let address = SocketAddrV6::new(address, u16::from_be_bytes(*port), 0, 0);
            Some(Address::Inet(address.into()))
        }
        // A path ends with a NUL, which counts; an abstract name has only the one in front.
        libc::AF_UNIX => Some(Address::Unix(match rest.split_last() {
            Some((0, path)) if rest[0] != 0 => path.to_vec(),
            _ => rest.to_vec(),
        })),
        libc::AF_NETLINK => {
            let (_padding, rest) = rest.split_first_chunk::<2>()?;
            Some(Address::Netlink(u32::from_ne_bytes(*rest.first_chunk()?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr as UnixAddr, UnixDatagram};

    use super::*;

    fn borrow(socket: &impl AsRawFd) -> GuestSocket {
        let pid = std::process::id() as pid_t;
        GuestSocket::borrow(pid, pid, socket.as_raw_fd()).unwrap()
    }

    #[test]
    fn a_connection_tells_both_ends() {
        for any in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(server) = TcpListener::bind(any) else { continue };
            let client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
            let seen = borrow(&client);
            assert_eq!(seen.local().unwrap(), client.local_addr().ok().map(Address::Inet));
            assert_eq!(seen.peer().unwrap(), server.local_addr().ok().map(Address::Inet));
            assert!(!seen.is_raw().unwrap());
            assert!(![TCP_SYN_SENT, TCP_CLOSE].contains(&seen.tcp_state().unwrap()));
            let listening = borrow(&server);
            assert!(seen.has_sent() && !listening.has_sent());
            assert_eq!(listening.peer().unwrap_err().raw_os_error(), Some(libc::ENOTCONN));
            assert!(listening.protocol_name().unwrap().starts_with("TCP"));
            assert_ne!(listening.inode().unwrap(), seen.inode().unwrap());
        }
    }

    #[test]
    fn names_in_the_unix_domain() {
        let name = format!("shunpike test {}", std::process::id());
        let address = UnixAddr::from_abstract_name(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        let expected = [b"\0", name.as_bytes()].concat();
        assert_eq!(borrow(&socket).local().unwrap(), Some(Address::Unix(expected)));
        let unnamed = UnixDatagram::unbound().unwrap();
        assert!(borrow(&unnamed).tcp_state().is_err());
        assert_eq!(borrow(&unnamed).local().unwrap(), Some(Address::Unix(Vec::new())));
        assert_eq!(parse(b"\x01\0/tmp/s\0"), Some(Address::Unix(b"/tmp/s".into())));
    }

    #[test]
    fn what_is_not_open_cannot_be_borrowed() {
        let pid = std::process::id() as pid_t;
        let error = GuestSocket::borrow(pid, pid, c_int::MAX).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EBADF));
    }
}
