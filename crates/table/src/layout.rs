//! How structs lie in memory, by ABI.

use crate::{DataModel, Kind, Width};

/// A struct's layout.
#[derive(Debug)]
pub struct Layout {
    /// Its name in the UAPI headers.
    pub name: &'static str,
    /// Size in bytes, by LP64 and by ILP32.
    pub size: [u32; 2],
    /// The fields worth showing, in the order of showing.
    pub fields: &'static [Field],
}

impl Layout {
    /// Size in bytes.
    pub const fn size(&self, model: DataModel) -> u32 {
        self.size[model as usize]
    }

    /// Checks that each field's kind is as wide as the header's member, by LP64 and by ILP32.
    pub(crate) const fn has_sizes(&self, sizes: &[[u32; 2]]) {
        let mut place = 0;
        while place < self.fields.len() {
            let [lp64, ilp32] = sizes[place];
            let kind = &self.fields[place].kind;
            assert!(kind.size(DataModel::Lp64) == lp64, "a kind of another width");
            assert!(kind.fits_ilp32(ilp32), "a kind of another width in the 32-bit layout");
            place += 1;
        }
    }

    /// The same of a struct that only 32-bit programs have.
    pub(crate) const fn has_ilp32_sizes(&self, sizes: &[u32]) {
        let mut place = 0;
        while place < self.fields.len() {
            let fits = self.fields[place].kind.fits_ilp32(sizes[place]);
            assert!(fits, "a kind of another width in the 32-bit layout");
            place += 1;
        }
    }
}

/// A field of a [`Layout`].
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in the UAPI headers.
    pub name: &'static str,
    /// Distance from the start of the struct in bytes, by LP64 and by ILP32.
    offset: [u32; 2],
    /// Size by ILP32, in bytes; 0 where the kind says it.
    ilp32_size: u16,
    /// What it is.
    pub kind: Kind,
    /// Shown only where nothing is abbreviated (`-v`).
    pub verbose: bool,
    /// Told with the field before it, also of a struct that the caller has made to end there.
    pub beside: bool,
}

/// A field that is always shown; in both data models at this place, and as large as its kind.
pub const fn field(name: &'static str, offset: u32, kind: Kind) -> Field {
    Field { name, offset: [offset, offset], ilp32_size: 0, kind, verbose: false, beside: false }
}

/// A field shown only with `-v`; else as [`field`] makes it.
pub const fn verbose_field(name: &'static str, offset: u32, kind: Kind) -> Field {
    Field { verbose: true, ..field(name, offset, kind) }
}

impl Field {
    /// The same, with this place and size by ILP32, in bytes.
    #[must_use]
    pub const fn ilp32(mut self, offset: u32, size: u16) -> Field {
        self.offset[DataModel::Ilp32 as usize] = offset;
        self.ilp32_size = size;
        self
    }

    /// The same, told with the field before it.
    #[must_use]
    pub const fn beside(self) -> Field {
        Field { beside: true, ..self }
    }

    /// Distance from the start of the struct, in bytes.
    pub const fn offset(&self, model: DataModel) -> u32 {
        self.offset[model as usize]
    }

    /// Size in bytes. By ILP32 a number may have fewer bytes than its kind, or more: a kind says
    /// `long` also of what has 64 bits in both data models.
    pub const fn size(&self, model: DataModel) -> u32 {
        match (model, self.ilp32_size) {
            (DataModel::Lp64, _) | (DataModel::Ilp32, 0) => self.kind.size(model),
            (DataModel::Ilp32, size) => size as u32,
        }
    }

    /// How wide a number in this field is.
    pub const fn width(&self, model: DataModel) -> Width {
        let kind = match self.kind {
            Kind::Written(kind)
            | Kind::Replaced(kind, _)
            | Kind::Hidden(kind)
            | Kind::Along(kind)
            | Kind::Supplied(kind) => *kind,
            kind => kind,
        };
        let width = match kind {
            Kind::Int(width, _)
            | Kind::Flags(width, _)
            | Kind::Parts(width, _)
            | Kind::Explained(width, _) => width,
            kind if kind.size(DataModel::Lp64) == 8 => Width::U64,
            _ => Width::S32,
        };
        width.of_bytes(self.size(model))
    }
}
