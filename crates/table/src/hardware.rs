//! How long the addresses of network hardware are.

use crate::{Kind, Source, Special, sorted};

const fn address(hardware: u64, bytes: u32) -> (u64, Kind) {
    (hardware, Kind::Special(Special::HardwareAddressIn(14, bytes)))
}

/// The address in `struct sockaddr`, whose first field is the type of hardware (`ARPHRD_ETHER`).
pub(crate) const ADDRESS: Kind = Kind::Select {
    on: Source::Field(0),
    mask: u16::MAX as u64,
    cases: &BY_TYPE,
    default: &Kind::Special(Special::HardwareAddress(14)),
};

static BY_TYPE: [(u64, Kind); 30] = sorted([
    address(0, 7),
    address(1, 6),
    address(3, 7),
    address(6, 6),
    address(7, 1),
    address(15, 2),
    address(27, 8),
    address(270, 5),
    address(271, 5),
    address(290, 1),
    address(768, 4),
    address(772, 6),
    address(773, 1),
    address(774, 6),
    address(776, 4),
    address(777, 4),
    address(778, 4),
    address(779, 4),
    address(780, 6),
    address(783, 4),
    address(801, 6),
    address(802, 6),
    address(803, 6),
    address(804, 8),
    address(805, 8),
    address(820, 1),
    address(821, 1),
    address(822, 1),
    address(825, 8),
    address(826, 8),
]);
