//! Numbers of several parts, each with names of its own.

use crate::{FlagSet, Numerals, Part, Parts, flags, named, part};

/// Input modes of a terminal.
pub static TERMIOS_INPUT: Parts = of(&[part(u64::MAX, &flags::TERMIOS_INPUT)]);

/// Output modes of a terminal: how long it is given for what, and others.
pub static TERMIOS_OUTPUT: Parts = of(&[
    part(flags::NLDLY, &flags::TERMIOS_NEW_LINE),
    part(flags::CRDLY, &flags::TERMIOS_RETURN),
    part(flags::TABDLY, &flags::TERMIOS_TABULATOR),
    part(flags::BSDLY, &flags::TERMIOS_BACK),
    part(flags::VTDLY, &flags::TERMIOS_VERTICAL),
    part(flags::FFDLY, &flags::TERMIOS_PAGE),
    part(
        !(flags::NLDLY | flags::CRDLY | flags::TABDLY | flags::BSDLY | flags::VTDLY | flags::FFDLY),
        &flags::TERMIOS_OUTPUT,
    ),
]);

/// Control modes of a terminal: speeds of output and input, and others.
pub static TERMIOS_CONTROL: Parts = of(&[
    part(flags::CBAUD, &flags::TERMIOS_SPEED),
    Part {
        mask: flags::CIBAUD,
        names: &flags::TERMIOS_SPEED,
        shift: Some((flags::IBSHIFT as u8, "IBSHIFT")),
        always: false,
    },
    part(flags::CSIZE, &flags::TERMIOS_SIZE),
    part(!(flags::CBAUD | flags::CIBAUD | flags::CSIZE), &flags::TERMIOS_CONTROL),
]);

/// Local modes of a terminal.
pub static TERMIOS_LOCAL: Parts = of(&[part(u64::MAX, &flags::TERMIOS_LOCAL)]);

/// Flags of a video device's buffer, what its time is and where in the frame that was taken.
pub static VIDEO_BUFFER: Parts = Parts {
    is_one_number: true,
    parts: &[
        part(
            !(flags::V4L2_BUF_FLAG_TIMESTAMP_MASK | flags::V4L2_BUF_FLAG_TSTAMP_SRC_MASK),
            &flags::VIDEO_BUFFER,
        ),
        part(flags::V4L2_BUF_FLAG_TIMESTAMP_MASK, &flags::VIDEO_TIME),
        part(flags::V4L2_BUF_FLAG_TSTAMP_SRC_MASK, &flags::VIDEO_TIME_SOURCE),
    ],
};

/// What of SCSI devices is to be reset, and how.
pub static SCSI_RESET: Parts =
    of(&[part(0x100, &flags::SG_RESET_FLAGS), part(!0x100, &flags::SG_RESET)]);

/// A version of `ipc(2)`, and what it does.
pub static IPC: Parts = of(&[
    Part { mask: 0xffff_0000, names: &DECIMAL, shift: Some((16, "16")), always: false },
    part(0xffff, &DECIMAL),
]);
static DECIMAL: FlagSet =
    FlagSet { field_mask: u64::MAX, numerals: Numerals::Signed, ..FlagSet::EMPTY };

/// Flags of a descriptor, as a result.
pub static DESCRIPTOR: Parts = of(&[part(u64::MAX, &FD_FOUND)]);
static FD_FOUND: FlagSet = FlagSet { unknown: "", ..flags::FD };

/// What may not be done to a file, as a result.
pub static SEALS: Parts = of(&[part(u64::MAX, &SEALS_FOUND)]);
static SEALS_FOUND: FlagSet = FlagSet { unknown: "", ..flags::SEAL };

/// Commands that `membarrier(2)` knows.
pub static BARRIERS: Parts = of(&[part(u64::MAX, &flags::MEMBARRIER_KNOWN)]);

