//! What the supervisor and the agent share: addresses, and layouts in shared memory.
//!
//! Every address space that has an agent has it at the same addresses: the seccomp filter, which
//! is inherited by every program, knows the trusted page by its address. All integers are
//! little-endian, all structs `repr(C)` without padding. The guest can write everything that the
//! agent can: the supervisor believes nothing of it, and reads it by volatile copies.
//!
//! ```text
//! IMAGE   the trusted page, the agent's code and constants     private, read and execute
//! TABLES  what to capture of which call                        with it
//! ARENA   one slot for each thread: its state, the agent's
//!         stack, its ring                                      shared with the supervisor
//! ```

#[path = "abi/paths.rs"]
mod paths;

use core::ops::Range;

pub use paths::*;

/// Where the image is mapped. Its first page is the trusted page: of the calls made there the
/// filter lets pass every one.
pub const IMAGE: u64 = 0x7000_0000;
/// Size of the trusted page, in bytes.
pub const TRUSTED_LEN: u64 = 0x1000;
/// Where calls of the trusted page come from, for who is told the address behind the instruction, which is
/// never one of the page's first two bytes.
pub const TRUSTED: Range<u64> = IMAGE + 2..IMAGE + TRUSTED_LEN;
/// The most that image and tables together may take, in bytes.
pub const TABLES_END: u64 = IMAGE + 0x10_0000;
/// Where the tables are mapped.
pub const TABLES: u64 = IMAGE + 0x8_0000;
/// Where the arena is mapped. It ends before the next multiple of 4 GiB: whether `%gs` points into
/// it can be seen by the upper half of the address alone.
pub const ARENA: u64 = 0x20_0000_0000;
/// Where the next multiple of 4 GiB is.
pub const ARENA_END: u64 = ARENA + (1 << 32);
/// Size of a ring, in bytes, where the supervisor wants no other. It is always a power of two.
pub const RING_LEN: u64 = 0x4_0000;

/// Size of a slot with a ring of this size, in bytes.
pub const fn slot_len(ring_len: u64) -> u64 {
    slot::RING + ring_len
}

/// Whether image, tables or arena lie among the `len` bytes from `start` on.
pub fn touches(start: u64, len: u64) -> bool {
    let end = start.saturating_add(len);
    start < TABLES_END && end > IMAGE || start < ARENA_END && end > ARENA
}

