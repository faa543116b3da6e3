//! Which sockets of `netlink(7)` guests have.
//!
//! What goes over such a socket is decoded by its protocol, and captured whole. That is asked of
//! the socket itself, at the stop of the call; but not of every socket: see
//! docs/decisions/0019-whose-socket-is-asked-for-its-protocol.md.

use std::collections::HashMap;
use std::path::PathBuf;

use contract::{Arch, Capture, NetlinkSocket, Pid, Tid};
use kernel::guest_socket::{Address, GuestSocket};
use kernel::proc;
use table::Id;
use table::arch::x86_64::{RECVFROM, RECVMMSG, RECVMSG, SENDMMSG, SENDMSG, SENDTO, SOCKET};

/// The calls that send and receive messages; the first argument is the socket.
pub const MESSAGE_CALLS: [Id; 6] = [SENDTO, RECVFROM, SENDMSG, RECVMSG, SENDMMSG, RECVMMSG];
/// The address family.
pub const AF_NETLINK: u64 = libc::AF_NETLINK as u64;
/// Stands for all descriptors from here on.
const LAST_BIT: u32 = 63;

/// The descriptors at which processes may have such sockets.
#[derive(Debug, Default)]
pub struct NetlinkSockets(HashMap<Pid, u64>);

impl NetlinkSockets {
    /// The descriptors of a process that may be such sockets, bit n for descriptor n, the last bit
    /// for all others.
    pub fn candidates(&self, process: Pid) -> u64 {
        self.0.get(&process).copied().unwrap_or(0)
    }

    /// The socket that a call is about, if it sends or receives messages of netlink.
    pub fn look_up(&mut self, process: Pid, tid: Tid, call: &Capture) -> Option<NetlinkSocket> {
        let number = call.arch.native_number(call.number);
        if !MESSAGE_CALLS.iter().any(|id| number == id.number.into()) {
            return None;
        }
        let fd = call.args[0] as u32;
        let bit = 1 << fd.min(LAST_BIT);
        let candidates = self.0.get_mut(&process).filter(|candidates| **candidates & bit != 0)?;
        // Who is gone, or was never open, is asked again.
        let socket = GuestSocket::borrow(process.0, tid.0, fd as i32).ok()?;
        match socket.local() {
            Ok(Some(Address::Netlink(port))) => {
                let protocol = if port == 0 { None } else { socket.protocol().ok() };
                Some(NetlinkSocket { protocol: protocol.map(|number| number as u32) })
            }
            _ if fd < LAST_BIT => {
                *candidates &= !bit;
                None
            }
            _ => None,
        }
    }

    /// A process is about to make this call. Returns whether it makes such a socket: whichever
    /// descriptor that gets, now or by `dup(2)`.
    pub fn note_call(&mut self, process: Pid, arch: Arch, number: u64, args: &[u64; 6]) -> bool {
        let number = arch.native_number(number);
        let makes = number == SOCKET.number.into() && u64::from(args[0] as u32) == AF_NETLINK;
        if makes {
            self.0.insert(process, u64::MAX);
        }
        makes
    }

    /// A process has begun as a copy of its maker, and has the same sockets.
    pub fn inherit(&mut self, process: Pid, maker: Pid) {
        match self.candidates(maker) {
            0 => {}
            candidates => _ = self.0.insert(process, candidates),
        }
    }

    /// A process has begun, or runs already, whose sockets nobody has seen being made: any of its
    /// descriptors may be one. Those that share a bit are asked now, as they would be asked at each
    /// call.
    pub fn look_at(&mut self, process: Pid) {
        let descriptors = proc::descriptors(process.0).unwrap_or_default();
        let may_be_socket = |fd: &i32| {
            let target = || proc::descriptor(process.0, *fd);
            let is_socket =
                |path: PathBuf| path.as_os_str().as_encoded_bytes().starts_with(b"socket:");
            (*fd as u32) < LAST_BIT || target().is_ok_and(is_socket)
        };
        let bits = descriptors.into_iter().filter(may_be_socket);
        let candidates = bits.fold(0, |bits, fd| bits | 1 << (fd as u32).min(LAST_BIT));
        if candidates != 0 {
            self.0.insert(process, candidates);
        }
    }

    /// A process has ended.
    pub fn forget(&mut self, process: Pid) {
        self.0.remove(&process);
    }
}
