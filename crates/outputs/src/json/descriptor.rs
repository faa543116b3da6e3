//! What a descriptor stands for → JSON.

use record::{FdDetail, FdInfo, SecurityContext, Socket, SocketName};

use super::named::signal_set;
use super::syntax::{field, number, object, push, string, text};

/// Appends a descriptor: its number, or an object where there is more to tell.
pub(super) fn descriptor(out: &mut Vec<u8>, fd: i32, name: Option<&str>, info: Option<&FdInfo>) {
    if name.is_none() && info.is_none() {
        return push(out, format_args!("{fd}"));
    }
    object(out, |out| {
        push(out, format_args!("\"raw\":{fd}"));
        if let Some(name) = name {
            push(out, format_args!(",\"name\":\"{name}\""));
        }
        let Some(info) = info else { return };
        field(out, "target", |out| text(out, &info.target, false));
        if info.deleted {
            field(out, "deleted", |out| out.extend(b"true"));
        }
        detail(out, &info.detail);
        info.context.iter().for_each(|of| context(out, of));
    });
}

/// Appends fields of a security context.
pub(super) fn context(out: &mut Vec<u8>, context: &SecurityContext) {
    field(out, "context", |out| text(out, &context.actual, false));
    if let Some(expected) = &context.expected {
        field(out, "expected_context", |out| text(out, expected, false));
    }
}

fn detail(out: &mut Vec<u8>, detail: &FdDetail) {
    match detail {
        FdDetail::None => {}
        FdDetail::Socket(of) => field(out, "socket", |out| object(out, |out| socket(out, of))),
        FdDetail::Device { block, major, minor } => field(out, "device", |out| {
            let kind = if *block { "block" } else { "char" };
            push(out, format_args!("{{\"kind\":\"{kind}\",\"major\":{major},\"minor\":{minor}}}"));
        }),
        FdDetail::Process(pid) => number(out, "pid", pid),
        FdDetail::Signals(set) => field(out, "signals", |out| signal_set(out, *set)),
        FdDetail::Counter(count) => number(out, "count", count),
    }
}

fn socket(out: &mut Vec<u8>, socket: &Socket) {
    field(out, "protocol", |out| string(out, &socket.protocol));
    number(out, "inode", socket.inode);
    match &socket.name {
        SocketName::None => {}
        SocketName::Inet { local, peer } => {
            field(out, "local", |out| push(out, format_args!("\"{local}\"")));
            if let Some(peer) = peer {
                field(out, "peer", |out| push(out, format_args!("\"{peer}\"")));
            }
        }
        SocketName::Unix { peer, path } => {
            match path.split_first() {
                None => {}
                Some((0, name)) => field(out, "abstract", |out| text(out, name, false)),
                Some(_) => field(out, "path", |out| text(out, path, false)),
            }
            if let Some(peer) = peer {
                number(out, "peer_inode", peer);
            }
        }
        SocketName::Netlink { protocol, port } => {
            number(out, "netlink", protocol);
            number(out, "port", port);
        }
    }
}
