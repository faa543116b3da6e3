//! The i386 ABI, as 32-bit programs and `int 0x80` use it on x86-64: number → name.

mod list;

use crate::{Call, Id, arch::x86_64};

/// The name of the call of this number, or `None` if the kernel's list has none.
pub fn name(number: u64) -> Option<&'static str> {
    find(number).map(|(_, name, _)| *name)
}

/// The description of the call of this number, or `None` if there is none.
pub fn call(number: u64) -> Option<&'static Call> {
    namesake(number)
}

/// The x86-64 call of the same name.
pub fn namesake(number: u64) -> Option<&'static Call> {
    find(number).and_then(|(_, _, native)| x86_64::call(u64::from((*native)?)))
}

/// The number of the call that has the name of this x86-64 call.
pub fn number_of(call: Id) -> Option<u64> {
    let same = list::CALLS.iter().find(|(_, _, native)| *native == Some(call.number));
    same.map(|(number, ..)| (*number).into())
}

fn find(number: u64) -> Option<&'static (u16, &'static str, Option<u16>)> {
    let number = u16::try_from(number).ok()?;
    let at = list::CALLS.binary_search_by_key(&number, |(number, ..)| *number).ok()?;
    Some(&list::CALLS[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_to_names_and_namesakes() {
        assert_eq!(name(5), Some("open"));
        assert_eq!(namesake(5).map(|call| call.number), Some(2));
        assert_eq!(name(7), Some("waitpid"));
        assert!(namesake(7).is_none(), "x86-64 has no waitpid");
        assert!(name(u64::MAX).is_none());
    }
}
