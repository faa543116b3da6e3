//! Flash memory: MTD and UBI.

use super::*;
use crate::{flags, structs};

/// The number that was chosen is put in the struct's place.
const ANSWERED_ATTACH: Kind =
    Kind::Ptr(Dir::InOut, &Target::Exchange(&Kind::Struct(&structs::UBI_ATTACH), &Kind::INT));
const ANSWERED_MAKE: Kind =
    Kind::Ptr(Dir::InOut, &Target::Exchange(&Kind::Struct(&structs::UBI_MAKE), &Kind::INT));

requests! {
    UBI_IOCVOLRMBLK | UBI_IOCVOLCRBLK => Kind::Absent,
    UBI_IOCEBER | UBI_IOCEBUNMAP | UBI_IOCRMVOL | UBI_IOCRPEB | UBI_IOCSPEB | UBI_IOCDET
        | UBI_IOCEBISMAP => INT_IN,
    UBI_IOCVOLUP => S64_IN,
    UBI_IOCRSVOL => struct_in!(UBI_RESIZE),
    MEMGETREGIONCOUNT => INT_OUT,
    OTPGETREGIONCOUNT => UINT_OUT,
    MEMGETBADBLOCK | MEMSETBADBLOCK => U64_IN,
    MEMERASE | MEMLOCK | MEMUNLOCK => struct_in!(FLASH_RANGE),
    MEMERASE64 => struct_in!(FLASH_RANGE64),
    MEMISLOCKED => struct_in!(FLASH_RANGE),
    MEMGETREGIONINFO => struct_in_out!(FLASH_REGION),
    MEMGETINFO => struct_out!(FLASH),
    MEMGETOOBSEL => struct_out!(FLASH_PLACES),
    MEMREADOOB | MEMWRITEOOB => struct_in!(FLASH_SPARE),
    MEMREADOOB64 | MEMWRITEOOB64 => struct_in!(FLASH_SPARE64),
    MEMWRITE => struct_in!(FLASH_WRITE),
    OTPSELECT => reads!(Target::One(&Kind::flags(&flags::FLASH_ONCE))),
    OTPLOCK => struct_in!(FLASH_AREA),
    OTPGETREGIONINFO => struct_out!(FLASH_AREA),
    ECCGETLAYOUT => struct_out!(FLASH_LAYOUT),
    MTDFILEMODE => Kind::Flags(Width::ULong, &flags::FLASH_MODE),
    UBI_IOCATT => ANSWERED_ATTACH,
    UBI_IOCMKVOL => ANSWERED_MAKE,
    UBI_IOCRNVOL => struct_in!(UBI_RENAME),
    UBI_IOCEBCH => struct_in!(UBI_CHANGE),
    UBI_IOCEBMAP => struct_in!(UBI_MAP),
    UBI_IOCSETVOLPROP => struct_in!(UBI_PROPERTY),
    ECCGETSTATS => struct_out!(FLASH_STATISTICS),
}
