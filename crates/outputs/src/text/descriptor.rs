//! What a descriptor stands for → text: `</etc/passwd>`, `<TCP:[127.0.0.1:80]>`.

use record::{FdDetail, FdInfo, NETLINK_PROTOCOL, Socket, SocketName, signal};

use super::color::{Role, paint};
use super::flags::{self, push};
use super::string::{escape, quote};
use super::style::{Constants, HexStrings};
use super::value::Look;

const AT_FDCWD: i32 = -100;

/// What a protocol is called where its sockets are told by addresses. Sockets of others are told by the
/// path that they have.
fn protocol_name(socket: &Socket) -> Option<&str> {
    let has_addresses = !matches!(socket.name, SocketName::None);
    match socket.protocol.as_str() {
        // An MPTCP connection is made of such.
        "MPTCP" if has_addresses => Some("TCP"),
        "MPTCPv6" if has_addresses => Some("TCPv6"),
        "UDP-Lite" if has_addresses => Some("UDPLITE"),
        name @ ("DCCP" | "DCCPv6" | "L2TP/IP" | "L2TP/IPv6" | "NETLINK" | "PING" | "PINGv6"
        | "RAW" | "RAWv6" | "SCTP" | "SCTPv6" | "TCP" | "TCPv6" | "UDP" | "UDPv6"
        | "UDPLITEv6" | "UNIX" | "UNIX-STREAM") => Some(name),
        _ => None,
    }
}

impl Look<'_> {
    /// Appends as much of it as is to be shown.
    pub fn descriptor(&self, out: &mut Vec<u8>, info: &FdInfo) {
        if !self.targets {
            return;
        }
        self.target(out, info);
        self.file_context(out, info.context.as_ref());
    }

    fn target(&self, out: &mut Vec<u8>, info: &FdInfo) {
        let show = self.style.fds;
        match &info.detail {
            FdDetail::Socket(of) if show.sockets && protocol_name(of).is_some() => {
                self.enclosed(out, |out| socket(out, of));
            }
            FdDetail::Device { block, major, minor } if show.devices => {
                self.enclosed(out, |out| {
                    self.escaped(out, &info.target);
                    let kind = if *block { "block" } else { "char" };
                    push(out, format_args!("<{kind} {major}:{minor}>"));
                });
            }
            FdDetail::Process(pid) if show.pidfds => {
                self.enclosed(out, |out| push(out, format_args!("pid:{pid}")));
            }
            FdDetail::Signals(set) if show.signalfds => self.enclosed(out, |out| {
                out.extend(b"signalfd:");
                flags::signal_set(out, *set, signal::COUNT, Constants::Abbrev);
            }),
            FdDetail::Counter(count) if show.eventfds => {
                self.enclosed(out, |out| push(out, format_args!("eventfd:[{count}]")));
            }
            // What the kernel says of a removed working directory strace leaves as it is.
            _ if show.paths && info.deleted && info.fd == AT_FDCWD => {
                return self.bracketed(out, &[&info.target[..], b" (deleted)"].concat());
            }
            _ if show.paths => self.bracketed(out, &info.target),
            _ => return,
        }
        if info.deleted {
            out.extend(b"(deleted)");
        }
    }

    /// Appends what an id stands for, in angle brackets.
    pub fn bracketed(&self, out: &mut Vec<u8>, text: &[u8]) {
        self.enclosed(out, |out| self.escaped(out, text));
    }

    fn enclosed(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        paint(out, self.style.color, Role::Aside, |out| {
            out.push(b'<');
            write(out);
            out.push(b'>');
        });
    }

    pub(super) fn escaped(&self, out: &mut Vec<u8>, text: &[u8]) {
        escape(out, text, self.style.strings_in_hex, b"<>");
    }
}

fn socket(out: &mut Vec<u8>, socket: &Socket) {
    push(out, format_args!("{}:[", protocol_name(socket).unwrap_or(&socket.protocol)));
    match &socket.name {
        SocketName::None => push(out, format_args!("{}", socket.inode)),
        SocketName::Inet { local, peer: None } => push(out, format_args!("{local}")),
        SocketName::Inet { local, peer: Some(peer) } => push(out, format_args!("{local}->{peer}")),
        SocketName::Unix { peer, path } => {
            push(out, format_args!("{}", socket.inode));
            if let Some(peer) = peer {
                push(out, format_args!("->{peer}"));
            }
            match path.split_first() {
                None => {}
                Some((0, name)) => {
                    out.extend(b",@");
                    quote(out, name, HexStrings::None);
                }
                Some(_) => {
                    out.push(b',');
                    quote(out, path, HexStrings::None);
                }
            }
        }
        SocketName::Netlink { protocol, port } => {
            let named =
                NETLINK_PROTOCOL.field.iter().find(|known| known.value == u64::from(*protocol));
            match named.and_then(|known| known.name.strip_prefix("NETLINK_")) {
                Some(name) => out.extend(name.as_bytes()),
                None => push(out, format_args!("{protocol}")),
            }
            push(out, format_args!(":{port}"));
        }
    }
    out.push(b']');
}
