//! Ancillary data of sockets: `cmsg(3)`.

use table::{Base, DataModel, FlagSet, Width, flags};

use crate::place::Place;
use crate::walk::{Pointer, Walk};
use crate::{Node, Value, sockaddr};

const SOL_SOCKET: u64 = 1;
const SOL_IP: u64 = 0;

/// `struct cmsghdr` without its data: a length of the size of a pointer, and two numbers.
const fn header(model: DataModel) -> usize {
    model.word() as usize + 8
}

/// One message.
struct Message<'a> {
    len: u64,
    level: u64,
    kind: u64,
    data: &'a [u8],
}

/// Appends the messages in a buffer of this length.
pub(crate) fn decode<'a>(walk: &mut Walk<'a>, node: Node<'a>, at: Pointer, len: u64) {
    let (header, word) = (header(walk.model), walk.model.word() as usize);
    let Some(buffer) = walk.up_to(at, len).filter(|buffer| buffer.len() >= header) else {
        return walk.leaf(node, at.unreadable());
    };
    walk.parent(node, Value::List, |walk| {
        let mut offset = 0;
        while buffer.len() - offset >= header {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            let message = read(&buffer[offset..], walk.model);
            walk.parent(Node::default(), Value::Struct, |walk| show(walk, &message));
            let is_whole = message.len >= header as u64;
            let step = usize::try_from(message.len).unwrap_or(usize::MAX).max(header);
            let step = step.checked_next_multiple_of(word).unwrap_or(usize::MAX);
            offset = offset.saturating_add(step).min(buffer.len());
            let left = buffer.len() - offset;
            if let Some(next) = at.addr.checked_add(offset as u64)
                && (left > 0 && left < header || !is_whole)
            {
                return walk.leaf(Node::default(), Value::MoreAt(next));
            }
        }
    });
}

fn read(bytes: &[u8], model: DataModel) -> Message<'_> {
    let (header, word) = (header(model), model.word() as usize);
    let len = Place::Memory(&bytes[..word]).u64();
    let end = usize::try_from(len).unwrap_or(usize::MAX).clamp(header, bytes.len());
    Message {
        len,
        level: Place::Memory(&bytes[word..]).number(Width::U32),
        kind: Place::Memory(&bytes[word + 4..]).number(Width::U32),
        data: &bytes[header..end],
    }
}

fn show<'a>(walk: &mut Walk<'a>, message: &Message<'a>) {
    walk.leaf(named("cmsg_len"), Value::Unsigned(message.len, Base::Dec));
    walk.leaf(named("cmsg_level"), Value::Flags(message.level, &flags::CONTROL_LEVEL));
    let kind = match kinds(message.level) {
        Some(kinds) => Value::Flags(message.kind, kinds),
        None => Value::Unsigned(message.kind, Base::Hex),
    };
    walk.leaf(named("cmsg_type"), kind);
    if !message.data.is_empty() {
        data(walk, message);
    }
}

fn named<'a>(name: &'static str) -> Node<'a> {
    Node { name, ..Node::default() }
}

fn kinds(level: u64) -> Option<&'static FlagSet> {
    match level {
        SOL_SOCKET => Some(&flags::SOCKET_CONTROL),
        SOL_IP => Some(&flags::IP_CONTROL),
        _ => None,
    }
}

/// What is told of a message's data; nothing of what is unknown or too short.
fn data<'a>(walk: &mut Walk<'a>, message: &Message<'a>) {
    match message.level {
        SOL_SOCKET => of_socket(walk, message.kind, message.data),
        SOL_IP => of_ip(walk, message.kind, message.data),
        _ => {}
    }
}

fn of_socket<'a>(walk: &mut Walk<'a>, kind: u64, data: &'a [u8]) {
    const SCM_RIGHTS: u64 = 1;
    const SCM_CREDENTIALS: u64 = 2;
    const SCM_SECURITY: u64 = 3;
    const SCM_PIDFD: u64 = 4;

    let node = named("cmsg_data");
    match (kind, data.len()) {
        (SCM_RIGHTS | SCM_PIDFD, 4..) => descriptors(walk, node, data),
        (SCM_CREDENTIALS, 12..) => credentials(walk, node, data),
        (SCM_SECURITY, _) => walk.leaf(node, Value::Text { bytes: data, cut: false }),
        // `SO_TIMESTAMP` and its like, in their old and new forms.
        (29 | 63, 16..) => time(walk, node, data, "tv_usec"),
        (35 | 64, 16..) => time(walk, node, data, "tv_nsec"),
        (37 | 65, 48..) => walk.parent(node, Value::Array, |walk| {
            for stamp in data[..48].chunks_exact(16) {
                time(walk, Node::default(), stamp, "tv_nsec");
            }
        }),
        (29 | 63 | 35 | 64 | 37 | 65, _) => walk.leaf(node, Value::TooShort),
        _ => {}
    }
}

