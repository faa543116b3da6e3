//! The x86-64 ABI: number → entry, total over the kernel's list.

mod list;

pub use list::ids::*;

use crate::{Call, Id, calls};

/// Every call by its number: the family's entry, else the names of its arguments.
static TABLE: [Option<&'static Call>; list::LIMIT] = {
    let mut table = [None; list::LIMIT];
    let mut at = 0;
    while at < list::NAMED.len() {
        let call = &list::NAMED[at];
        table[call.number as usize] = Some(call);
        at += 1;
    }
    let mut family = 0;
    while family < calls::FAMILIES.len() {
        let entries = calls::FAMILIES[family];
        let mut at = 0;
        while at < entries.len() {
            table[entries[at].number as usize] = Some(&entries[at]);
            at += 1;
        }
        family += 1;
    }
    table
};

/// The call of this number, or `None` if the kernel's list has none.
pub const fn call(number: u64) -> Option<&'static Call> {
    if number < TABLE.len() as u64 { TABLE[number as usize] } else { None }
}

/// The call of this number, in constants.
pub(crate) const fn by_number(number: u16) -> Option<&'static Call> {
    TABLE[number as usize]
}

/// The call of this identity, which must be one of the list.
pub(crate) const fn described(id: Id) -> &'static Call {
    match TABLE[id.number as usize] {
        Some(call) => call,
        None => panic!("no such call"),
    }
}

/// The call of this name.
pub fn by_name(name: &str) -> Option<&'static Call> {
    calls().find(|call| call.name == name)
}

/// The number of every call, in order. What is known of the calls is not touched for it.
pub fn numbers() -> impl Iterator<Item = u16> {
    (0..).zip(&TABLE).filter_map(|(number, call)| call.is_some().then_some(number))
}

/// Every call, by number.
pub fn calls() -> impl Iterator<Item = &'static Call> {
    TABLE.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_list_resolves_to_its_name_and_arguments() {
        for listed in list::NAMED {
            let found = call(u64::from(listed.number)).expect(listed.name);
            assert_eq!((found.number, found.name), (listed.number, listed.name));
            let mut registers = [false; 8];
            for place in 0..found.args.len() {
                let register = found.register(place);
                assert!(!registers[register], "{}: register {register} twice", listed.name);
                registers[register] = true;
            }
            for (register, taken) in registers[..6].iter().enumerate() {
                let listed_too = register < listed.args.len();
                assert_eq!(*taken, listed_too, "{}: register {register}", listed.name);
            }
        }
    }

    #[test]
    fn each_call_is_described_once() {
        let mut seen = [false; list::LIMIT];
        for entry in calls::FAMILIES.iter().copied().flatten() {
            let seen = &mut seen[usize::from(entry.number)];
            assert!(!*seen, "{} is described twice", entry.name);
            *seen = true;
        }
    }

    #[test]
    fn numbers_beyond_the_list_are_unknown() {
        assert!(call(list::LIMIT as u64).is_none());
        assert!(call(u64::MAX).is_none());
        assert!(call(400).is_none(), "the list has a gap below pidfd_send_signal");
    }

    #[test]
    fn names_lead_back_to_their_calls() {
        assert_eq!(by_name("openat").map(|call| call.number), Some(257));
        assert!(by_name("no_such_call").is_none());
    }
}
