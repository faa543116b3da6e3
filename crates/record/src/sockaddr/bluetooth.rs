//! Addresses of Bluetooth. Which protocol they are of, only their length tells.

use table::{Base, FlagSet, Width, flags};

use super::{at, named};
use crate::Value;
use crate::walk::Walk;

/// Appends the fields behind the family; says whether the length is one of an address.
pub(super) fn decode<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) -> bool {
    match bytes.len() {
        4 => device(walk, bytes),
        6 => {
            device(walk, bytes);
            let channel = at(bytes, 4).number(Width::U16);
            walk.leaf(named("hci_channel"), Value::Flags(channel, &flags::HCI_CHANNEL));
        }
        8 => hardware(walk, "sco_bdaddr", &bytes[2..]),
        10 => {
            hardware(walk, "rc_bdaddr", &bytes[2..8]);
            walk.leaf(named("rc_channel"), Value::Unsigned(bytes[8].into(), Base::Dec));
        }
        12 | 14 => {
            let number = |offset| at(bytes, offset).number(Width::U16);
            dynamic(walk, "l2_psm", number(2), 0x1001, &flags::L2CAP_PSM);
            hardware(walk, "l2_bdaddr", &bytes[4..10]);
            dynamic(walk, "l2_cid", number(10), 0x40, &flags::L2CAP_CID);
            if let Some(kind) = bytes.get(12) {
                let kind = Value::Flags(u64::from(*kind), &flags::BLUETOOTH_ADDRESS_TYPE);
                walk.leaf(named("l2_bdaddr_type"), kind);
            }
        }
        _ => return false,
    }
    true
}

fn device<'a>(walk: &mut Walk<'a>, bytes: &'a [u8]) {
    let number = at(bytes, 2).number(Width::U16);
    walk.form(named("hci_dev"), "htobs", Value::Unsigned(number, Base::Dec));
}

fn hardware<'a>(walk: &mut Walk<'a>, name: &'static str, bytes: &'a [u8]) {
    walk.leaf(named(name), Value::HardwareAddress { bytes, told: bytes.len() });
}

/// A number with a name, or one so far above the first of those that are given out.
fn dynamic(
    walk: &mut Walk<'_>,
    name: &'static str,
    number: u64,
    first: u64,
    names: &'static FlagSet,
) {
    if number < first || names.name(number).is_some() {
        return walk.form(named(name), "htobs", Value::Flags(number, names));
    }
    walk.form(named(name), "htobs", Value::Above { number, first, names });
}
