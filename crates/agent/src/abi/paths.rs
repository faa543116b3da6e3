//! Rules for paths, as they lie in memory.

/// What becomes of paths: how many there are of what lies behind the ops, in this order, and what
/// holds for all.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PathRules {
    /// How many [`PathArgument`]s.
    pub argument_count: u32,
    /// How many [`Place`]s, of which the first that holds a path counts; the root is the last.
    pub place_count: u32,
    /// How many [`Text`]s: other names for the root directory.
    pub alias_count: u32,
    /// How many [`Text`]s: the names on the ways to places. A relative path that begins with one of
    /// them is left to the net.
    pub name_count: u32,
    /// How many bytes, to which texts refer.
    pub byte_count: u32,
    /// See [`PathRules::READ_ONLY`] and [`PathRules::LINKS_STAY`].
    pub flags: u32,
}

impl PathRules {
    /// A place is not to be changed.
    pub const READ_ONLY: u32 = 1;
    /// Where the kernel finds something by a path that begins in the root, it is what the guest is to
    /// find, whatever symbolic links are on its way.
    pub const LINKS_STAY: u32 = 2;

    /// As it lies in memory.
    pub fn words(&self) -> [u32; 6] {
        let PathRules { argument_count, place_count, alias_count, .. } = *self;
        [argument_count, place_count, alias_count, self.name_count, self.byte_count, self.flags]
    }
}

/// How many paths a call can have that are changed.
pub const PATHS_OF_CALL: u64 = 2;

/// A path among a call's arguments.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PathArgument {
    /// The register that points to it, 0 to 5.
    pub register: u8,
    /// The register with the descriptor that it is relative to; [`PathArgument::WORKING`]: it is the
    /// working directory.
    pub directory: u8,
    /// See [`PathArgument::MORE`] and its like.
    pub flags: u8,
    /// Zero.
    pub reserved: u8,
    /// Whether a symbolic link is followed that is the last name.
    pub follows: When,
    /// Whether the call may change the file or its directory.
    pub writes: When,
}

impl PathArgument {
    /// For a path that is relative to the working directory.
    pub const WORKING: u8 = 0xff;
    /// The next one is of the same call.
    pub const MORE: u8 = 1;
    /// What it leads to is opened.
    pub const OPENS: u8 = 2;
    /// The call reads a symbolic link. Those of processes are left to the net.
    pub const READS_LINK: u8 = 4;
    /// The call is left to the net unless the register is 0, or leads to what [`PathArgument::BY_POINTER`] or
    /// [`PathArgument::BY_FAMILY`] names.
    pub const ASKED: u8 = 8;
    /// The call changes nothing but what it tells the guest, has this one path, and is soon over: it may be
    /// made twice.
    pub const LOOKS: u8 = 16;
    /// The call is left to the net unless nothing is there: then it fails with `ENOENT`.
    pub const UNLESS_MISSING: u8 = 32;

    /// With [`PathArgument::ASKED`]: a pointer that is 0.
    pub const BY_POINTER: u8 = 64;
    /// With [`PathArgument::ASKED`]: a family of addresses that is not the one in the bits of
    /// [`PathArgument::follows`].
    pub const BY_FAMILY: u8 = 128;

    /// As it lies in memory.
    pub fn words(&self) -> [u32; 5] {
        let PathArgument { register, directory, flags, reserved, follows, writes } = *self;
        let first = u32::from_le_bytes([register, directory, flags, reserved]);
        let [[a, b], [c, d]] = [follows.words(), writes.words()];
        [first, a, b, c, d]
    }
}

/// With which arguments of a call something holds.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct When {
    /// One of the constants of [`when`].
    pub kind: u8,
    /// The register that decides.
    pub register: u8,
    /// Zero.
    pub reserved: u16,
    /// The bits of it that do.
    pub bits: u32,
}

impl When {
    fn words(&self) -> [u32; 2] {
        [u32::from(self.kind) | u32::from(self.register) << 8, self.bits]
    }
}

/// Kinds of [`When`].
pub mod when {
    /// With none.
    pub const NEVER: u8 = 0;
    /// With all.
    pub const ALWAYS: u8 = 1;
    /// Where one of the bits is set.
    pub const IF_BITS: u8 = 2;
    /// Where none of them is.
    pub const UNLESS_BITS: u8 = 3;
    /// As `open(2)` does it with these flags.
    pub const AS_OPEN: u8 = 4;
}

/// A path of the guest at which it sees something else than the host has there.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The path, without a slash at its end.
    pub guest: Text,
    /// What is there, in the same form.
    pub host: Text,
    /// See [`Place::READ_ONLY`] and those behind it.
    pub flags: u32,
}

impl Place {
    /// It is not to be changed.
    pub const READ_ONLY: u32 = 1;
    /// `..` leads from it where the kernel goes from what is there.
    pub const PARENT_STAYS: u32 = 2;
    /// The supervisor is asked about whatever is there.
    pub const ASKED: u32 = 4;

    /// As it lies in memory.
    pub fn words(&self) -> [u32; 5] {
        let [[a, b], [c, d]] = [self.guest.words(), self.host.words()];
        [a, b, c, d, self.flags]
    }
}

/// Some of the bytes behind the tables.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// Where they begin.
    pub at: u32,
    /// How many they are.
    pub len: u32,
}

impl Text {
    /// As it lies in memory.
    pub fn words(&self) -> [u32; 2] {
        [self.at, self.len]
    }
}
