//! How large numbers are in memory, by ABI.

/// How large C's types are in an ABI. It tells how the structs of that ABI are laid out, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataModel {
    /// Pointers and `long` have 64 bits: x86-64.
    Lp64,
    /// Pointers and `long` have 32 bits: i386.
    Ilp32,
}

impl DataModel {
    /// Size of a pointer, of `long` and of `size_t`, in bytes.
    pub const fn word(self) -> u32 {
        match self {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        }
    }
}

/// Size and signedness of an integer in memory. A register holds it in its low bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Signed 8 bits.
    S8,
    /// Signed 16 bits.
    S16,
    /// Signed 32 bits (`int`, `pid_t`).
    S32,
    /// Signed 64 bits (`loff_t`).
    S64,
    /// Unsigned 8 bits.
    U8,
    /// Unsigned 16 bits.
    U16,
    /// Unsigned 32 bits (`unsigned int`).
    U32,
    /// Unsigned 64 bits.
    U64,
    /// `long`, `off_t`: as large as the data model says.
    Long,
    /// `unsigned long`, `size_t`: as large as the data model says.
    ULong,
    /// Unsigned 16 bits in network byte order.
    Net16,
    /// Unsigned 32 bits in network byte order.
    Net32,
    /// Unsigned 64 bits in network byte order.
    Net64,
}

impl Width {
    /// Whether values below zero are possible.
    pub const fn is_signed(self) -> bool {
        matches!(self, Width::S8 | Width::S16 | Width::S32 | Width::S64 | Width::Long)
    }

    /// Size in memory, in bytes.
    pub const fn bytes(self, model: DataModel) -> u32 {
        match self {
            Width::S8 | Width::U8 => 1,
            Width::S16 | Width::U16 | Width::Net16 => 2,
            Width::S32 | Width::U32 | Width::Net32 => 4,
            Width::S64 | Width::U64 | Width::Net64 => 8,
            Width::Long | Width::ULong => model.word(),
        }
    }

    /// The width of an integer that is as this one but has so many bytes.
    #[must_use]
    pub const fn of_bytes(self, bytes: u32) -> Width {
        match (bytes, self.is_signed()) {
            _ if matches!(self, Width::Net16 | Width::Net32) => self,
            (1, true) => Width::S8,
            (2, true) => Width::S16,
            (4, true) => Width::S32,
            (_, true) => Width::S64,
            (1, false) => Width::U8,
            (2, false) => Width::U16,
            (4, false) => Width::U32,
            (_, false) => Width::U64,
        }
    }
}
