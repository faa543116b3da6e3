//! The forms in which a row is measured.

/// What is traced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Every call.
    Everything,
    /// `openat(2)` only, which the guests make seldom.
    Openat,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 2] = [Form::Everything, Form::Openat];

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Form::Everything => "everything traced",
            Form::Openat => "-e trace=openat",
        }
    }
}