/// What is known to the agent of its thread: the beginning of a slot. `%gs` points to it.
///
/// The fields are offsets, since assembly uses them too. Each cache line has one writer, but for
/// the registers, which nobody reads while the agent runs.
pub mod slot {
    /// The registers of the guest at its call, as [`super::Frame`].
    pub const FRAME: u64 = 0x000;
    /// By the agent: whether the call that [`FRAME`] tells of has been made (`u64`, 0 or 1).
    pub const MADE: u64 = 0x080;
    /// By the agent, for itself: 1 more than the number of the call whose entry half it has
    /// published, and whose exit half it has not; 0 where there is none (`u64`).
    pub const OPEN: u64 = 0x088;
    /// By the agent, for itself: when it last published, or when the slot was given out (`u64`).
    pub const LAST: u64 = 0x090;
    /// By the agent, for itself: the numbers that registers 0 to 6 pointed to before the call, for
    /// [`super::count::DEREF`] (7 times `u64`).
    pub const COUNTS: u64 = 0x098;
    /// Where a call at the site goes: to the agent only if all of this is 0 (`u64`, made of
    /// [`INSIDE`] and [`SHUT`]).
    pub const GATE: u64 = 0x0d0;
    /// By the agent: 1 while it has a call in hand, from before it saves the registers until it has
    /// them no more (`u32`). A signal handler that interrupts it must not come in. When the
    /// supervisor takes a thread out of the agent, it writes 0 here.
    pub const INSIDE: u64 = 0x0d0;
    /// By the supervisor, and by [`super::Symbols::orphaned`]: not 0 where calls stay at their sites
    /// (`u32`). Nothing of the slot is touched then, so that threads can have it in common.
    pub const SHUT: u64 = 0x0d4;
    /// By the supervisor: the selector of syscall user dispatch, where that is the net (`u32`).
    pub const SELECTOR: u64 = 0x0d8;
    /// By the agent: how many bytes it has ever put into the ring (`u64`, store-release).
    pub const HEAD: u64 = 0x100;
    /// By the agent: a lower bound of the time of all records that it will publish from now on, as
    /// `rdtsc` gives it; 0 while it does not run (`u64`).
    ///
    /// The agent has no fence between this and its look at the clock. The supervisor, which finds
    /// 0, knows that all records older than some time before are published: so much before as a
    /// store may take to be seen by other processors. That is well below 1 µs, and it does well to
    /// allow for 1 ms. It looks at this first, and then at [`HEAD`]. The same holds for a supervisor
    /// that has set [`ATTENTION`] and is about to sleep. When it takes a thread out of the agent, for
    /// a signal, it writes 0 here. `tests/ring_model.rs` has what this rests on.
    pub const SINCE: u64 = 0x108;
    /// By the agent: calls that it left to the net, for want of room or since it was asked to
    /// (`u64`).
    pub const LEFT: u64 = 0x110;
    /// By the agent: calls that came to it to be recorded, or to have their paths changed (`u64`).
    pub const CAME: u64 = 0x118;
    /// By the supervisor: how many bytes it has ever taken out of the ring (`u64`).
    pub const TAIL: u64 = 0x140;
    /// By the supervisor: not 0 where the next call shall stop (`u32`). [`CLOSED`] where all do.
    pub const ATTENTION: u64 = 0x180;
    /// At [`ATTENTION`]: all calls stop from now on, and the agent makes none of its own, behind one
    /// that it has in hand either. The guest may have a filter by then that is not for these.
    pub const CLOSED: u32 = 2;
    /// By the supervisor: the time, as `rdtsc` gives it, until which it promises to be there; 0 where
    /// the guest ends with it (`u64`). Without the supervisor a fault of the agent's own reading
    /// would end the guest.
    pub const LEASE: u64 = 0x188;
    /// By the supervisor: the descriptors that may be sockets of netlink, bit n for descriptor n, the
    /// last bit for all others (`u64`). Some calls on these are left to the net: see
    /// [`super::NETLINK_REGISTER`].
    pub const NETLINK: u64 = 0x190;
    /// By the supervisor: not 0 where all calls with paths are left to the net (`u64`).
    pub const ASKS_PATHS: u64 = 0x198;
    /// By the supervisor: the descriptors that lead to where calls are shown, as in [`NETLINK`] (`u64`): see
    /// [`super::SHOWN_REGISTER`].
    pub const SHOWN: u64 = 0x1a0;
    /// By the agent, for itself: how much CPU time the thread had used before its call, in
    /// nanoseconds (`u64`).
    pub const USED: u64 = 0x1d0;
    /// By the agent, for itself: the arguments with which a call is made whose paths are changed
    /// (6 times `u64`).
    pub const ARGS: u64 = 0x200;
    /// By the agent: how many bytes it has ever put at [`OPENED_PATHS`] (`u64`, store-release).
    pub const OPENED: u64 = 0x240;
    /// By the agent, for itself: what the clock of the thread's CPU time says (`struct timespec`).
    pub const CPU_TIME: u64 = 0x248;
    /// By the agent, for itself: room for the paths of a call, [`PATH_ROOM`] for each of
    /// [`super::PATHS_OF_CALL`].
    pub const PATHS: u64 = 0x400;
    /// How much room there is for a path, in bytes. What is longer is left to the net.
    pub const PATH_ROOM: u64 = 0x600;
    /// By the agent: the paths that it has last let the guest open, each with a NUL behind it, round and
    /// round. Absolute ones, as the guest gave them, without a symbolic link on the way; only where
    /// `/` has several names.
    pub const OPENED_PATHS: u64 = 0x1000;
    /// How much room there is for them, in bytes.
    pub const OPENED_ROOM: u64 = 0x1000;
    /// Where the agent's stack ends, downwards.
    pub const STACK_END: u64 = 0x2000;
    /// Where the agent's stack begins: it grows downwards from here.
    pub const STACK: u64 = 0x5000;
    /// Where the ring begins. It is as long as [`super::Tables::ring_len`] says.
    pub const RING: u64 = 0x5000;
}

/// Stands for a register in an [`Op`]: 1 where the descriptor in the first argument is one of
/// [`slot::NETLINK`], else 0.
pub const NETLINK_REGISTER: u8 = 8;
/// The same of [`slot::SHOWN`].
pub const SHOWN_REGISTER: u8 = 9;

