//! What a guest's sockets are connected to.

use std::collections::HashMap;
use std::net::SocketAddr;

use contract::{Pid, Socket, SocketName, Tid};
use kernel::guest_socket::{Address, GuestSocket, TCP_CLOSE, TCP_SYN_SENT};
use kernel::proc::connections;
use kernel::unix_diag::UnixDiag;

/// How many connections are remembered.
const CONNECTIONS_KEPT: usize = 4096;

/// Looks at sockets.
#[derive(Debug, Default)]
pub struct Sockets {
    unix: Option<UnixDiag>,
    /// The ends of TCP connections that were seen, by the socket's inode, its own first. A socket whose
    /// connection is over no longer tells what it was.
    connections: HashMap<u64, (SocketAddr, Option<SocketAddr>)>,
    /// What Unix sockets were connected to, by inode: they no longer tell it when their peer is gone.
    unix_peers: HashMap<u64, u32>,
}

impl Sockets {
    /// The socket behind a guest's descriptor.
    pub fn look_up(&mut self, process: Pid, tid: Tid, fd: i32) -> Option<Socket> {
        let socket = GuestSocket::borrow(process.0, tid.0, fd).ok()?;
        let inode = socket.inode().ok()?;
        let protocol = socket.protocol_name().ok()?;
        let name = self.name(tid, &socket, inode).unwrap_or(SocketName::None);
        Some(Socket { protocol, inode, name })
    }

    /// The addresses of a socket that has any.
    fn name(&mut self, tid: Tid, socket: &GuestSocket, inode: u64) -> Option<SocketName> {
        match socket.local().ok()?? {
            Address::Inet(local) if local.port() == 0 || socket.is_raw().ok()? => None,
            Address::Inet(local) => self.inet(tid, socket, inode, local),
            Address::Unix(path) => Some(SocketName::Unix { peer: self.unix_peer(inode), path }),
            Address::Netlink(0) => None,
            Address::Netlink(port) => {
                let protocol = socket.protocol().ok()? as u32;
                Some(SocketName::Netlink { protocol, port })
            }
        }
    }

    /// The ends of a socket; of a TCP socket also what it is about to be connected to, or was last.
    fn inet(
        &mut self,
        tid: Tid,
        socket: &GuestSocket,
        inode: u64,
        local: SocketAddr,
    ) -> Option<SocketName> {
        let connected = match socket.peer() {
            Ok(Some(Address::Inet(peer))) => Some(peer),
            _ => None,
        };
        let Ok(state) = socket.tcp_state() else {
            return Some(SocketName::Inet { local, peer: connected });
        };
        let peer = match (connected, state) {
            (None, TCP_SYN_SENT) => connections::remote_address(tid.0, inode).ok().flatten(),
            (None, TCP_CLOSE) => match self.connections.get(&inode) {
                Some((then, peer)) => peer.filter(|_| *then == local),
                // Nobody looked before it was refused: it has no address any more, whatever it says.
                None if socket.has_sent() => return None,
                None => None,
            },
            (connected, _) => connected,
        };
        if self.connections.len() >= CONNECTIONS_KEPT {
            self.connections.clear();
        }
        self.connections.insert(inode, (local, peer));
        Some(SocketName::Inet { local, peer })
    }

    /// What a Unix socket is connected to, or was last.
    fn unix_peer(&mut self, inode: u64) -> Option<u32> {
        if self.unix.is_none() {
            self.unix = UnixDiag::open().ok();
        }
        match self.unix.as_mut()?.peer(u32::try_from(inode).ok()?).ok()? {
            Some(peer) => {
                if self.unix_peers.len() >= CONNECTIONS_KEPT {
                    self.unix_peers.clear();
                }
                self.unix_peers.insert(inode, peer);
                Some(peer)
            }
            None => self.unix_peers.get(&inode).copied(),
        }
    }
}
