//! Messages of netlink.

use contract::{GuestAddr, NetlinkSocket, Phase};
use proptest::prelude::*;
use table::arch::x86_64::SENDTO;

use super::shorthand;
use crate::{Decoder, Nodes};
use contract::Capture;

/// `sendto(3, bytes)` on a socket of this protocol.
fn sent(protocol: Option<u32>, bytes: &[u8]) -> Capture {
    let mut capture = Capture::default();
    capture.number = SENDTO.number.into();
    capture.args = [3, 0x1000, bytes.len() as u64, 0, 0, 0];
    capture.netlink = Some(NetlinkSocket { protocol });
    capture.begin(Phase::Entry, GuestAddr(0x1000));
    capture.extend(bytes);
    capture
}

/// What is told of the bytes.
fn told(protocol: Option<u32>, bytes: &[u8]) -> String {
    let capture = sent(protocol, bytes);
    let record = Decoder::default().entry(&capture);
    shorthand(&record.args)
}

/// `struct nlmsghdr` with this length and type.
fn head(len: u32, kind: u16) -> Vec<u8> {
    [&len.to_le_bytes()[..], &kind.to_le_bytes(), &[1, 0], &[0; 8]].concat()
}

#[test]
fn only_a_known_protocol_gives_types_their_names() {
    assert!(told(Some(0), &head(16, 20)).contains("RTM_NEWADDR"));
    assert!(told(Some(4), &head(16, 20)).contains("SOCK_DIAG_BY_FAMILY"));
    assert!(!told(None, &head(16, 20)).contains("RTM_NEWADDR"));
    // What devices send is text.
    assert!(told(Some(15), b"add@/x").contains("add@/x"));
}

#[test]
fn an_attribute_that_is_too_short_is_told_as_bytes() {
    let link = |attribute: &[u8]| {
        let len = 32 + attribute.len() as u32;
        [head(len, 16), vec![0; 16], attribute.to_vec()].concat()
    };
    let mtu = told(Some(0), &link(&[8, 0, 4, 0, 0xdc, 5, 0, 0]));
    assert!(mtu.contains("IFLA_MTU") && mtu.contains("1500"), "{mtu}");
    let short = told(Some(0), &link(&[7, 0, 4, 0, 0xdc, 5, 0, 0]));
    assert!(short.contains("IFLA_MTU") && !short.contains("1500"), "{short}");
}

#[test]
fn what_is_nested_without_end_is_cut() {
    // Errors about errors, and next hops with next hops.
    let errors: Vec<u8> = (0..10_000_u32)
        .flat_map(|left| {
            let len = (10_000 - left) * 20;
            [head(len, 2), vec![0; 4]].concat()
        })
        .collect();
    assert!(told(Some(0), &errors).len() < 1 << 20);
    let hops: Vec<u8> = (0..5_000_u16)
        .flat_map(|left| {
            let len = (5_000 - left) * 12;
            [len.to_le_bytes().to_vec(), vec![9, 0], (len - 4).to_le_bytes().to_vec(), vec![0; 6]]
                .concat()
        })
        .collect();
    let route = [head(28 + hops.len() as u32, 24), vec![0; 12], hops].concat();
    assert!(told(Some(0), &route).len() < 1 << 20);
}

proptest! {
    #[test]
    fn whatever_is_sent_gives_a_record_of_bounded_size(
        protocol in proptest::option::of(0..24_u32),
        kind in 0..130_u16,
        flags in any::<u8>(),
        rest in proptest::collection::vec(prop_oneof![0..32_u8, any::<u8>()], 0..300),
    ) {
        let mut bytes = head(16 + rest.len() as u32, kind);
        bytes[6] = flags;
        bytes.extend(&rest);
        let capture = sent(protocol, &bytes);
        let record = Decoder::default().entry(&capture);
        let nodes: &Nodes<'_> = &record.args;
        // Each node of a message tells some of its bytes, or holds one that does.
        prop_assert!(nodes.len() < 64 + 8 * bytes.len(), "{}", nodes.len());
    }
}
