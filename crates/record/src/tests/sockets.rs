//! Socket addresses, messages and ancillary data.

use table::arch::x86_64 as id;
use table::{Call, Classes, Dir, Kind, Layout, Len, Ret, Target, arg, call, field};

use super::Guest;
use super::guest::words;

static CONNECT: Call = call(
    id::CONNECT,
    Classes::NONE,
    &[
        arg("fd", Kind::Fd),
        arg("uservaddr", Kind::Ptr(Dir::In, &Target::SockAddr(Len::Arg(2)))),
        arg("addrlen", Kind::INT),
    ],
    Ret::INT,
);

/// The address as `connect(2)` shows it.
fn address(bytes: &[u8], len: u64) -> String {
    let guest = Guest::calls(&[3, 0x1000, len]).gives(0x1000, bytes);
    let found = guest.entered(&CONNECT);
    let end = found.rfind(", addrlen").expect("three arguments");
    found["fd=fd 3, uservaddr=".len()..end].to_owned()
}

fn whole(bytes: &[u8]) -> String {
    address(bytes, bytes.len() as u64)
}

#[test]
fn each_family_has_its_fields() {
    assert_eq!(whole(b"\x01\0/run/x\0junk"), "{sa_family=AF_UNIX, sun_path=path \"/run/x\"}");
    assert_eq!(whole(b"\x01\0\0a\0b"), "{sa_family=AF_UNIX, sun_path=@\"a\\x00b\"}");
    assert_eq!(
        whole(b"\x02\0\0\x50\x7f\0\0\x01\0\0\0\0\0\0\0\0"),
        "{sa_family=AF_INET, sin_port=htons(80), sin_addr=127.0.0.1}"
    );
    let mut inet6 = [0; 28];
    inet6[..8].copy_from_slice(b"\x0a\0\0\x50\0\0\0\x07");
    (inet6[23], inet6[24]) = (1, 2);
    assert_eq!(
        whole(&inet6),
        "{sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(7), sin6_addr=::1, \
         sin6_scope_id=2}"
    );
    assert_eq!(
        whole(b"\x10\0\0\0\x05\0\0\0\x11\0\0\0"),
        "{sa_family=AF_NETLINK, nl_pid=5, nl_groups=mask 11/8}"
    );
    assert_eq!(
        whole(b"\x11\0\x08\0\x02\0\0\0\x01\0\0\x06\x01\x02\x03\x04\x05\xff\0\0"),
        "{sa_family=AF_PACKET, sll_protocol=htons(ETH_P_IP), sll_ifindex=interface 2, \
         sll_hatype=ARPHRD_ETHER, sll_pkttype=PACKET_HOST, sll_halen=6, \
         sll_addr=octets [01, 02, 03, 04, 05, ff]}"
    );
    assert_eq!(whole(b"\x63\0ab"), "{sa_family=flags 63, sa_data=str \"ab\"}");
}

#[test]
fn an_address_shorter_than_its_family_needs_is_data() {
    assert_eq!(whole(b"\x02\0\0\x50\x7f"), "{sa_family=AF_INET, sa_data=str \"\\x00P\\x7f\"}");
    assert_eq!(whole(b"\x01\0"), "{sa_family=AF_UNIX}");
    for len in [0, 1, u64::MAX, 1 << 31] {
        assert_eq!(address(&[2; 200], len), "!1000", "of length {len}");
    }
}

const LENGTH: Kind = Kind::Ptr(Dir::InOut, &Target::One(&Kind::INT));
static ACCEPT: Call = call(
    id::ACCEPT,
    Classes::NONE,
    &[
        arg("fd", Kind::Fd),
        arg("peer", Kind::Ptr(Dir::Out, &Target::SockAddr(Len::Deref(2)))),
        arg("len", LENGTH),
    ],
    Ret::FD,
);

