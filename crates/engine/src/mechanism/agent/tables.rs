//! What the agent is to capture of which call: plans, as bytes that it reads.
//!
//! The plans are those that the supervisor follows itself. What leads to more pointers is more
//! than the agent can do: such a call goes through the net, and so does one of [`LEFT_TO_THE_NET`].
//! Those of [`SOMETIMES_LEFT`] have ops that say when, before those of their plans.
//!
//! [`LEFT_TO_THE_NET`]: super::net_only::LEFT_TO_THE_NET
//! [`SOMETIMES_LEFT`]: super::net_only::SOMETIMES_LEFT

use agent::abi::{self, CALLS, COPY_MAX, Call, Op, PATH_MAX, count, op, trim};
use agent::guest::ring::COPIED_LEN;
use contract::{CallSet, PathArgument, Redirection, Reply};
use table::PlainDescriptors;
use table::arch::x86_64;

use super::paths::PathTables;
use crate::Limits;

/// What `compile.rs` has made of all calls.
mod compiled {
    use agent::abi::{Call, Op};

    include!(concat!(env!("OUT_DIR"), "/agent_tables.rs"));
}

/// What the agent is to do for which call.
#[derive(Clone, Debug)]
pub struct Tables {
    limits: Limits,
    calls: Box<[Call; CALLS]>,
    ops: &'static [Op],
    paths: PathTables,
}

impl Tables {
    /// The tables by which the calls of `recorded` are recorded, but for those of `stopping`, and
    /// others only made.
    pub fn new(recorded: &CallSet, stopping: &CallSet, limits: Limits) -> Tables {
        let calls = Box::new([Call::default(); CALLS]);
        let mut tables =
            Tables { limits, calls, ops: &compiled::OPS, paths: PathTables::default() };
        for (number, call, passed) in &compiled::CALLS {
            let is_in = |calls: &CallSet| calls.contains((*number).into());
            tables.calls[usize::from(*number)] = match (is_in(recorded), is_in(stopping)) {
                (true, false) if call.flags & Call::RECORDED != 0 => tables.bounded(*call),
                (true, _) => Call::default(),
                (false, _) => *passed,
            };
        }
        tables
    }

    /// Has the agent tell what descriptors stand for, of calls that mention none elsewhere than among
    /// their arguments, or as their result. The others are left to the net.
    pub fn name_descriptors(&mut self) {
        for call in x86_64::calls() {
            let Some(made) = self.calls.get_mut(usize::from(call.number)) else { continue };
            let recorded = made.flags & Call::RECORDED != 0;
            match call.plain_descriptors().filter(|_| recorded) {
                Some(PlainDescriptors { args, directories, result }) => {
                    let result = if result { Call::NAMED_RESULT } else { 0 };
                    made.names = u16::from(args) | u16::from(directories) << 8 | result;
                }
                None if recorded => *made = Call::default(),
                None => {}
            }
        }
    }

    /// Has the agent measure the system CPU time of the calls that it records.
    pub fn measure_cpu_time(&mut self) {
        let recorded = self.calls.iter_mut().filter(|call| call.flags & Call::RECORDED != 0);
        recorded.for_each(|call| call.flags |= Call::MEASURED);
    }

    /// Leaves the call of this number to the net.
    pub fn leave(&mut self, number: u64) {
        if let Some(call) = self.calls.get_mut(number as usize) {
            *call = Call::default();
        }
    }

    /// Makes the call of this number whatever its first condition says.
    pub fn drop_first_condition(&mut self, number: u64) {
        let Some(&call) = self.calls.get(number as usize) else { return };
        let Call { entry, entry_count, .. } = call;
        if call.flags != 0 {
            let call = Call { entry: entry + 1, entry_count: entry_count - 1, ..call };
            let is_recorded = call.flags & Call::RECORDED != 0;
            self.calls[number as usize] = if is_recorded { self.bounded(call) } else { call };
        }
    }

    /// Answers every call of this number.
    pub fn answer(&mut self, number: u64, reply: Reply) {
        if let Some(call) = self.calls.get_mut(number as usize) {
            *call = Call::answered(reply.raw() as u64);
        }
    }

