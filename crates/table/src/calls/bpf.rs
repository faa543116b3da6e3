//! `bpf(2)`, whose attributes depend on the command.

use crate::arch::x86_64 as id;
use crate::{
    Call, Classes, Dir, Kind, Len, Ret, Source, Target, arg, call, flags, sorted, structs,
};

/// The attributes of these commands are of this layout, the fields in the first so many bytes
/// being told whatever the size is. Of those that are answered the kernel fills fields, also where it fails.
macro_rules! attributes {
    ($($($command:ident)|+ => $dir:ident $layout:ident, $always:literal;)*) => {
        const {
            &sorted([$($((
                flags::$command,
                Kind::Ptr(
                    Dir::$dir,
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
        BPF_MAP_CREATE => In BPF_MAP_CREATE, 16;
        BPF_MAP_LOOKUP_ELEM | BPF_MAP_LOOKUP_AND_DELETE_ELEM => In BPF_LOOKUP, 24;
        BPF_MAP_UPDATE_ELEM => In BPF_UPDATE, 32;
        BPF_MAP_DELETE_ELEM => In BPF_DELETE, 16;
        BPF_MAP_GET_NEXT_KEY => In BPF_NEXT_KEY, 24;
        BPF_PROG_LOAD => In BPF_PROG_LOAD, 24;
        BPF_OBJ_PIN | BPF_OBJ_GET => In BPF_OBJECT, 12;
        BPF_PROG_ATTACH => In BPF_ATTACH, 16;
        BPF_PROG_DETACH => In BPF_DETACH, 12;
        BPF_PROG_TEST_RUN => In BPF_TEST, 40;
        BPF_PROG_GET_NEXT_ID | BPF_MAP_GET_NEXT_ID | BPF_BTF_GET_NEXT_ID | BPF_LINK_GET_NEXT_ID
            => Answered BPF_NEXT_ID, 8;
        BPF_PROG_GET_FD_BY_ID => In BPF_PROG_ID, 8;
        BPF_MAP_GET_FD_BY_ID => In BPF_MAP_ID, 8;
        BPF_BTF_GET_FD_BY_ID => In BPF_BTF_ID, 4;
        BPF_LINK_GET_FD_BY_ID => In BPF_LINK_ID, 4;
        BPF_MAP_FREEZE => In BPF_FREEZE, 4;
        BPF_PROG_QUERY => Answered BPF_QUERY, 28;
        BPF_RAW_TRACEPOINT_OPEN => In BPF_TRACEPOINT, 12;
        BPF_BTF_LOAD => In BPF_BTF_LOAD, 28;
        BPF_TASK_FD_QUERY => Answered BPF_TASK_FD, 48;
        BPF_MAP_LOOKUP_BATCH | BPF_MAP_LOOKUP_AND_DELETE_BATCH => Answered BPF_LOOKUP_BATCH, 56;
        BPF_MAP_UPDATE_BATCH => Answered BPF_UPDATE_BATCH, 56;
        BPF_MAP_DELETE_BATCH => Answered BPF_DELETE_BATCH, 56;
        BPF_LINK_CREATE => In BPF_LINK_CREATE, 16;
        BPF_LINK_UPDATE => In BPF_LINK_UPDATE, 12;
        BPF_ENABLE_STATS => In BPF_STATS, 4;
        BPF_ITER_CREATE => In BPF_ITER, 8;
        BPF_LINK_DETACH => In BPF_LINK_DETACH, 4;
        BPF_PROG_BIND_MAP => In BPF_BIND_MAP, 12;
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
