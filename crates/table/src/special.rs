//! Scalars with a look of their own.

/// Scalars that no general kind describes; the decoder has a function for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// `ioctl(2)`'s request number, split into direction, type, number and size if unknown.
    IoctlRequest,
    /// `clone(2)`'s flags with the exit signal in the low byte.
    CloneFlags,
    /// An IPv4 address in network byte order.
    Inet4,
    /// An IPv6 address (16 bytes).
    Inet6,
    /// The lower half of a set of signals, whose upper half is the sibling field of this index.
    SignalsWith(u8),
    /// A resource limit: a multiple of 1024 is told as such (`8192*1024`), all ones by this name.
    Limit(&'static str),
    /// A pointer-sized `sighandler_t`: `SIG_DFL`, `SIG_IGN` or an address.
    SigHandler,
    /// `tv_nsec` of `utimensat(2)`: `UTIME_NOW`, `UTIME_OMIT` or a number.
    UtimeNsec,
    /// Clock ticks of a hundredth second each, with the seconds as a comment.
    Ticks,
    /// Seconds since the epoch, with the date as a comment.
    Date,
    /// Nanoseconds since the machine was started, with the date as a comment.
    SinceBoot,
    /// As `Date`; the sibling field of this index holds the nanoseconds.
    DateWithNanos(u8),
    /// A number of pages of 4096 bytes, told in bytes (`mmap2(2)`'s offset).
    Pages,
    /// The number of the call that was interrupted and is resumed by this one.
    ResumedCall,
    /// `quotactl(2)`'s command, and whose quotas it is about in the low byte.
    QuotaCommand,
    /// How many bytes a list of network devices has (`SIOCGIFCONF`), with the number of these as a
    /// comment.
    DevicesLength,
    /// How long a message was that `sendmmsg(2)` has sent; of the others nothing is told.
    Sent,
    /// A word of a set of memory nodes.
    NodeMask,
    /// An instruction of the classic packet filter (8 bytes).
    FilterInstruction,
    /// As `FilterInstruction`, in a program of `seccomp(2)`.
    SeccompInstruction,
    /// The bit of this place in a 64-bit number: 0 or 1, a 0 being told only in full.
    Bit(u8),
    /// The bit of this place in a 16-bit number, in brief told if it is set.
    ShortBit(u8),
    /// What is left of a 16-bit number from this bit of its second byte on, in brief told unless it is 0.
    SpareBits(u8),
    /// The bits of a 64-bit number from this one on, told if any is set.
    HighBits(u8),
    /// `precise_ip` of `struct perf_event_attr`: two bits from the 15th on, with what they mean.
    Skid,
    /// A version of the kernel.
    KernelVersion,
    /// Permissions in 32 bits, all of which are told.
    LongPermissions,
    /// An address of so many bytes of a network's hardware.
    HardwareAddress(u32),
    /// As `HardwareAddress`, of which the first so many bytes are the address.
    HardwareAddressIn(u32, u32),
    /// As `HardwareAddress`, of which the sibling field of this index says how many bytes count.
    HardwareAddressOf(u32, u8),
    /// A field of so many bytes that holds text, as long as the sibling field of this index says.
    TextOf(u32, u8),
    /// A socket address in so many bytes.
    SocketAddress(u32),
    /// The types of ICMP's messages that are not let through: `struct icmp_filter`.
    IcmpFilter,
    /// An error's number, by its name; 0 is none.
    Errno,
    /// A call's number by the native ABI.
    CallNumber,
    /// A result of 32 bits, which may be an error's number, negated.
    ShortResult,
    /// An `int`: an error's number, negated, by its name.
    NegatedErrno,
    /// How many bytes of the buffers in this struct the call filled (`recvmmsg(2)`'s `msg_len`).
    Filled,
    /// A descriptor of the process behind the call's first argument.
    OthersFd,
    /// The index of a network interface: `if_nametoindex("lo")`.
    Interface,
    /// A control of a video device: by name, else by its class.
    VideoControl,
    /// As `VideoControl`, and whether one behind it is meant.
    QueriedControl,
    /// A character of the console's font, 16 bits: one that stands for its place in the font is
    /// told so.
    Glyph,
    /// What a key of the console sends, 16 bits: by kind and value.
    KeySymbol,
    /// A tone: the clock's ticks in one oscillation.
    Tone,
    /// As `Tone`, with its length in milliseconds in the upper half.
    LongTone,
    /// A place in `struct user`.
    UserPlace,
    /// So many bits of a 32-bit number, from this one on.
    BitField(u8, u8),
    /// An I/O priority: a class and a number within it.
    IoPriority,
    /// The same in 16 bits.
    ShortIoPriority,
    /// What `FUTEX_WAKE_OP` does: an operation, a comparison and an operand for each.
    FutexOperation,
    /// A mask in hexadecimal, of eight characters at least: `0x000007`.
    Mask,
    /// A universally unique identifier (16 bytes).
    Uuid,
    /// A byte that is a character: `'a'`.
    Character,
    /// A format of pictures: a code of four characters, with its name as a comment.
    PixelFormat,
    /// Two 32-bit numbers, one divided by the other: `1/30`.
    Ratio,
}
