//! What file descriptors stand for.

use std::net::SocketAddr;

use crate::SecurityContext;

/// What a file descriptor stands for, looked up when the call was seen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FdInfo {
    /// The descriptor.
    pub fd: i32,
    /// The target of `/proc/PID/fd/N`: a path, `socket:[…]`, `anon_inode:…`.
    pub target: Vec<u8>,
    /// The target was a path, and no longer leads to this file.
    pub deleted: bool,
    /// The security context of what it refers to, where asked for.
    pub context: Option<SecurityContext>,
    /// What else is known of it, where asked for.
    pub detail: FdDetail,
}

/// What is known of a descriptor beside its target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum FdDetail {
    /// Nothing.
    #[default]
    None,
    /// A socket.
    Socket(Socket),
    /// A device file.
    Device {
        /// A block device, not a character device.
        block: bool,
        /// Its major number.
        major: u32,
        /// Its minor number.
        minor: u32,
    },
    /// A process, by its id in the supervisor's pid namespace: `pidfd_open(2)`.
    Process(i32),
    /// Signals to be read, bit n-1 for signal n: `signalfd(2)`.
    Signals(u64),
    /// A counter: `eventfd(2)`.
    Counter(u64),
}

/// What is known of a socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Socket {
    /// The kernel's name of the protocol: `TCPv6`, `UNIX-STREAM`.
    pub protocol: String,
    /// Its inode.
    pub inode: u64,
    /// Its addresses.
    pub name: SocketName,
}

/// The addresses of a socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SocketName {
    /// None that is known.
    None,
    /// IPv4 or IPv6.
    Inet {
        /// Its own.
        local: SocketAddr,
        /// What it is connected to.
        peer: Option<SocketAddr>,
    },
    /// `unix(7)`.
    Unix {
        /// The inode of the socket that it is connected to.
        peer: Option<u32>,
        /// Its own name: a path, or an abstract name with the NUL in front that marks it; empty
        /// if it has none.
        path: Vec<u8>,
    },
    /// `netlink(7)`.
    Netlink {
        /// The protocol's number.
        protocol: u32,
        /// The socket's id within the protocol.
        port: u32,
    },
}

/// A socket of `netlink(7)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetlinkSocket {
    /// The number of its protocol, where the socket is bound; else it is not looked for.
    pub protocol: Option<u32>,
}

/// An object of `bpf(2)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BpfObject {
    /// What it is.
    pub kind: BpfKind,
    /// When the machine was started, in nanoseconds since 1970: since then times of such objects count.
    pub started: u64,
}

/// What an object of `bpf(2)` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BpfKind {
    /// A map.
    Map = 1,
    /// A program.
    Program = 2,
}

/// Which of the things that descriptors stand for are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FdDetails {
    /// Paths, and the kernel's words for what has none.
    pub paths: bool,
    /// Protocols and addresses of sockets.
    pub sockets: bool,
    /// Numbers of devices.
    pub devices: bool,
    /// Processes behind pidfds.
    pub pidfds: bool,
    /// Signals behind signalfds.
    pub signalfds: bool,
    /// Counts of eventfds.
    pub eventfds: bool,
}

impl FdDetails {
    /// Nothing.
    pub const NONE: FdDetails = FdDetails {
        paths: false,
        sockets: false,
        devices: false,
        pidfds: false,
        signalfds: false,
        eventfds: false,
    };
}