/// The guest's registers at its call, saved by the agent before anything else.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The general registers: `rax` is the call's number, and its result after it.
    pub rax: u64,
    /// First argument.
    pub rdi: u64,
    /// Second argument.
    pub rsi: u64,
    /// Third argument.
    pub rdx: u64,
    /// Fourth argument.
    pub r10: u64,
    /// Fifth argument.
    pub r8: u64,
    /// Sixth argument.
    pub r9: u64,
    /// Preserved by calls.
    pub rbx: u64,
    /// Preserved by calls.
    pub rbp: u64,
    /// Preserved by calls.
    pub r12: u64,
    /// Preserved by calls.
    pub r13: u64,
    /// Preserved by calls.
    pub r14: u64,
    /// Preserved by calls.
    pub r15: u64,
    /// The guest's stack pointer.
    pub rsp: u64,
    /// The flags; `r11` after the call, as the instruction leaves it.
    pub flags: u64,
    /// The address of the [`Site`].
    pub site: u64,
}

/// A patched site, beside its trampoline. A trampoline executes the instructions that its jump has
/// displaced, loads the address of this into `r11`, and jumps to [`Symbols::entry`]. Nothing else
/// than `rcx` and `r11`, which the call itself overwrites, may differ from what the guest has.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Site {
    /// The address of the `syscall` instruction, which is intact: where a call goes that the agent
    /// leaves to the net.
    pub call: u64,
    /// The address behind it: where the guest goes on.
    pub after: u64,
}

/// Addresses in the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbols {
    /// Where trampolines jump to. From here up to [`Symbols::saved`] the registers are the guest's,
    /// but for `rcx` and `r11`, and for `rsp` where it points into the slot: then the guest's is in
    /// the [`Frame`].
    pub entry: u64,
    /// From here on all that the guest had is in the [`Frame`], wherever in the image the thread
    /// is, up to the call.
    pub saved: u64,
    /// A `syscall` in the trusted page, with the guest's registers and stack, but for arguments that
    /// are changed: where the agent makes the guest's call. The guest's own arguments are in the
    /// [`Frame`]. Behind it, after two bytes, the agent goes on.
    pub call: u64,
    /// A `syscall` in the trusted page followed by `int3`: for calls that the supervisor makes.
    pub remote: u64,
    /// A loop in the trusted page that makes many such calls: `rbp` of them, which lie at `r14`,
    /// each as its number and its six arguments, 8 bytes each. `rbp` counts down. The results go to
    /// `r12`, 8 bytes each, unless that is 0. Where `r13` is not 0, it ends at a call that fails,
    /// before it counts that; `rax` is its result.
    pub batch: u64,
    /// Where it ends: an `int3`.
    pub batch_end: u64,
    /// Where the second half of the agent's work begins, after the call. From behind the call up
    /// to [`Symbols::returned`] the registers are the guest's, but for `rcx`, `r11` and changed
    /// arguments.
    pub after: u64,
    /// From here on all that the guest shall go on with is in the [`Frame`], wherever in the image
    /// the thread is.
    pub returned: u64,
    /// A handler of `SIGSYS`, for guests that outlive the supervisor. Syscall user dispatch has
    /// undone a call of the thread, and nobody has swallowed the signal: it ends dispatch for the
    /// thread, shuts its slot, and has it make the call. A `SIGSYS` of another kind does what it
    /// does by default. To be taken on an alternate stack,
    /// if there is one, and with all signals blocked.
    pub orphaned: u64,
    /// What that handler returns to (`SA_RESTORER`).
    pub restore: u64,
    /// Instructions that read guest memory and may fault, each with the address at which the agent
    /// goes on if it did.
    ///
    /// A thread that faults there stops with `SIGSEGV` or `SIGBUS`, which it is not to get. Where it
    /// had that signal blocked or ignored, the kernel has by then unblocked it, and has set the
    /// action to the default: what was there is for the supervisor to put back.
    pub faults: [(u64, u64); 3],
}

/// What to capture of which call: the head of the tables. Behind it lie [`Tables::op_count`] ops, and
/// what [`PathRules`] count.
#[repr(C)]
pub struct Tables {
    /// How much data is copied, in bytes (`-s`).
    pub string_limit: u32,
    /// How much of an array is copied, in elements.
    pub element_limit: u32,
    /// How many ops there are.
    pub op_count: u32,
    /// Size of a ring, in bytes: a power of two.
    pub ring_len: u32,
    /// What becomes of paths.
    pub paths: PathRules,
    /// By number.
    pub calls: [Call; CALLS],
}

/// How many calls the tables know by number. The agent leaves others to the net.
pub const CALLS: usize = 512;

