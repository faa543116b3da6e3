//! The calls' descriptions, one file a family.

/// A pointer to a struct that the kernel reads.
macro_rules! struct_in {
    ($layout:ident) => {
        crate::Kind::Ptr(
            crate::Dir::In,
            const { &crate::Target::One(&crate::Kind::Struct(&crate::structs::$layout)) },
        )
    };
}

/// A pointer to a struct that the kernel writes.
macro_rules! struct_out {
    ($layout:ident) => {
        crate::Kind::Ptr(
            crate::Dir::Out,
            const { &crate::Target::One(&crate::Kind::Struct(&crate::structs::$layout)) },
        )
    };
}

/// What is behind a pointer if the argument of this index is no more than `most`, a power of two; else
/// only the address is told, as the kernel takes no more.
macro_rules! at_most {
    ($argument:expr, $most:expr, $kind:expr) => {
        crate::Kind::Select {
            on: crate::Source::Arg($argument),
            mask: !($most - 1),
            cases: const {
                &[
                    (0, $kind),
                    (
                        $most,
                        crate::Kind::Select {
                            on: crate::Source::Arg($argument),
                            mask: u64::MAX,
                            cases: &[($most, $kind)],
                            default: &crate::Kind::Addr,
                        },
                    ),
                ]
            },
            default: &crate::Kind::Addr,
        }
    };
}

mod aio;
mod bpf;
mod clock;
mod creds;
mod desc;
mod file;
mod futex;
pub(crate) mod i386;
mod io;
mod io_uring;
mod ioctl;
mod ipc;
mod keys;
mod memory;
mod mount;
mod network;
mod obsolete;
mod poll;
mod prctl;
mod process;
mod ptrace;
mod quota;
mod sched;
mod security;
mod signal;
mod socket_option;
mod system;
mod xattr;

/// Every family's entries.
pub(crate) static FAMILIES: &[&[crate::Call]] = &[
    aio::CALLS,
    bpf::CALLS,
    clock::CALLS,
    creds::CALLS,
    desc::CALLS,
    file::CALLS,
    futex::CALLS,
    io::CALLS,
    io_uring::CALLS,
    ioctl::CALLS,
    ipc::CALLS,
    keys::CALLS,
    memory::CALLS,
    mount::CALLS,
    network::CALLS,
    obsolete::CALLS,
    poll::CALLS,
    prctl::CALLS,
    process::CALLS,
    ptrace::CALLS,
    quota::CALLS,
    sched::CALLS,
    security::CALLS,
    signal::CALLS,
    system::CALLS,
    xattr::CALLS,
];