#[test]
fn a_length_is_told_before_and_after_where_it_changed() {
    let guest = Guest::calls(&[3, 0x1000, 0x2000]).gives(0x2000, &[9, 0, 0, 0]);
    assert_eq!(guest.clone().fails(11).returned(&ACCEPT), "fd=fd 3, peer=?1000, len=[9] = E11");
    let guest = guest.gets(0x1000, b"\x01\0abcdefghi").returns(4);
    let short = guest.clone().gets(0x2000, &[5, 0, 0, 0]).returned(&ACCEPT);
    let path = |path| format!("fd=fd 3, peer={{sa_family=AF_UNIX, sun_path=path \"{path}\"}}");
    assert_eq!(short, path("abc") + ", len=[change(9, 5)] = fd 4");
    let long = guest.clone().gets(0x2000, &[11, 0, 0, 0]).returned(&ACCEPT);
    assert_eq!(long, path("abcdefg") + ", len=[change(9, 11)] = fd 4");
    let same = guest.gets(0x2000, &[9, 0, 0, 0]).returned(&ACCEPT);
    assert_eq!(same, path("abcdefg") + ", len=[9] = fd 4");
}

static SENDFILE: Call = call(
    id::SENDFILE,
    Classes::NONE,
    &[arg("offset", Kind::Ptr(Dir::InOut, &Target::One(&Kind::LONG)))],
    Ret::INT,
);

#[test]
fn an_offset_is_told_before_and_after_where_it_changed() {
    let guest = Guest::calls(&[0x1000]).gives(0x1000, &words([3]));
    assert_eq!(guest.clone().fails(9).returned(&SENDFILE), "offset=[3] = E9");
    let guest = guest.returns(4);
    let moved = guest.clone().gets(0x1000, &words([7])).returned(&SENDFILE);
    assert_eq!(moved, "offset=change([3], [7]) = 4");
    assert_eq!(guest.gets(0x1000, &words([3])).returned(&SENDFILE), "offset=[3] = 4");
}

static IOVEC: Layout = Layout {
    name: "iovec",
    size: [16, 16],
    fields: &[
        field("iov_base", 0, Kind::Ptr(Dir::Out, &Target::Bytes(Len::FieldWithinRet(1)))),
        field("iov_len", 8, Kind::ULONG),
    ],
};
static MSGHDR: Layout = Layout {
    name: "msghdr",
    size: [56, 56],
    fields: &[
        field("msg_name", 0, Kind::Ptr(Dir::Out, &Target::SockAddr(Len::Field(1)))),
        field("msg_namelen", 8, Kind::INT),
        field(
            "msg_iov",
            16,
            Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&IOVEC), Len::Field(3))),
        ),
        field("msg_iovlen", 24, Kind::ULONG),
        field("msg_control", 32, Kind::Ptr(Dir::Out, &Target::Control(Len::Field(5)))),
        field("msg_controllen", 40, Kind::ULONG),
    ],
};
static RECVMSG: Call = call(
    id::RECVMSG,
    Classes::NONE,
    &[arg("fd", Kind::Fd), arg("msg", Kind::Ptr(Dir::InOut, &Target::One(&Kind::Struct(&MSGHDR))))],
    Ret::INT,
);

/// `recvmsg(2)` that is to receive ancillary data.
fn recvmsg() -> Guest {
    Guest::calls(&[3, 0x1000])
        .gives(0x1000, &words([0x2000, 16, 0x3000, 1, 0x4000, 64, 0]))
        .gives(0x3000, &words([0x5000, 9]))
}

/// A message with ancillary data of this length.
fn received(control: &[u8]) -> String {
    recvmsg()
        .gets(0x1000, &words([0x2000, 0, 0x3000, 1, 0x4000, control.len() as u64, 0]))
        .gets(0x5000, b"hi")
        .gets(0x4000, control)
        .returns(2)
        .returned(&RECVMSG)
}

fn message(len: u64, level: u64, kind: u64, data: &[u8]) -> Vec<u8> {
    let mut bytes = words([len, level | kind << 32]);
    bytes.extend(data);
    bytes
}

#[test]
fn a_message_brings_descriptors() {
    let rights = message(24, 1, 1, &[5, 0, 0, 0, 6, 0, 0, 0]);
    let head = "fd=fd 3, msg={msg_name=!2000, msg_namelen=change(16, 0), \
                msg_iov=[{iov_base=\"hi\", iov_len=9}], msg_iovlen=1";
    assert_eq!(
        received(&rights),
        format!(
            "{head}, msg_control=[{{cmsg_len=24, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, \
             cmsg_data=[fd 5, fd 6]}}], msg_controllen=24}} = 2"
        )
    );
    assert_eq!(received(&[]), format!("{head}, msg_controllen=0}} = 2"));
}

