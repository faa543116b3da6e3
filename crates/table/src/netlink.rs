//! What messages of `netlink(7)` mean: for each protocol the header behind `struct nlmsghdr`, and the
//! attributes behind that.
//!
//! The tables of attributes are generated from `xtask/spec/netlink`: an attribute is one line there.

mod attributes;
mod netfilter;
mod protocols;

pub use attributes::{CONTROL, ERROR};
pub use netfilter::{SUBSYSTEMS, subsystem};
pub use protocols::{GENERIC, NETFILTER, protocol};

use crate::{Base, FlagSet, Kind, Layout, Special, Width, flags};

/// A protocol of `AF_NETLINK`.
#[derive(Debug)]
pub struct Protocol {
    /// Its number: `NETLINK_ROUTE`.
    pub number: u32,
    /// Names of its messages' types.
    pub types: &'static FlagSet,
    /// How flags get their names.
    pub verbs: Verbs,
    /// Whether a message of which no more is known begins with an address family.
    pub has_families: bool,
    /// What messages hold: the first of these that fits says it.
    pub messages: &'static [Message],
}

/// What the messages of some types hold.
#[derive(Debug)]
pub struct Message {
    /// The first and the last type.
    pub types: [u16; 2],
    /// Only those that ask (`NLM_F_REQUEST`), or only those that answer.
    pub request: Option<bool>,
    /// Only those whose first byte, an address family, is this one.
    pub family: Option<u8>,
    /// The header behind `struct nlmsghdr`.
    pub header: &'static Layout,
    /// Whether the header begins with an address family: one that is cut short still tells it.
    pub has_family: bool,
    /// What follows it.
    pub tail: Tail,
}

/// What follows a message's header.
#[derive(Clone, Copy, Debug)]
pub enum Tail {
    /// Nothing that is told.
    Nothing,
    /// Bytes of which nothing is known.
    Bytes,
    /// Attributes.
    Attributes(&'static Attributes),
}

/// How a protocol's messages tell which of the flags with several meanings they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbs {
    /// They do not tell: those flags have no names.
    Unknown,
    /// All of its own ask for something.
    Asks,
    /// By the two lowest bits of the type: new, delete, get, set.
    Number,
    /// By the type's name: `_NEW`, `_DEL`, `_GET`.
    Name,
}

/// The attributes of one place.
#[derive(Debug)]
pub struct Attributes {
    /// Names of their types.
    pub names: &'static FlagSet,
    /// Those of which more is known than that they are bytes, by type.
    pub known: &'static [(u16, Content)],
}

impl Attributes {
    /// What an attribute of this type holds.
    pub fn content(&self, number: u16) -> &'static Content {
        match self.known.binary_search_by_key(&number, |known| known.0) {
            Ok(place) => &self.known[place].1,
            Err(_) => &Content::Bytes,
        }
    }
}

/// What an attribute holds. Where it is too short for that, it is told as bytes.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// Bytes of which nothing is known.
    Bytes,
    /// A value.
    Value(Kind),
    /// A number that is as long as the attribute, up to eight bytes.
    Number(Kind),
    /// A struct that has grown: as many fields as there are, at least so many bytes.
    Growing(&'static Layout, u32),
    /// A NUL-terminated string.
    Text,
    /// A hardware address.
    Hardware,
    /// An address of the family that the message's header says.
    Address,
    /// As many values as there is room for.
    Row(Kind),
    /// As `Row`, of which each has a name.
    Indexed(Kind, &'static FlagSet),
    /// Attributes.
    Nested(&'static Attributes),
    /// A value with attributes behind it.
    Headed(Kind, &'static Attributes),
    /// `struct rtnexthop`s, each with attributes behind it.
    NextHops(&'static Attributes),
    /// An address behind its family: `struct rtvia`.
    Via,
    /// An operation of the bytecode that picks sockets, and what it compares.
    SocketCondition,
    /// By the family that the message's header says; else the last one.
    ByFamily(&'static [(u8, Content)], &'static Content),
    /// By the string in the attribute of this type that stands before it; else bytes.
    ByText(u16, &'static [(&'static str, Content)]),
}

/// Shorthand for the tables.
mod shorthand {
    use super::*;

    pub const TEXT: Content = Content::Text;
    pub const HARDWARE: Content = Content::Hardware;
    pub const ADDRESS: Content = Content::Address;
    pub const VIA: Content = Content::Via;
    pub const U8: Content = decimal(Width::U8);
    pub const U16: Content = decimal(Width::U16);
    pub const U32: Content = decimal(Width::U32);
    pub const S32: Content = decimal(Width::S32);
    pub const U64: Content = decimal(Width::U64);
    pub const HEX16: Content = Content::Value(Kind::Int(Width::U16, Base::Hex));
    pub const HEX32: Content = Content::Value(Kind::HEX32);
    pub const NET16: Content = Content::Value(Kind::Int(Width::Net16, Base::Dec));
    pub const NET64: Content = Content::Value(Kind::Int(Width::Net64, Base::Dec));
    pub const INET4: Content = Content::Value(Kind::Special(Special::Inet4));
    pub const INET6: Content = Content::Value(Kind::Special(Special::Inet6));
    pub const INTERFACE: Content = Content::Value(Kind::Special(Special::Interface));
    pub const FD: Content = Content::Value(Kind::Fd);
    pub const TICKS: Content = Content::Number(Kind::Special(Special::Ticks));

    pub const IP_PROTOCOL: Content =
        Content::Number(Kind::Flags(Width::U64, &flags::INET_PROTOCOL));
    pub const SHUTDOWN: Content =
        Content::Value(Kind::Explained(Width::U8, &flags::SOCKET_SHUTDOWN));

    const fn decimal(width: Width) -> Content {
        Content::Value(Kind::Int(width, Base::Dec))
    }

    pub const fn bits8(set: &'static FlagSet) -> Content {
        Content::Value(Kind::Flags(Width::U8, set))
    }

    pub const fn bits16(set: &'static FlagSet) -> Content {
        Content::Value(Kind::Flags(Width::U16, set))
    }

    pub const fn net16(set: &'static FlagSet) -> Content {
        Content::Value(Kind::Flags(Width::Net16, set))
    }

    pub const fn bits32(set: &'static FlagSet) -> Content {
        Content::Value(Kind::flags(set))
    }

    pub const fn one(layout: &'static Layout) -> Content {
        Content::Value(Kind::Struct(layout))
    }

    pub const fn nested(attributes: &'static Attributes) -> Content {
        Content::Nested(attributes)
    }
}
