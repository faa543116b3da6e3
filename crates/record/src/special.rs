//! Scalars with a look of their own.

use table::arch::x86_64;
use table::{Base, Special, Width, errno, flags, request};

use crate::place::{Around, Place};
use crate::walk::Walk;
use crate::{Fraction, Node, Value};

/// The value at this place.
pub(crate) fn value<'a>(special: Special, place: Place<'a>, around: &Around<'a>) -> Value<'a> {
    match special {
        Special::IoctlRequest => {
            Value::Ioctl(place.u32(), request::name_by(place.model(), place.u32()))
        }
        Special::CloneFlags => Value::CloneFlags(place.u64(), &flags::CLONE),
        Special::Limit(infinity) => limit(place, infinity),
        Special::Pages => Value::Unsigned(place.u64() << 12, Base::Hex),
        Special::Ticks => Value::Ticks(place.u64()),
        Special::Inet4 => Value::Inet4(place.u32().to_le_bytes()),
        Special::Inet6 => {
            let bytes = place.bytes(16).and_then(|bytes| bytes.try_into().ok());
            Value::Inet6(bytes.unwrap_or_default())
        }
        Special::SignalsWith(rest) => {
            Value::SigSet(u64::from(place.u32()) | around.number(rest) << 32)
        }
        Special::SigHandler => handler(place.u64()),
        Special::UtimeNsec => nanoseconds(place.u64()),
        Special::Date => Value::Date(place.i64(), None),
        Special::DateWithNanos(index) => match u32::try_from(around.number(index)) {
            Ok(value @ 0..SECOND) => Value::Date(place.i64(), Some(Fraction { value, digits: 9 })),
            _ => Value::Signed(place.i64()),
        },
        Special::Bit(bit) => Value::Unsigned(place.u64() >> bit & 1, Base::Dec),
        Special::ShortBit(bit) => Value::Bit(place.unsigned(Width::U16) >> bit & 1 == 1),
        Special::SpareBits(first) => {
            Value::SpareBits(place.unsigned(Width::U16) >> (8 + first), first)
        }
        Special::HighBits(first) => Value::HighBits(place.u64() >> first, first),
        Special::Skid => Value::Annotated((place.u64() >> 15 & 3) as i32, &flags::PERF_SKID),
        // A word of the guest's.
        Special::NodeMask => Value::Mask(place.u64(), if place.is_short() { 8 } else { 16 }),
        Special::QuotaCommand => Value::QuotaCommand(place.u32()),
        Special::LongPermissions => Value::Perm(place.u32()),
        Special::KernelVersion => Value::KernelVersion(place.u32()),
        Special::HardwareAddress(size) => {
            let bytes = place.bytes(size as usize).unwrap_or_default();
            Value::HardwareAddress { bytes, told: bytes.len() }
        }
        Special::HardwareAddressIn(size, told) => {
            let bytes = place.bytes(size as usize).unwrap_or_default();
            Value::HardwareAddress { bytes, told: told as usize }
        }
        Special::ResumedCall
        | Special::SinceBoot
        | Special::OthersFd
        | Special::DevicesLength
        | Special::FilterInstruction
        | Special::SeccompInstruction
        | Special::SocketAddress(_)
        | Special::IcmpFilter => Value::not_followed(place.u64()),
        Special::ShortResult => Value::ShortResult(place.u32()),
        Special::CallNumber => {
            let call = x86_64::call(place.u32().into());
            Value::CallNumber(place.u32(), call.map(|call| call.name))
        }
        Special::HardwareAddressOf(size, count) => {
            let bytes = prefix(place, size, around.number(count));
            Value::HardwareAddress { bytes, told: bytes.len() }
        }
        Special::TextOf(size, count) => {
            Value::Text { bytes: prefix(place, size, around.number(count)), cut: false }
        }
        Special::Errno => match place.u32() {
            error if errno::name(error).is_some() => Value::Errno(error),
            number => Value::Unsigned(number.into(), Base::Dec),
        },
        Special::NegatedErrno => match place.i32() {
            error @ ..0 => Value::NegatedErrno(error.unsigned_abs()),
            error => Value::Signed(error.into()),
        },
        Special::Filled | Special::Sent => Value::Unsigned(place.u32().into(), Base::Dec),
        Special::Interface => Value::Interface(place.u32()),
        Special::Uuid => {
            let bytes = place.bytes(16).and_then(|bytes| bytes.try_into().ok());
            Value::Uuid(bytes.unwrap_or_default())
        }
        Special::Character => Value::Character(place.u32() as u8),
        Special::PixelFormat => Value::FourCc(place.u32(), &flags::PIXEL_FORMAT),
        Special::Ratio => Value::Ratio(place.u32(), (place.u64() >> 32) as u32),
        Special::QueriedControl | Special::VideoControl => control(place.u32()),
        Special::Glyph => match place.number(table::Width::U16) {
            glyph @ 0xf000..=0xf1ff => Value::Offset(glyph, "UNI_DIRECT_BASE", glyph & 0x1ff),
            glyph => Value::Unsigned(glyph, Base::Hex),
        },
        Special::KeySymbol => Value::KeySymbol(place.number(table::Width::U16) as u16),
        Special::Tone => Value::Tone(place.u64(), false),
        Special::LongTone => Value::Tone(place.u32().into(), true),
        Special::UserPlace => user_place(place.u64()),
        Special::BitField(first, bits) => {
            Value::Unsigned((place.u32() >> first & ((1 << bits) - 1)).into(), Base::Dec)
        }
        Special::IoPriority => Value::IoPriority(place.u32(), Base::Dec),
        Special::ShortIoPriority => {
            Value::IoPriority(place.number(table::Width::U16) as u32, Base::Hex)
        }
        Special::FutexOperation => Value::FutexOperation(place.u32()),
        Special::Mask => Value::Mask(place.u32().into(), 8),
    }
}

