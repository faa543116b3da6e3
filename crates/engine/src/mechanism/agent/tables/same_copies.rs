//! The agent copies what the supervisor copies: same places, same order, same bytes.

use agent::abi::{self, slot};
use agent::entries::{Entries, What};
use agent::guest::call::{Course, after, before};
use agent::guest::testing::{Model, OwnedSlot, PAGE, drain};
use contract::{Capture, GuestAddr, Outcome, Phase, Plan, Stamp, Tid};

use table::DataModel;
use table::arch::x86_64;

use super::*;
use crate::capture::Capturer;

/// Numbers without a pattern (xorshift).
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A guest's memory: this process's, which the supervisor's side reads as it reads a guest's, and a
/// model of it, which the agent's side reads.
struct Memory {
    bytes: Vec<u8>,
    /// Where whole pages begin in `bytes`.
    start: usize,
    model: Model,
}

/// Where pointers point to, in bytes from the first page on; the longest copies end behind it.
const POINTED_TO: u64 = 4 * PAGE;
const LEN: u64 = POINTED_TO + abi::COPY_MAX;

impl Memory {
    fn new() -> Memory {
        let bytes = vec![0; (LEN + PAGE) as usize];
        let start = bytes.as_ptr().align_offset(PAGE as usize);
        let mut memory = Memory { bytes, start, model: Model::default() };
        let pages = (0..LEN / PAGE).map(|page| memory.base() + page * PAGE);
        memory.model.pages = pages.map(|page| (page, vec![0; PAGE as usize])).collect();
        memory
    }

    fn base(&self) -> u64 {
        self.bytes[self.start..].as_ptr().addr() as u64
    }

    /// Writes a number of so many bytes somewhere.
    fn write(&mut self, noise: &mut Noise) {
        let at = noise.below(POINTED_TO / 8) * 8;
        let end = [2, 40, 3000, u64::MAX][noise.below(4) as usize];
        let value = noise.below(end).to_le_bytes();
        let value = &value[..[1, 4, 8][noise.below(3) as usize]];
        self.bytes[self.start + at as usize..][..value.len()].copy_from_slice(value);
        let page = self.model.pages.get_mut(&(self.base() + at / PAGE * PAGE)).unwrap();
        page[(at % PAGE) as usize..][..value.len()].copy_from_slice(value);
    }

    /// What may be in a register.
    fn register(&self, noise: &mut Noise) -> u64 {
        match noise.below(6) {
            0 => 0,
            1 => noise.below(40),
            2 => noise.below(PAGE),
            // In the kernel's half.
            3 => 1 << 63 | noise.below(1 << 62),
            4 => self.base() + noise.below(POINTED_TO),
            _ => self.base() + noise.below(POINTED_TO / 8) * 8,
        }
    }
}

/// A copy: when, where, what, and whether it ended too early.
type Copied = (Phase, u64, Vec<u8>, bool);

/// One call, captured by both.
struct Both<'t> {
    call: &'static table::Call,
    tables: agent::guest::tables::Tables<'t>,
    capturer: &'t mut Capturer,
    registers: [u64; 7],
    result: i64,
}

impl Both<'_> {
    /// What both have copied: the agent and the supervisor; `None` if the agent left the call to the
    /// net.
    fn copies(mut self, memory: &mut Memory, noise: &mut Noise) -> Option<[Vec<Copied>; 2]> {
        let mut owned = OwnedSlot::new();
        let slot = owned.calling(self.call.number.into(), self.registers);
        let paths = || unreachable!("no call has paths");
        if before(&memory.model, slot, &self.tables, paths) != Course::Made {
            return None;
        }
        let mut capture = Capture::default();
        let [args @ .., sp] = self.registers;
        (capture.args, capture.sp) = (args, GuestAddr(sp));
        self.fill(&mut capture, Phase::Entry);

        // The kernel writes.
        (0..10).for_each(|_| memory.write(noise));
        after(&memory.model, slot, &self.tables, self.result as u64);
        let (value, failed) = (self.result, self.result < 0);
        capture.outcome = Some(Outcome { time: Stamp(0), cpu: 0, value, failed });
        if !failed {
            self.fill(&mut capture, Phase::Exit);
        }
        let spans = capture.spans();
        let spans =
            spans.map(|(span, bytes)| (span.phase, span.addr.0, bytes.to_vec(), span.fault));
        Some([drained(slot), spans.collect()])
    }

    fn fill(&mut self, capture: &mut Capture, phase: Phase) {
        let plan = Plan::of(self.call, DataModel::Lp64);
        let plan = if phase == Phase::Entry { &plan.entry } else { &plan.exit };
        // Ourselves as the guest: any process may read its own memory.
        let tid = Tid(std::process::id() as i32);
        self.capturer.fill(tid, capture, plan, phase).unwrap();
    }
}

/// The copies in both halves of a call.
fn drained(slot: agent::guest::slot::Slot) -> Vec<Copied> {
    let bytes = drain(slot);
    let halves: Vec<_> = Entries::new(&bytes).map(Result::unwrap).collect();
    assert!(matches!(halves.as_slice(), [enter, exit]
        if matches!((enter.what, exit.what), (What::Enter(_), What::Exit(_)))));
    assert_eq!(slot.word(slot::SINCE), 0);
    let copies = halves.iter().zip([Phase::Entry, Phase::Exit]).flat_map(|(half, phase)| {
        let copies = half.copies.clone();
        copies.map(move |copy| (phase, copy.addr, copy.bytes.to_vec(), copy.fault))
    });
    copies.collect()
}

#[test]
fn the_agent_copies_what_the_supervisor_copies() {
    let mut noise = Noise(0x1234_5678_9abc_def1);
    let mut memory = Memory::new();
    let mut compared = 0;
    for (string, elements) in [(32, 32), (0, 0), (3000, 5)] {
        let limits = || Limits { string, elements, environment: false };
        let tables = Tables::new(&CallSet::ALL, &CallSet::NONE, limits());
        let head = abi::Tables {
            string_limit: string as u32,
            element_limit: elements as u32,
            op_count: tables.ops.len() as u32,
            ring_len: abi::RING_LEN as u32,
            paths: abi::PathRules::default(),
            calls: *tables.calls,
        };
        let mut capturer = Capturer::new(limits(), None);
        let recorded = |call: &&table::Call| {
            tables.calls.get(usize::from(call.number)).is_some_and(|call| call.flags != 0)
        };
        for call in x86_64::calls().filter(recorded) {
            for _ in 0..15 {
                (0..20).for_each(|_| memory.write(&mut noise));
                let registers = std::array::from_fn(|_| memory.register(&mut noise));
                let bound = match call.name {
                    "sched_getaffinity" => registers[1],
                    "getdents" | "getdents64" => registers[2],
                    _ => PAGE,
                };
                let result = noise.below(bound.min(PAGE) + 40) as i64 - 40;
                let tables = agent::guest::tables::Tables { head: &head, ops: tables.ops };
                let both = Both { call, tables, capturer: &mut capturer, registers, result };
                if let Some([agent, supervisor]) = both.copies(&mut memory, &mut noise) {
                    assert_eq!(agent, supervisor, "{} {registers:x?} = {result}", call.name);
                    compared += agent.len();
                }
            }
        }
    }
    assert!(compared > 5000, "{compared} copies");
}