    /// Has the agent change the paths of calls. Returns the calls. Of those that it leaves to the net it
    /// answers some, if they are not among the `recorded`.
    pub fn redirect(&mut self, rules: &Redirection, recorded: &CallSet) -> CallSet {
        let fail = |arguments: &[PathArgument]| arguments.iter().any(|path| path.unless_missing);
        for (number, arguments) in &rules.calls {
            if fail(arguments)
                && !recorded.contains(*number)
                && let Some(call) = self.calls.get_mut(*number as usize)
            {
                call.flags |= Call::PASSED;
            }
        }
        let mut calls = CallSet::NONE;
        let room = (abi::TABLES_END - abi::TABLES) as usize - self.head_len();
        let Some((paths, firsts)) = PathTables::of(rules, room) else { return calls };
        for (number, first) in firsts {
            let call = self.calls.get_mut(number as usize).filter(|call| call.flags != 0);
            if let Some(call) = call {
                call.flags |= Call::PATHS;
                call.paths = first;
                calls.insert(number);
            }
        }
        self.paths = paths;
        calls
    }

    /// Size of what lies before the rules for paths, in bytes.
    fn head_len(&self) -> usize {
        size_of::<agent::abi::Tables>() + size_of_val(self.ops)
    }

    /// Whether the agent decides itself what becomes of the call of this number: it answers it, or
    /// changes its paths.
    pub fn decides(&self, number: u64) -> bool {
        let call = usize::try_from(number).ok().and_then(|number| self.calls.get(number));
        call.is_some_and(|call| call.flags & (Call::ANSWERED | Call::PATHS) != 0)
    }

    /// Whether the agent records any call.
    pub fn record(&self) -> bool {
        self.calls.iter().any(|call| call.flags & Call::RECORDED != 0)
    }

    /// Whether the agent does anything for the call of this number.
    pub fn has(&self, number: u64) -> bool {
        let call = usize::try_from(number).ok().and_then(|number| self.calls.get(number));
        call.is_some_and(|call| call.flags != 0)
    }

    /// The ops that the agent can come to. Each program has a copy of them, and others would cost it pages.
    fn followed(&self) -> &'static [Op] {
        if self.record() { self.ops } else { &self.ops[..compiled::CONDITIONS] }
    }

    /// As [`agent::abi::Tables`], with the ops behind it, for rings of this size.
    pub fn bytes(&self, ring_len: u32) -> Vec<u8> {
        let limit = |limit: usize| u32::try_from(limit).unwrap_or(u32::MAX);
        let (string, elements) = (limit(self.limits.string), limit(self.limits.elements));
        let ops = self.followed();
        let mut bytes = Vec::with_capacity(self.head_len());
        for field in [string, elements, ops.len() as u32, ring_len] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        self.paths.counts().iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
        self.calls.iter().for_each(|call| bytes.extend_from_slice(&call.to_bytes()));
        ops.iter().for_each(|op| bytes.extend_from_slice(&op.to_bytes()));
        bytes.extend_from_slice(self.paths.bytes());
        bytes
    }

    /// A recorded call, with what its halves take at most.
    fn bounded(&self, call: Call) -> Call {
        let Call { entry, entry_count, exit, exit_count, .. } = call;
        let (entry_most, exit_most) = (self.most(entry, entry_count), self.most(exit, exit_count));
        Call { entry_most, exit_most, ..call }
    }

    /// How many bytes copies by these ops take at most, as [`Call::entry_most`] says it.
    fn most(&self, first: u16, count: u16) -> u32 {
        let ops = &self.ops[usize::from(first)..][..usize::from(count)];
        let most = ops.iter().try_fold(0u32, |sum, op| sum.checked_add(self.bound(op)?));
        most.unwrap_or(Call::UNBOUNDED)
    }

    /// How many bytes a copy by an op takes at most; `None` where the arguments decide.
    fn bound(&self, op: &Op) -> Option<u32> {
        let at = |index: u32| &self.ops[index as usize];
        let limit = self.limits.string as u64;
        let len = match op.kind {
            op::NOTHING => return Some(0),
            op::SELECT => {
                // The default lies before the cases.
                let cases = (op.next..op.next + op.size).map(|index| at(at(index).next));
                let ways = cases.chain([at(op.next - 1)]);
                return ways
                    .map(|way| self.bound(way))
                    .try_fold(0, |most, way| Some(most.max(way?)));
            }
            op::IF_BITS => return self.bound(at(op.next)),
            op::STR if op.trim == trim::WHOLE => PATH_MAX,
            op::STR => limit + 1,
            op::HEADED => u64::from(op.size) + limit.max(op.size.into()),
            op::BLOCK => match op.trim {
                trim::DATA => limit,
                trim::ELEMENTS => (self.limits.elements as u64).checked_mul(op.size.into())?,
                _ if op.count == count::CONST => op.value.checked_mul(op.size.into())?,
                _ => return None,
            },
            _ => return None,
        };
        let copied = len <= COPY_MAX;
        copied.then(|| (COPIED_LEN + len.next_multiple_of(8)) as u32)
    }
}

#[cfg(test)]
mod same_copies;
#[cfg(test)]
mod tests;
