//! Copies of guest memory: follows ops as the supervisor follows the plans that they come from.

use super::Machine;
use super::ring::{COPIED_LEN, Writer};
use super::slot::Slot;
use super::tables::Tables;
use crate::abi::{self, COPY_MAX, Op, PATH_MAX, count, op, trim};

/// When memory is looked at.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Before the call.
    Before,
    /// Before the call, to see how much there may be after it.
    Ahead,
    /// After the call, which returned so much.
    After(u64),
}

/// Follows the ops of one half of a call.
pub struct Follower<'t> {
    slot: Slot,
    tables: &'t Tables<'t>,
    when: When,
    /// How much of the result blocks that count within it have not used up yet.
    result_left: u64,
}

/// Memory to be copied.
struct Want {
    addr: u64,
    /// The most that is copied, in bytes.
    len: u64,
    /// It ends behind the first NUL.
    string: bool,
    /// There is more than is copied: the next byte has to be readable too.
    more: bool,
}

/// An op leads to another at most so often: shapes nest less deep.
const DEPTH_MAX: u32 = 16;

impl<'t> Follower<'t> {
    /// Follows ops for the call in this slot.
    pub fn new(slot: Slot, tables: &'t Tables<'t>, when: When) -> Follower<'t> {
        let result_left = match when {
            When::Before => 0,
            When::Ahead => u64::MAX,
            When::After(result) => result,
        };
        Follower { slot, tables, when, result_left }
    }

    /// How many bytes of an entry the copies take at most; `None` where the call is to be left to
    /// the net, since it is one that the net has to see, or a copy may be longer than the agent's.
    #[inline(never)]
    pub fn most(mut self, ops: &[Op]) -> Option<u64> {
        let mut most = 0;
        for op in ops {
            if let Some(want) = self.want(op) {
                if want.len > COPY_MAX {
                    return None;
                }
                most += COPIED_LEN + want.len.next_multiple_of(8);
            }
        }
        Some(most)
    }

    /// Appends the copies to an entry.
    #[inline(never)]
    pub fn copy(mut self, machine: &impl Machine, ops: &[Op], to: &mut Writer) {
        for op in ops {
            if let Some(want) = self.want(op) {
                let (len, fault) = match want.string {
                    true => string(machine, want.addr, want.len),
                    false => {
                        let next = want.addr.wrapping_add(want.len) & !7;
                        (want.len, want.more && machine.word(next).is_none())
                    }
                };
                to.copy(machine, want.addr, len, fault);
            }
        }
    }

    /// What to copy for an op; `None` where there is nothing.
    fn want(&mut self, op: &Op) -> Option<Want> {
        let op = self.definite(op)?;
        let addr = self.slot.register(op.register);
        if op.kind == op::LEFT {
            return Some(Want { addr, len: u64::MAX, string: false, more: false });
        }
        if addr == 0 {
            return None;
        }
        let string_limit = u64::from(self.tables.head.string_limit);
        let (len, more) = match op.kind {
            op::STR if op.trim == trim::WHOLE => (PATH_MAX, false),
            // One byte more than is shown, to tell a NUL from a cut.
            op::STR => (string_limit + 1, false),
            op::HEADED => {
                let header = u64::from(op.size);
                let count = self.count(op);
                let len = count.min(string_limit);
                (header + len.max(header), len >= header && count > len)
            }
            op::BLOCK => self.block(op, string_limit),
            _ => return None,
        };
        Some(Want { addr, len, string: op.kind == op::STR, more })
    }

    /// The op that an op leads to in the end.
    pub fn definite<'o>(&self, first: &'o Op) -> Option<&'o Op>
    where
        't: 'o,
    {
        let mut op = first;
        for _ in 0..DEPTH_MAX {
            let number = || self.slot.register(op.number);
            let next = match op.kind {
                op::SELECT => self.case(op, number() & op.value)?,
                op::IF_BITS if number() & op.value != 0 => op.next as usize,
                op::IF_OURS if abi::touches(self.slot.register(op.register), number()) => {
                    op.next as usize
                }
                op::IF_BITS | op::IF_OURS => return None,
                _ => return Some(op),
            };
            op = self.tables.ops.get(next)?;
        }
        None
    }

    /// The index of the op that a selection leads to.
    fn case(&self, select: &Op, value: u64) -> Option<usize> {
        let first = select.next as usize;
        let cases = self.tables.ops.get(first..first.checked_add(select.size as usize)?)?;
        match cases.binary_search_by_key(&value, |case| case.value) {
            Ok(case) => Some(cases.get(case)?.next as usize),
            Err(_) => first.checked_sub(1),
        }
    }

    /// How much of a block is copied, in bytes, and whether it is data of which there is more.
    fn block(&mut self, op: &Op, string_limit: u64) -> (u64, bool) {
        let unit = u64::from(op.size);
        let mut whole = self.count(op).saturating_mul(unit);
        if op.count == count::WITHIN_RESULT {
            whole = whole.min(self.result_left);
            self.result_left -= whole;
        }
        match op.trim {
            trim::DATA => (whole.min(string_limit), whole > string_limit),
            trim::ELEMENTS => {
                let most = u64::from(self.tables.head.element_limit).saturating_mul(unit);
                (whole.min(most), false)
            }
            _ => (whole, false),
        }
    }

    /// The number that an op counts by.
    fn count(&self, op: &Op) -> u64 {
        let register = self.slot.register(op.number);
        match op.count {
            count::CONST => op.value,
            count::REGISTER | count::WITHIN_RESULT => register,
            count::RESULT => match self.when {
                When::Before => 0,
                // Results can be larger than what was written (`MSG_TRUNC`): where there is another
                // limit, that one is what holds.
                When::Ahead if op.trim != trim::WHOLE => u64::MAX,
                When::Ahead => register,
                When::After(result) => result,
            },
            count::DEREF => match self.when {
                When::Before => 0,
                When::Ahead | When::After(_) => self.slot.pointed_to(op.number),
            },
            count::WORDS_OF_BITS => u64::from(register as u32).div_ceil(64),
            count::PAGES_OF_BYTES => register.div_ceil(4096),
            _ => 0,
        }
    }
}

/// How long a string is with its NUL, at most `limit` bytes, and whether what follows is unreadable.
pub fn string(machine: &impl Machine, addr: u64, limit: u64) -> (u64, bool) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Aligned words: they don't cross pages, so that all of one is readable if a byte is.
    let mut at = addr & !7;
    let mut before = (1 << (addr % 8 * 8)) - 1;
    let mut len = 0;
    while len < limit {
        let Some(word) = machine.word(at) else { return (len, true) };
        let word = word | before;
        let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
        if zeros != 0 {
            let end = at + u64::from(zeros.trailing_zeros() / 8) + 1;
            return ((end - addr).min(limit), false);
        }
        before = 0;
        at = at.wrapping_add(8);
        len = at.wrapping_sub(addr);
    }
    (limit, false)
}

#[cfg(test)]
mod tests;