/// What to do for a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Call {
    /// See [`Call::RECORDED`] and [`Call::PASSED`]; 0 leaves it to the net.
    pub flags: u16,
    /// The index of the first op of the entry half.
    pub entry: u16,
    /// How many there are, one for each pointer.
    pub entry_count: u16,
    /// The index of the first op of the exit half, of a call that succeeds.
    pub exit: u16,
    /// How many there are.
    pub exit_count: u16,
    /// With [`Call::PATHS`]: the index of the first [`PathArgument`].
    pub paths: u16,
    /// The descriptors whose names are to be told. Bit n: that in register n; bit 8 + n: where that
    /// is `AT_FDCWD`, it stands for the working directory. See [`Call::NAMED_RESULT`].
    pub names: u16,
    /// Zero.
    pub reserved: u16,
    /// How many bytes the copies of the entry half take at most, whatever the arguments are;
    /// [`Call::UNBOUNDED`] where that must be worked out, since they decide.
    pub entry_most: u32,
    /// The same of the exit half.
    pub exit_most: u32,
}

impl Call {
    /// The arguments decide how much is copied, or whether the call is left to the net.
    pub const UNBOUNDED: u32 = u32::MAX;
    /// The agent records the call and makes it.
    pub const RECORDED: u16 = 1;
    /// The agent makes the call, and nobody wants to know. The ops of its entry half only say when it
    /// is left to the net.
    pub const PASSED: u16 = 2;
    /// The exit half counts by numbers in memory ([`count::DEREF`]).
    pub const DEREFS: u16 = 4;
    /// The agent makes no call: [`Call::answer`] is what it returns.
    pub const ANSWERED: u16 = 8;
    /// Paths among its arguments may be changed before it is made.
    pub const PATHS: u16 = 16;
    /// The system CPU time that it takes is measured.
    pub const MEASURED: u16 = 32;

    /// Of [`Call::names`], the registers.
    pub const NAMED_ARGS: u16 = 0x3f;
    /// Of [`Call::names`]: what the call returns is a descriptor as well.
    pub const NAMED_RESULT: u16 = 0x40;

    /// A call that is not made, and returns this.
    pub fn answered(result: u64) -> Call {
        let (low, high) = (result as u32, (result >> 32) as u32);
        Call { flags: Call::ANSWERED, entry_most: low, exit_most: high, ..Call::default() }
    }

    /// What an answered call returns.
    pub fn answer(&self) -> u64 {
        u64::from(self.entry_most) | u64::from(self.exit_most) << 32
    }

    /// As it lies in memory.
    pub fn to_bytes(self) -> [u8; size_of::<Call>()] {
        let Call { flags, entry, entry_count, exit, exit_count, paths, names, .. } = self;
        let mut bytes = [0; size_of::<Call>()];
        let fields = [flags, entry, entry_count, exit, exit_count, paths, names];
        for (at, field) in bytes.chunks_exact_mut(2).zip(fields) {
            at.copy_from_slice(&field.to_le_bytes());
        }
        let fields = [self.entry_most, self.exit_most];
        for (at, field) in bytes[16..].chunks_exact_mut(4).zip(fields) {
            at.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }
}

/// One step of a capture plan: `contract::Shape` without what the agent leaves to the net, which
/// is what leads to more pointers.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Op {
    /// One of the constants of [`op`].
    pub kind: u8,
    /// The register that points to the memory: 0 to 5 the arguments, 6 the stack pointer. Of the
    /// ops that an op refers to, it is the same.
    pub register: u8,
    /// The register in which a number is found: a count, a selector, bits.
    pub number: u8,
    /// How a block counts: one of the constants of [`count`].
    pub count: u8,
    /// What bounds a copy: one of the constants of [`trim`].
    pub trim: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// `BLOCK`: size of a unit. `HEADED`: size of the header. `SELECT`: how many cases there are.
    pub size: u32,
    /// `SELECT`: index of the first case, those being in the order of their values; the op to take
    /// where none fits is the one before it.
    /// `IF_BITS`, `IF_OURS`, `CASE`: index of the op to take.
    pub next: u32,
    /// `SELECT`, `IF_BITS`: the mask. `CASE`: the value. `BLOCK` with a constant count: the count.
    pub value: u64,
}

