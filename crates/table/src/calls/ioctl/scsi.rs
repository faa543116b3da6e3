//! SCSI devices: `sg(4)`.

use super::*;
use crate::{parts, structs};

/// One of two versions of a struct.
const REQUEST: Kind = Kind::Ptr(
    Dir::InOut,
    &Target::OneOf(
        &[(b'S' as u64, &structs::SG_REQUEST), (b'Q' as u64, &structs::SG_REQUEST4)],
        &Kind::UINT,
    ),
);

requests! {
    SG_IO => REQUEST,
    SG_SCSI_RESET => reads!(Target::One(&Kind::Parts(Width::U32, &parts::SCSI_RESET))),
    SG_GET_SCSI_ID => struct_out!(SG_PLACE),
    SG_GET_REQUEST_TABLE => struct_out!(SG_PENDING),
    SG_GET_TIMEOUT => Kind::Absent,
    SG_SET_TIMEOUT | SG_SET_COMMAND_Q | SG_SET_RESERVED_SIZE | SG_SET_FORCE_LOW_DMA
        | SG_SET_FORCE_PACK_ID | SG_SET_DEBUG | SG_NEXT_CMD_LEN | SG_SET_KEEP_ORPHAN => INT_IN,
    SG_EMULATED_HOST | SG_GET_TRANSFORM | SG_GET_COMMAND_Q | SG_GET_RESERVED_SIZE | SG_GET_LOW_DMA
        | SG_GET_PACK_ID | SG_GET_NUM_WAITING | SG_GET_SG_TABLESIZE | SG_GET_VERSION_NUM
        | SG_GET_KEEP_ORPHAN | SG_GET_ACCESS_COUNT => INT_OUT,
}