#[test]
fn each_of_several_messages_is_as_long_as_it_says() {
    let call = table::arch::x86_64::call(id::RECVMMSG.number.into()).expect("it is described");
    let part = |vector, len| [0, 0, vector, 2, 0, 0, 0, len];
    let guest = Guest::calls(&[3, 0x1000, 9, 0, 0])
        .gets(0x1000, &[words(part(0x2000, 5)), words(part(0x3000, 1))].concat())
        .gets(0x2000, &words([0x4000, 3, 0x4003, 3]))
        .gets(0x3000, &words([0x5000, 3, 0x5003, 3]))
        .gets(0x4000, b"abc")
        .gets(0x4003, b"def")
        .gets(0x5000, b"ghi")
        .gets(0x5003, b"jkl")
        .returns(2);
    let buffers = |[one, two]: [&str; 2]| {
        format!("msg_iov=[{{iov_base=\"{one}\", iov_len=3}}, {{iov_base=\"{two}\", iov_len=3}}]")
    };
    let found = guest.returned(call);
    for expected in [buffers(["abc", "de"]), buffers(["g", ""])] {
        assert!(found.contains(&expected), "{expected} in {found}");
    }
}

#[test]
fn of_a_message_that_did_not_come_only_the_room_for_the_address_is_told() {
    assert_eq!(recvmsg().fails(11).returned(&RECVMSG), "fd=fd 3, msg={msg_namelen=16} = E11");
}

#[test]
fn ancillary_data_may_be_of_many_kinds_and_broken() {
    let control = |bytes: &[u8]| {
        let found = received(bytes);
        let found = found.split_once("msg_control=").expect("control data").1.to_owned();
        found.split(", msg_controllen").next().unwrap_or_default().to_owned()
    };
    let credentials = message(28, 1, 2, &[5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        control(&credentials),
        "[{cmsg_len=28, cmsg_level=SOL_SOCKET, cmsg_type=SCM_CREDENTIALS, \
         cmsg_data={pid=pid 5, uid=id 6, gid=id 7}}]"
    );
    let time = [message(32, 1, 29, &words([8, 9])), message(20, 0, 2, &[64, 0, 0, 0])].concat();
    assert_eq!(
        control(&time),
        "[{cmsg_len=32, cmsg_level=SOL_SOCKET, cmsg_type=SO_TIMESTAMP_OLD, \
         cmsg_data={tv_sec=8, tv_usec=9}}, \
         {cmsg_len=20, cmsg_level=SOL_IP, cmsg_type=IP_TTL, cmsg_data=[64]}]"
    );
    let info = message(28, 0, 8, &[2, 0, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2]);
    assert_eq!(
        control(&info),
        "[{cmsg_len=28, cmsg_level=SOL_IP, cmsg_type=IP_PKTINFO, cmsg_data={ipi_ifindex=2, \
         ipi_spec_dst=127.0.0.1, ipi_addr=127.0.0.2}}]"
    );
    let short = message(5, 0, 2, &[1; 8]);
    assert_eq!(control(&short), "[{cmsg_len=5, cmsg_level=SOL_IP, cmsg_type=IP_TTL}, ...!4010]");
    let long = message(u64::MAX, 77, 2, b"ab");
    assert_eq!(
        control(&long),
        format!("[{{cmsg_len={}, cmsg_level=flags 4d, cmsg_type=0x2}}]", u64::MAX)
    );
    assert_eq!(control(&[0; 7]), "!4000");
}

static SETSOCKOPT: Call = call(
    id::SETSOCKOPT,
    Classes::NONE,
    &[arg("optval", Kind::Ptr(Dir::In, &Target::IntOrBytes(Len::Arg(1)))), arg("len", LENGTH)],
    Ret::INT,
);

#[test]
fn an_option_of_four_bytes_is_a_number() {
    let option = |len, bytes: &[u8]| {
        let told = Guest::calls(&[0x1000, len]).gives(0x1000, bytes).entered(&SETSOCKOPT);
        told.split_once(", len").map(|(value, _)| value.to_owned()).unwrap_or(told)
    };
    assert_eq!(option(4, &[255; 4]), "optval=[-1]");
    assert_eq!(option(2, b"lo"), "optval=\"lo\"");
    assert_eq!(option(0, b""), "optval=\"\"");
}
