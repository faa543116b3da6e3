//! The device mapper.

use super::*;
use crate::{Given, MapperRequest, Payload};

const PLAIN: MapperRequest = MapperRequest {
    has_device: true,
    given: Given::Nothing,
    tells_state: false,
    reads: Payload::Nothing,
    writes: Payload::Nothing,
};
const STATE: MapperRequest = MapperRequest { tells_state: true, ..PLAIN };
const OF_ALL: MapperRequest = MapperRequest { has_device: false, ..PLAIN };

/// What is not there is a number: 0.
macro_rules! request {
    ($of:ident $(, $field:ident: $value:expr)*) => {
        Kind::Select {
            on: Source::Arg(2),
            mask: u64::MAX,
            cases: &[(0, Kind::HEX)],
            default: &Kind::Ptr(
                Dir::InOut,
                &Target::DeviceMapper(const { &MapperRequest { $($field: $value,)* ..$of } }),
            ),
        }
    };
}

requests! {
    DM_VERSION | DM_DEV_ARM_POLL => request!(PLAIN),
    DM_REMOVE_ALL => request!(OF_ALL),
    DM_LIST_DEVICES => request!(OF_ALL, writes: Payload::Names),
    DM_LIST_VERSIONS => request!(OF_ALL, writes: Payload::Versions),
    DM_DEV_CREATE | DM_DEV_STATUS | DM_TABLE_CLEAR => request!(STATE),
    DM_DEV_REMOVE => request!(PLAIN, given: Given::Event),
    DM_DEV_RENAME => request!(STATE, given: Given::Event, reads: Payload::Text),
    DM_DEV_SUSPEND => request!(STATE, given: Given::EventIfResumed),
    DM_DEV_WAIT => request!(STATE, given: Given::Event, writes: Payload::States),
    DM_TABLE_LOAD => request!(STATE, given: Given::Targets, reads: Payload::Targets),
    DM_TABLE_DEPS => request!(STATE, writes: Payload::Dependencies),
    DM_TABLE_STATUS => request!(STATE, writes: Payload::States),
    DM_TARGET_MSG => request!(STATE, reads: Payload::Message, writes: Payload::Reply),
    DM_DEV_SET_GEOMETRY => request!(PLAIN, reads: Payload::Text),
}
