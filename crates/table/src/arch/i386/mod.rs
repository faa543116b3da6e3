//! The i386 ABI, as 32-bit programs and `int 0x80` use it on x86-64: number → entry, total over the
//! kernel's list.

mod list;

pub use list::ids::*;

use crate::arch::x86_64;
use crate::{Call, Id, calls};

/// What one call stands for that has others behind it: `socketcall(2)`, `ipc(2)`, and the old
/// `mmap(2)` and `select(2)`, whose arguments are in memory.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The number of the call that it stands for; where the list has none for it, one beyond.
    pub call: u16,
    /// That call's arguments, in their order.
    pub args: &'static [From],
    /// The register that points to words in memory, and how many of them are to be read.
    pub block: Option<(u8, u8)>,
    /// As which call it is told where these words cannot be read, with its arguments as they are;
    /// without one, the pointer stands for the words.
    pub unreadable: Option<u16>,
}

/// Where an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// In a register.
    Register(u8),
    /// In a word of 32 bits in memory.
    Word(u8),
}

/// What the call of this number and these arguments stands for, if for another.
pub fn parts(number: u64, args: &[u64; 6]) -> Option<Parts> {
    calls::i386::parts(u16::try_from(number).ok()?, args)
}

/// Which of the arguments that are told points to the result, where that is not what the call
/// returns: `ipc(2)` stores the address that `shmat(2)` returns.
pub fn stored_result(made: u64, told: u64) -> Option<u8> {
    let is = |number, id: Id| number == u64::from(id.number);
    (is(made, IPC) && is(told, SHMAT)).then_some(3)
}

/// One more than the highest number, that of a call which has no number in the list included.
const LIMIT: usize = 522;
const _: () = assert!(list::LIMIT <= 512, "the numbers of such calls lie within the list");

/// Every call by its number: i386's own entry, else that of the x86-64 call of its name.
static TABLE: [Option<&'static Call>; LIMIT] = {
    let mut table = [None; LIMIT];
    let mut at = 0;
    while at < list::CALLS.len() {
        if let (number, _, Some(native)) = list::CALLS[at] {
            table[number as usize] = x86_64::by_number(native);
        }
        at += 1;
    }
    let mut family = 0;
    while family < calls::i386::FAMILIES.len() {
        let entries = calls::i386::FAMILIES[family];
        let mut at = 0;
        while at < entries.len() {
            table[entries[at].number as usize] = Some(&entries[at]);
            at += 1;
        }
        family += 1;
    }
    table
};

/// The entry of this number, or `None` if there is none. An entry that is an x86-64 call's too has
/// that one's number.
pub const fn call(number: u64) -> Option<&'static Call> {
    if number < TABLE.len() as u64 { TABLE[number as usize] } else { None }
}

/// Every call with its number, by number.
pub fn calls() -> impl Iterator<Item = (u16, &'static Call)> {
    (0..).zip(&TABLE).filter_map(|(number, call)| Some((number, (*call)?)))
}

/// The x86-64 call of the same name.
pub fn namesake(number: u64) -> Option<&'static Call> {
    let number = u16::try_from(number).ok()?;
    if usize::from(number) >= list::LIMIT {
        return x86_64::by_name(call(number.into())?.name);
    }
    let at = list::CALLS.binary_search_by_key(&number, |(number, ..)| *number).ok()?;
    x86_64::by_number(list::CALLS[at].2?)
}

/// Whether the kernel makes a call of this number: some that others stand for have none.
pub fn is_made(number: u64) -> bool {
    number < list::LIMIT as u64
}

/// The number of the call that has the name of this x86-64 call.
pub fn number_of(call: Id) -> Option<u64> {
    let same = list::CALLS.iter().find(|(_, _, native)| *native == Some(call.number));
    same.map(|(number, ..)| (*number).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_list_has_an_entry_of_its_name() {
        for (number, name, _) in list::CALLS {
            let found = call(u64::from(*number)).expect(name);
            assert_eq!(found.name, *name);
        }
        assert!(call(u64::MAX).is_none() && call(LIMIT as u64).is_none());
    }

    #[test]
    fn no_register_holds_two_arguments_and_no_call_is_described_twice() {
        let mut seen = [false; LIMIT];
        for entry in calls::i386::FAMILIES.iter().copied().flatten() {
            let seen = &mut seen[usize::from(entry.number)];
            assert!(!*seen, "{} is described twice", entry.name);
            *seen = true;
            let mut registers = [false; 8];
            for (place, arg) in entry.args.iter().enumerate() {
                for register in [Some(arg.register(place)), arg.upper.map(usize::from)] {
                    let Some(register) = register else { continue };
                    assert!(!registers[register], "{}: register {register} twice", entry.name);
                    registers[register] = true;
                }
            }
        }
    }

    #[test]
    fn numbers_lead_to_namesakes() {
        assert_eq!(namesake(5).map(|call| call.number), Some(2));
        assert!(namesake(7).is_none(), "x86-64 has no waitpid");
    }

    #[test]
    fn a_call_stands_for_the_one_that_its_first_argument_names() {
        let name = |number: Id, first| {
            parts(number.number.into(), &[first, 0, 0, 0, 0, 0])
                .and_then(|parts| call(parts.call.into()))
                .map(|call| call.name)
        };
        assert_eq!(name(SOCKETCALL, 1), Some("socket"));
        assert_eq!(name(SOCKETCALL, 20), Some("sendmmsg"));
        assert_eq!([name(SOCKETCALL, 0), name(SOCKETCALL, 21)], [None; 2]);
        assert_eq!(name(IPC, 0x1_000c), Some("msgrcv"));
        assert_eq!([name(IPC, 0), name(READ, 1)], [None; 2]);
        assert_eq!([name(MMAP, 0), name(SELECT, 0)], [Some("mmap"), Some("select")]);
    }
}
