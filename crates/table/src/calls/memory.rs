//! Memory mappings.

use crate::arch::x86_64 as id;
use crate::{
    Arg, Base, Call, Classes, Dir, Kind, Len, Note, Ret, Source, Special, Target, Width, arg, call,
    flags, parts, structs,
};

const MEMORY: Classes = Classes::MEMORY;
const NONE: Classes = Classes::NONE;

const START: Arg = arg("start", Kind::Addr);
const LEN: Arg = arg("len", Kind::ULONG);
const PROT: Arg = arg("prot", Kind::flags64(&flags::PROT));
const ADVICE: Arg = arg("behavior", Kind::flags(&flags::MADVISE));
const NODE_MASK: Kind = Kind::Special(Special::NodeMask);
const NODES: Kind = Kind::Ptr(Dir::In, &Target::Array(&NODE_MASK, Len::NodesOfArg(4)));
const NODES_OF_2: Kind = Kind::Ptr(Dir::In, &Target::Array(&NODE_MASK, Len::NodesOfArg(2)));
const NODES_FOUND: Kind = Kind::Ptr(Dir::Out, &Target::Array(&NODE_MASK, Len::NodesOfArg(2)));
const NODES_OF_1: Kind = Kind::Ptr(Dir::In, &Target::Array(&NODE_MASK, Len::NodesOfArg(1)));
/// The node on which a page is, or why it is on none.
const STATUS: Kind = Kind::Special(Special::NegatedErrno);
const MAX_NODE: Arg = arg("maxnode", Kind::ULONG);
const VECTOR: Target = Target::Array(&Kind::Struct(&structs::IOVEC), Len::Arg(2));
const VECTOR_FILLED: Target = Target::Array(&Kind::Struct(&structs::IOVEC_FILLED), Len::Arg(2));
const VECTOR_THERE: Kind =
    Kind::Ptr(Dir::In, &Target::Array(&Kind::Struct(&structs::IOVEC_ADDRESS), Len::Arg(4)));
/// A byte for each page.
const RESIDENT: Kind =
    Kind::Ptr(Dir::Out, &Target::Array(&Kind::Int(Width::U8, Base::Dec), Len::PagesOfArg(1)));

/// The new address of `mremap(2)`, which it takes only with both flags.
const NEW_ADDR: Kind = Kind::Select {
    on: Source::Arg(3),
    mask: flags::MREMAP_MAYMOVE | flags::MREMAP_FIXED,
    cases: &[(flags::MREMAP_MAYMOVE | flags::MREMAP_FIXED, Kind::Addr)],
    default: &Kind::Absent,
};

/// The CPU of `membarrier(2)`, which it takes only with this flag.
const CPU: Kind =
    Kind::IfBits { on: Source::Arg(1), mask: flags::MEMBARRIER_CMD_FLAG_CPU, then: &Kind::INT };

/// The commands that the kernel knows, which `membarrier(2)` returns to a query.
const KNOWN: Note = Note::MeaningBy {
    on: Source::Arg(0),
    cases: &[(0, "", Kind::Parts(Width::U32, &parts::BARRIERS))],
};

