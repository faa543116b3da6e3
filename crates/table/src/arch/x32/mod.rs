//! The x32 ABI: 64-bit programs with 32-bit pointers. Its numbers are those of x86-64 with a bit that
//! marks them, apart from some calls of its own.

mod list;

use crate::Call;
use crate::arch::x86_64;

/// The x86-64 call that x32 has under this number, where the number is its own. It comes without
/// the bit.
pub const fn namesake(number: u64) -> Option<&'static Call> {
    let mut at = 0;
    while at < list::CALLS.len() {
        if let (own, _, Some(native)) = list::CALLS[at]
            && own as u64 == number
        {
            return x86_64::by_number(native);
        }
        at += 1;
    }
    None
}

/// The numbers of x32's own calls.
pub fn numbers() -> impl Iterator<Item = u16> {
    list::CALLS.iter().map(|(number, ..)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_numbers_are_calls_of_x86_64() {
        assert_eq!(namesake(512).map(|call| call.name), Some("rt_sigaction"));
        assert_eq!(namesake(547).map(|call| call.name), Some("pwritev2"));
        assert!(namesake(39).is_none() && namesake(548).is_none());
        assert!(numbers().all(|number| namesake(number.into()).is_some()));
    }
}