impl Op {
    /// As it lies in memory.
    pub fn to_bytes(self) -> [u8; size_of::<Op>()] {
        let Op { kind, register, number, count, trim, .. } = self;
        let mut bytes = [0; size_of::<Op>()];
        bytes[..5].copy_from_slice(&[kind, register, number, count, trim]);
        bytes[8..12].copy_from_slice(&self.size.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.next.to_le_bytes());
        bytes[16..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }
}

/// Kinds of [`Op`].
pub mod op {
    /// Copies nothing.
    pub const NOTHING: u8 = 0;
    /// Bytes up to a NUL.
    pub const STR: u8 = 1;
    /// Units.
    pub const BLOCK: u8 = 2;
    /// A header and so many bytes behind it.
    pub const HEADED: u8 = 3;
    /// Goes on at the case whose value is the number under the mask.
    pub const SELECT: u8 = 4;
    /// A case of `SELECT`.
    pub const CASE: u8 = 5;
    /// Goes on at another op if the number has one of the bits.
    pub const IF_BITS: u8 = 6;
    /// Goes on at another op if memory of the agent lies among the so many bytes, as the number
    /// says, from the register on.
    pub const IF_OURS: u8 = 7;
    /// Leaves the call to the net.
    pub const LEFT: u8 = 8;
}

/// How a block counts its units: `contract::Count`.
pub mod count {
    /// A constant.
    pub const CONST: u8 = 0;
    /// A register.
    pub const REGISTER: u8 = 1;
    /// The result of the call; 0 before it. The register named by [`super::Op::number`] is what the
    /// kernel takes as the most that it may be: where `trim` is [`super::trim::WHOLE`], the agent
    /// makes the call only if so much would fit.
    pub const RESULT: u8 = 2;
    /// The 32-bit number that a register points to, as a copy made before the call has it; 0 before
    /// the call, and where no copy has it.
    pub const DEREF: u8 = 3;
    /// 64-bit words for so many bits as a register says.
    pub const WORDS_OF_BITS: u8 = 4;
    /// Pages of 4096 bytes for so many bytes as a register says.
    pub const PAGES_OF_BYTES: u8 = 5;
    /// A register, and all blocks that count so together no more than the result; 0 before the
    /// call.
    pub const WITHIN_RESULT: u8 = 6;
}

/// What bounds a copy: `contract::Trim`.
pub mod trim {
    /// The string limit.
    pub const DATA: u8 = 0;
    /// The limit of elements.
    pub const ELEMENTS: u8 = 1;
    /// Nothing but [`super::COPY_MAX`], and for strings [`super::PATH_MAX`].
    pub const WHOLE: u8 = 2;
}

/// The longest string, with its NUL.
pub const PATH_MAX: u64 = 4096;
/// The longest copy that the agent makes. A call that wants more, or might, is left to the net.
/// The C library reads directories by 32 KiB.
pub const COPY_MAX: u64 = 0x1_0000;

/// The head of an entry of the ring. Its length is a multiple of 8, and it does not wrap: what is
/// left of the ring behind an entry that would not fit is skipped by a [`entry::SKIP`].
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// Length with everything that belongs to it, in bytes.
    pub len: u32,
    /// One of the constants of [`entry`].
    pub kind: u16,
    /// How many [`Copied`] blocks follow, after the [`Enter`] or [`Exit`].
    pub copies: u16,
    /// When it happened, as `rdtsc` gives it.
    pub time: u64,
}

/// Kinds of [`Entry`].
pub mod entry {
    /// Nothing up to the end of the ring. Only the first 8 bytes of the head are there.
    pub const SKIP: u16 = 0;
    /// A call begins: an [`super::Enter`] and copies.
    pub const ENTER: u16 = 1;
    /// It has returned: an [`super::Exit`] and copies.
    pub const EXIT: u16 = 2;
}

/// The entry half of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Enter {
    /// The number.
    pub number: u64,
    /// The arguments.
    pub args: [u64; 6],
    /// The instruction pointer: behind the `syscall`.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
}

/// The exit half of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exit {
    /// What the kernel returned.
    pub value: i64,
    /// With [`Call::MEASURED`]: the system CPU time that the call took, in nanoseconds; else 0.
    pub cpu: u64,
}

/// A copy of guest memory, or the name of a descriptor, followed by its bytes, padded to a multiple
/// of 8.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    /// Where it was. Of a name the descriptor, as its register has it.
    pub addr: u64,
    /// How many bytes were copied.
    pub len: u32,
    /// One of the constants of [`copied`].
    pub kind: u32,
}

/// Kinds of [`Copied`].
pub mod copied {
    /// All the memory that was wanted.
    pub const WHOLE: u32 = 0;
    /// The memory behind it was wanted but unreadable.
    pub const FAULT: u32 = 1;
    /// What a descriptor stands for: the target of its link in `/proc`.
    pub const NAME: u32 = 2;
}