/// Of a field of so many bytes those that count.
fn prefix(place: Place<'_>, size: u32, count: u64) -> &[u8] {
    let bytes = place.bytes(size as usize).unwrap_or_default();
    &bytes[..bytes.len().min(usize::try_from(count).unwrap_or(usize::MAX))]
}

/// All ones is no limit, by whichever number of bits.
fn limit<'a>(place: Place<'_>, infinity: &'static str) -> Value<'a> {
    Value::Limit(place.u64(), (place.i64() == -1).then_some(infinity))
}

fn handler<'a>(value: u64) -> Value<'a> {
    match value {
        0 => Value::Name(value, "SIG_DFL"),
        1 => Value::Name(value, "SIG_IGN"),
        u64::MAX => Value::Name(value, "SIG_ERR"),
        addr => Value::not_followed(addr),
    }
}

fn nanoseconds<'a>(value: u64) -> Value<'a> {
    match value {
        0x3fff_ffff => Value::Name(value, "UTIME_NOW"),
        0x3fff_fffe => Value::Name(value, "UTIME_OMIT"),
        value => Value::Unsigned(value, Base::Dec),
    }
}

impl<'a> Walk<'a> {
    /// A control that is asked for, and whether the next one of some kind is meant.
    pub(crate) fn queried_control(&mut self, node: Node<'a>, id: u32) {
        let next = u64::from(id & NEXT_CONTROL);
        if next == 0 {
            return self.leaf(node, control(id));
        }
        self.parent(node, Value::OneOr(id.into()), |walk| {
            walk.leaf(Node::default(), Value::Flags(next, &flags::VIDEO_CONTROL_NEXT));
            walk.leaf(Node::default(), control(id & !NEXT_CONTROL));
        });
    }
}

/// Nanoseconds in one.
const SECOND: u32 = 1_000_000_000;
const NEXT_CONTROL: u32 = 0xc000_0000;

/// A control without a name of its own is told by its class and its number there.
fn control<'a>(id: u32) -> Value<'a> {
    let names = &flags::VIDEO_CONTROL;
    let class = flags::VIDEO_CONTROL_CLASS.name(u64::from(id & 0xffff_0000));
    match (names.name(id.into()), class) {
        (None, Some(class)) => Value::Offset(id.into(), class, u64::from(id & 0xffff)),
        _ => Value::Flags(id.into(), names),
    }
}

/// A place in `struct user` by the nearest member before it.
fn user_place<'a>(offset: u64) -> Value<'a> {
    let members = flags::USER_AREA.field;
    let after = members.partition_point(|member| member.value <= offset);
    match members[..after].last() {
        Some(last) if after < members.len() || last.value == offset => {
            Value::Place(offset, last.name, offset - last.value)
        }
        _ => Value::Unsigned(offset, Base::Hex),
    }
}
