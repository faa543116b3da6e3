//! `bpf(2)`, whose attributes depend on the command.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Ret, Source, Target, arg, call, flags, sorted, structs,
};

/// The attributes of these commands are of this layout, the fields in the first so many bytes
/// being told whatever the size is.
macro_rules! attributes {
    ($($($command:ident)|+ => $layout:ident, $always:literal;)*) => {
        const {
            &sorted([$($((
                flags::$command,
                Kind::Ptr(
                    Dir::In,
                    const { &Target::Sized(&crate::structs::$layout, Len::Arg(2), $always) },
                ),
            )),+),*])
        }
    };
}

const ATTRIBUTES: Kind = Kind::Select {
    on: Source::Arg(0),
    mask: 0xffff_ffff,
    cases: attributes! {
        BPF_MAP_CREATE => BPF_MAP_CREATE, 16;
        BPF_MAP_LOOKUP_ELEM | BPF_MAP_LOOKUP_AND_DELETE_ELEM => BPF_LOOKUP, 24;
        BPF_MAP_UPDATE_ELEM => BPF_UPDATE, 32;
        BPF_MAP_DELETE_ELEM => BPF_DELETE, 16;
        BPF_MAP_GET_NEXT_KEY => BPF_NEXT_KEY, 24;
        BPF_PROG_LOAD => BPF_PROG_LOAD, 24;
        BPF_OBJ_PIN | BPF_OBJ_GET => BPF_OBJECT, 12;
        BPF_PROG_ATTACH => BPF_ATTACH, 16;
        BPF_PROG_DETACH => BPF_DETACH, 12;
        BPF_PROG_TEST_RUN => BPF_TEST, 40;
        BPF_PROG_GET_NEXT_ID | BPF_MAP_GET_NEXT_ID | BPF_BTF_GET_NEXT_ID | BPF_LINK_GET_NEXT_ID
            => BPF_NEXT_ID, 8;
        BPF_PROG_GET_FD_BY_ID => BPF_PROG_ID, 8;
        BPF_MAP_GET_FD_BY_ID => BPF_MAP_ID, 8;
        BPF_BTF_GET_FD_BY_ID => BPF_BTF_ID, 4;
        BPF_LINK_GET_FD_BY_ID => BPF_LINK_ID, 4;
        BPF_MAP_FREEZE => BPF_FREEZE, 4;
        BPF_PROG_QUERY => BPF_QUERY, 28;
        BPF_RAW_TRACEPOINT_OPEN => BPF_TRACEPOINT, 12;
        BPF_BTF_LOAD => BPF_BTF_LOAD, 28;
        BPF_TASK_FD_QUERY => BPF_TASK_FD, 48;
        BPF_MAP_LOOKUP_BATCH | BPF_MAP_LOOKUP_AND_DELETE_BATCH => BPF_LOOKUP_BATCH, 56;
        BPF_MAP_UPDATE_BATCH => BPF_UPDATE_BATCH, 56;
        BPF_MAP_DELETE_BATCH => BPF_DELETE_BATCH, 56;
        BPF_LINK_CREATE => BPF_LINK_CREATE, 16;
        BPF_LINK_UPDATE => BPF_LINK_UPDATE, 12;
        BPF_ENABLE_STATS => BPF_STATS, 4;
        BPF_ITER_CREATE => BPF_ITER, 8;
        BPF_LINK_DETACH => BPF_LINK_DETACH, 4;
        BPF_PROG_BIND_MAP => BPF_BIND_MAP, 12;
    },
    default: &Kind::Select {
        on: Source::Arg(0),
        mask: 0xffff_ffff,
        cases: &[(flags::BPF_OBJ_GET_INFO_BY_FD, INFORMATION)],
        default: &Kind::Addr,
    },
};

/// What an object is; the kernel says how much it has told.
const INFORMATION: Kind =
    Kind::Ptr(Dir::InOut, &Target::Sized(&structs::BPF_INFO, Len::Arg(2), 16));

/// The family's entries.
pub static CALLS: &[Call] = &[call(
    id::BPF,
    Classes::DESC,
    &[arg("cmd", Kind::flags(&flags::BPF)), arg("uattr", ATTRIBUTES), arg("size", Kind::UINT)],
    Ret::INT,
)];