/// The family's entries.
pub static CALLS: &[Call] = &[
    call(
        id::MMAP,
        MEMORY.or(Classes::DESC),
        &[
            arg("addr", Kind::Addr),
            LEN,
            PROT,
            arg("flags", Kind::flags64(&flags::MAP)),
            arg("fd", Kind::Fd),
            arg("off", Kind::HEX64),
        ],
        Ret::ADDR,
    ),
    call(id::MUNMAP, MEMORY, &[arg("addr", Kind::Addr), LEN], Ret::INT),
    call(id::MPROTECT, MEMORY, &[START, LEN, PROT], Ret::INT),
    call(
        id::MREMAP,
        MEMORY,
        &[
            arg("addr", Kind::Addr),
            arg("old_len", Kind::ULONG),
            arg("new_len", Kind::ULONG),
            arg("flags", Kind::flags64(&flags::MREMAP)),
            arg("new_addr", NEW_ADDR),
        ],
        Ret::ADDR,
    ),
    call(id::MSYNC, MEMORY, &[START, LEN, arg("flags", Kind::flags(&flags::MSYNC))], Ret::INT),
    call(id::MADVISE, MEMORY, &[START, LEN, ADVICE], Ret::INT),
    call(id::MINCORE, MEMORY, &[START, LEN, arg("vec", RESIDENT)], Ret::INT),
    call(id::BRK, MEMORY, &[arg("brk", Kind::Addr)], Ret::ADDR),
    call(id::MLOCK, MEMORY, &[START, LEN], Ret::INT),
    call(id::MLOCK2, MEMORY, &[START, LEN, arg("flags", Kind::flags(&flags::MLOCK))], Ret::INT),
    call(id::MUNLOCK, MEMORY, &[START, LEN], Ret::INT),
    call(id::MLOCKALL, MEMORY, &[arg("flags", Kind::flags(&flags::MLOCKALL))], Ret::INT),
    call(id::MUNLOCKALL, MEMORY, &[], Ret::INT),
    call(id::MSEAL, MEMORY, &[START, LEN, arg("flags", Kind::HEX64)], Ret::INT),
    call(
        id::REMAP_FILE_PAGES,
        MEMORY,
        &[
            START,
            arg("size", Kind::ULONG),
            PROT,
            arg("pgoff", Kind::ULONG),
            arg("flags", Kind::flags64(&flags::MAP)),
        ],
        Ret::INT,
    ),
    call(
        id::MAP_SHADOW_STACK,
        MEMORY,
        &[arg("addr", Kind::Addr), arg("size", Kind::ULONG), arg("flags", Kind::HEX32)],
        Ret::ADDR,
    ),
    call(
        id::PKEY_ALLOC,
        NONE,
        &[arg("flags", Kind::HEX64), arg("init_val", Kind::flags64(&flags::PKEY))],
        Ret::INT,
    ),
    call(id::PKEY_FREE, NONE, &[arg("pkey", Kind::INT)], Ret::INT),
    call(id::PKEY_MPROTECT, MEMORY, &[START, LEN, PROT, arg("pkey", Kind::INT)], Ret::INT),
    call(
        id::MEMBARRIER,
        NONE,
        &[
            arg("cmd", Kind::flags(&flags::MEMBARRIER)),
            arg("flags", Kind::flags(&flags::MEMBARRIER_FLAGS)),
            arg("cpu_id", CPU),
        ],
        Ret::of(Kind::Select {
            on: Source::Arg(0),
            mask: u64::MAX,
            cases: &[(0, Kind::HEX64)],
            default: &Kind::LONG,
        })
        .note(KNOWN),
    ),
    call(
        id::USERFAULTFD,
        Classes::DESC,
        &[arg("flags", Kind::flags(&flags::USERFAULTFD))],
        Ret::FD,
    ),
    call(
        id::PROCESS_VM_READV,
        NONE,
        &[
            arg("pid", Kind::Pid),
            arg("lvec", Kind::Ptr(Dir::In, &VECTOR_FILLED)),
            arg("liovcnt", Kind::ULONG),
            arg("rvec", VECTOR_THERE),
            arg("riovcnt", Kind::ULONG),
            arg("flags", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::PROCESS_VM_WRITEV,
        NONE,
        &[
            arg("pid", Kind::Pid),
            arg("lvec", Kind::Ptr(Dir::In, &VECTOR)),
            arg("liovcnt", Kind::ULONG),
            arg("rvec", VECTOR_THERE),
            arg("riovcnt", Kind::ULONG),
            arg("flags", Kind::ULONG),
        ],
        Ret::INT,
    ),
    call(
        id::PROCESS_MADVISE,
        Classes::DESC,
        &[
            arg("pidfd", Kind::Fd),
            arg(
                "vec",
                Kind::Ptr(
                    Dir::In,
                    &Target::Array(&Kind::Struct(&structs::IOVEC_ADDRESS), Len::Arg(2)),
                ),
            ),
            arg("vlen", Kind::ULONG),
            ADVICE,
            arg("flags", Kind::HEX32),
        ],
        Ret::INT,
    ),
    call(
        id::MBIND,
        MEMORY,
        &[
            START,
            LEN,
            arg("mode", Kind::flags64(&flags::MPOL)),
            arg("nmask", NODES),
            MAX_NODE,
            arg("flags", Kind::flags(&flags::MBIND)),
        ],
        Ret::INT,
    ),
    call(
        id::SET_MEMPOLICY,
        MEMORY,
        &[arg("mode", Kind::flags(&flags::MPOL)), arg("nmask", NODES_OF_2), MAX_NODE],
        Ret::INT,
    ),
    call(
        id::GET_MEMPOLICY,
        MEMORY,
        &[
            arg("policy", Kind::Ptr(Dir::Out, &Target::One(&Kind::flags(&flags::POLICY)))),
            arg("nmask", NODES_FOUND),
            MAX_NODE,
            arg("addr", Kind::Addr),
            arg("flags", Kind::flags64(&flags::GET_MEMPOLICY)),
        ],
        Ret::INT,
    ),
    call(
        id::SET_MEMPOLICY_HOME_NODE,
        MEMORY,
        &[START, LEN, arg("home_node", Kind::ULONG), arg("flags", Kind::HEX64)],
        Ret::INT,
    ),
    call(
        id::MIGRATE_PAGES,
        MEMORY,
        &[
            arg("pid", Kind::Pid),
            MAX_NODE,
            arg("old_nodes", NODES_OF_1),
            arg("new_nodes", NODES_OF_1),
        ],
        Ret::INT,
    ),
    call(
        id::MOVE_PAGES,
        MEMORY,
        &[
            arg("pid", Kind::Pid),
            arg("nr_pages", Kind::ULONG),
            arg("pages", Kind::Ptr(Dir::In, &Target::Array(&Kind::Addr, Len::Arg(1)))),
            arg("nodes", Kind::Ptr(Dir::In, &Target::Array(&Kind::INT, Len::Arg(1)))),
            arg("status", Kind::Ptr(Dir::Out, &Target::Array(&STATUS, Len::Arg(1)))),
            arg("flags", Kind::flags(&flags::MOVE_PAGES)),
        ],
        Ret::INT,
    ),
];