/// Whether the kernel takes addresses with a tag, and what of memory tagging is on.
pub static TAGGED_ADDRESSES: Parts = Parts {
    is_one_number: true,
    parts: &[
        part(1, &TAGGED),
        part(flags::PR_MTE_TCF_MASK, &flags::MTE_FAULTS),
        Part {
            mask: flags::PR_MTE_TAG_MASK,
            names: &FlagSet::EMPTY,
            shift: Some((flags::PR_MTE_TAG_SHIFT as u8, "PR_MTE_TAG_SHIFT")),
            always: false,
        },
        part(!(1 | flags::PR_MTE_TCF_MASK | flags::PR_MTE_TAG_MASK), &FlagSet::EMPTY),
    ],
};
static TAGGED: FlagSet = FlagSet {
    field_mask: u64::MAX,
    field: &[named(0, "!PR_TAGGED_ADDR_ENABLE"), named(1, "PR_TAGGED_ADDR_ENABLE")],
    ..FlagSet::EMPTY
};

/// What is done to a ring, and how this is told.
pub static RING_OPERATION: Parts = of(&[
    part(flags::IORING_REGISTER_USE_REGISTERED_RING, &flags::IO_URING_REGISTERED),
    part(!flags::IORING_REGISTER_USE_REGISTERED_RING, &flags::IO_URING_REGISTER),
]);

/// What `shmctl(2)` does, and by which structs.
pub static SHMCTL: Parts = of(&[IPC_VERSION, part(!IPC_64, &flags::SHMCTL)]);

/// The same of `semctl(2)`.
pub static SEMCTL: Parts = of(&[IPC_VERSION, part(!IPC_64, &flags::SEMCTL)]);

/// The same of `msgctl(2)`.
pub static MSGCTL: Parts = of(&[IPC_VERSION, part(!IPC_64, &flags::MSGCTL)]);

const IPC_VERSION: Part = part(IPC_64, &flags::IPC_VERSION);
const IPC_64: u64 = 0x100;

/// Which event of a processor's is counted, and on which of several kinds of processors.
pub static PERF_HARDWARE: Parts = of(&[PROCESSORS, part(u32::MAX as u64, &flags::PERF_HARDWARE)]);

/// As `PERF_HARDWARE`, of its caches: what is counted, of which access, to which cache.
pub static PERF_CACHE: Parts = of(&[
    PROCESSORS,
    shifted(0xff00_0000, &FlagSet::EMPTY, 24),
    Part { always: true, ..shifted(0x00ff_0000, &flags::PERF_CACHE_RESULT, 16) },
    Part { always: true, ..shifted(0x0000_ff00, &flags::PERF_CACHE_ACCESS, 8) },
    part(0xff, &flags::PERF_CACHE),
]);

const PROCESSORS: Part = shifted(!(u32::MAX as u64), &FlagSet::EMPTY, 32);

/// A part that is told with how far it is shifted.
const fn shifted(mask: u64, names: &'static FlagSet, bits: u8) -> Part {
    Part { mask, names, shift: Some((bits, "")), always: false }
}

/// What an instruction of `bpf(2)` does: by its class, the first part.
pub static BPF_LOAD: Parts =
    of(&[BPF_CLASS, part(0x18, &flags::BPF_CODE_SIZE), part(0xe0, &flags::BPF_CODE_MODE)]);
/// The same of one that stores a register, which may also be added.
pub static BPF_STORE: Parts =
    of(&[BPF_CLASS, part(0x18, &flags::BPF_CODE_SIZE), part(0xe0, &flags::BPF_CODE_STORE)]);
/// The same of one that computes.
pub static BPF_COMPUTE: Parts =
    of(&[BPF_CLASS, BPF_OPERAND, part(0xf0, &flags::BPF_CODE_OPERATION)]);
/// The same of one that jumps.
pub static BPF_JUMP: Parts = of(&[BPF_CLASS, BPF_OPERAND, part(0xf0, &flags::BPF_CODE_JUMP)]);
/// The same of one whose further parts nobody tells.
pub static BPF_OTHER: Parts = of(&[BPF_CLASS, part(!7, &flags::BPF_CODE_OTHER)]);
/// The register to which it writes, and the one from which it reads, in one byte.
pub static BPF_TO: Parts = of(&[part(0xf, &flags::BPF_REGISTER)]);
/// See [`BPF_TO`].
pub static BPF_FROM: Parts = of(&[part(0xf0, &flags::BPF_REGISTER_ABOVE)]);

const BPF_CLASS: Part = part(7, &flags::BPF_CODE_CLASS);
const BPF_OPERAND: Part = part(8, &flags::BPF_CODE_OPERAND);

const fn of(parts: &'static [Part]) -> Parts {
    Parts { is_one_number: false, parts }
}