fn of_ip<'a>(walk: &mut Walk<'a>, kind: u64, data: &'a [u8]) {
    const IP_TOS: u64 = 1;
    const IP_TTL: u64 = 2;
    const SCM_SECURITY: u64 = 3;
    const IP_RECVOPTS: u64 = 6;
    const IP_RETOPTS: u64 = 7;
    const IP_PKTINFO: u64 = 8;
    const IP_RECVERR: u64 = 11;
    const IP_ORIGDSTADDR: u64 = 20;
    const IP_CHECKSUM: u64 = 23;

    let node = named("cmsg_data");
    match (kind, data.len()) {
        (IP_TTL | IP_CHECKSUM, 4..) => {
            numbers(walk, node, data.chunks_exact(4), Width::U32, Base::Dec);
        }
        (IP_TOS | IP_RECVOPTS | IP_RETOPTS, _) => {
            numbers(walk, node, data.chunks_exact(1), Width::U8, Base::Hex);
        }
        (SCM_SECURITY, _) => walk.leaf(node, Value::Text { bytes: data, cut: false }),
        (IP_PKTINFO, 12..) => packet_info(walk, node, data),
        (IP_RECVERR, 32..) => error(walk, node, data),
        (IP_ORIGDSTADDR, 16..) => sockaddr::value(walk, node, &data[..data.len().min(128)]),
        _ => {}
    }
}

/// `struct sock_extended_err`, and whose fault it was.
fn error<'a>(walk: &mut Walk<'a>, node: Node<'a>, data: &'a [u8]) {
    let number = |offset: usize, width| {
        Value::Unsigned(Place::Memory(&data[offset..]).number(width), Base::Dec)
    };
    walk.parent(node, Value::Struct, |walk| {
        walk.leaf(named("ee_errno"), number(0, Width::U32));
        walk.leaf(named("ee_origin"), number(4, Width::U8));
        walk.leaf(named("ee_type"), number(5, Width::U8));
        walk.leaf(named("ee_code"), number(6, Width::U8));
        walk.leaf(named("ee_info"), number(8, Width::U32));
        walk.leaf(named("ee_data"), number(12, Width::U32));
        sockaddr::value(walk, named("offender"), &data[16..32]);
    });
}

fn descriptors<'a>(walk: &mut Walk<'a>, node: Node<'a>, data: &'a [u8]) {
    walk.parent(node, Value::Array, |walk| {
        for bytes in data.chunks_exact(4) {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            let fd = Place::Memory(bytes).i32();
            walk.leaf(Node::default(), Value::Fd(fd, walk.fd_info(fd)));
        }
    });
}

fn credentials<'a>(walk: &mut Walk<'a>, node: Node<'a>, data: &'a [u8]) {
    walk.parent(node, Value::Struct, |walk| {
        walk.leaf(named("pid"), Value::Pid(Place::Memory(data).i32()));
        walk.leaf(named("uid"), Value::Id(Place::Memory(&data[4..]).u32()));
        walk.leaf(named("gid"), Value::Id(Place::Memory(&data[8..]).u32()));
    });
}

fn packet_info<'a>(walk: &mut Walk<'a>, node: Node<'a>, data: &'a [u8]) {
    let address = |offset: usize| Value::Inet4(Place::Memory(&data[offset..]).u32().to_le_bytes());
    walk.parent(node, Value::Struct, |walk| {
        walk.leaf(named("ipi_ifindex"), Value::Signed(Place::Memory(data).i32().into()));
        walk.leaf(named("ipi_spec_dst"), address(4));
        walk.leaf(named("ipi_addr"), address(8));
    });
}

fn time<'a>(walk: &mut Walk<'a>, node: Node<'a>, data: &'a [u8], fraction: &'static str) {
    walk.parent(node, Value::Struct, |walk| {
        let [seconds, rest] = [0, 8].map(|offset| Place::Memory(&data[offset..]));
        walk.leaf(named("tv_sec"), Value::Signed(seconds.i64()));
        let rest = match fraction {
            "tv_nsec" => Value::Unsigned(rest.u64(), Base::Dec),
            _ => Value::Signed(rest.i64()),
        };
        walk.leaf(named(fraction), rest);
    });
}

fn numbers<'a>(
    walk: &mut Walk<'a>,
    node: Node<'a>,
    elements: impl Iterator<Item = &'a [u8]>,
    width: Width,
    base: Base,
) {
    walk.parent(node, Value::Array, |walk| {
        for bytes in elements {
            if walk.is_full() {
                return walk.leaf(Node::default(), Value::More(None));
            }
            walk.leaf(Node::default(), Value::Unsigned(Place::Memory(bytes).number(width), base));
        }
    });
}
