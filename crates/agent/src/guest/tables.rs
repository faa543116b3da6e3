//! What to capture of which call.

use crate::abi;

/// The tables as the supervisor wrote them.
#[derive(Clone, Copy)]
pub struct Tables<'t> {
    /// Limits, and what to do for each call.
    pub head: &'t abi::Tables,
    /// The ops that calls refer to.
    pub ops: &'t [abi::Op],
}

/// What the tables say of paths.
#[derive(Clone, Copy)]
pub struct Paths<'t> {
    /// [`abi::PathRules::flags`].
    pub flags: u32,
    /// Paths among the arguments of calls.
    pub arguments: &'t [abi::PathArgument],
    /// What guests see elsewhere than the host has it.
    pub places: &'t [abi::Place],
    /// Other names for the root directory.
    pub aliases: &'t [abi::Text],
    /// The names on the ways to places.
    pub names: &'t [abi::Text],
    /// What texts refer to.
    pub bytes: &'t [u8],
}

impl<'t> Paths<'t> {
    /// The bytes of a text.
    pub fn text(&self, text: &abi::Text) -> &'t [u8] {
        let start = text.at as usize;
        self.bytes.get(start..start + text.len as usize).unwrap_or(&[])
    }
}

impl<'t> Tables<'t> {
    /// What to do for the call with this number.
    pub fn call(&self, number: u64) -> Option<&'t abi::Call> {
        self.head.calls.get(usize::try_from(number).ok()?)
    }

    /// The ops of a call's entry half.
    pub fn entry(&self, call: &abi::Call) -> &'t [abi::Op] {
        self.range(call.entry, call.entry_count)
    }

    /// The ops of a call's exit half.
    pub fn exit(&self, call: &abi::Call) -> &'t [abi::Op] {
        self.range(call.exit, call.exit_count)
    }

    fn range(&self, first: u16, count: u16) -> &'t [abi::Op] {
        let first = usize::from(first);
        self.ops.get(first..first + usize::from(count)).unwrap_or(&[])
    }
}
