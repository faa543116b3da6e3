//! How to get from one address in a function to its caller: a row of the unwind tables.

use gimli::{
    CfaRule, EndianSlice, EvaluationResult, LittleEndian, Location, Register, RegisterRule,
    UnwindContext, UnwindExpression, Value,
};

use super::memory::Memory;
use crate::eh_frame::{Entry, Unwind};

/// How many registers the tables know: by their DWARF numbers, of which the last is where to return.
pub const REGISTERS: usize = 17;
/// `%rbp`, `%rsp`, and the address to return to.
pub const BP: usize = 6;
pub const SP: usize = 7;
pub const RA: usize = 16;

/// The registers of a frame.
pub type Frame = [u64; REGISTERS];

/// A row.
#[derive(Debug)]
pub struct Row {
    cfa: CfaRule<usize>,
    rules: Vec<(Register, RegisterRule<usize>)>,
    /// It is of the code to which a signal handler returns.
    pub is_signal: bool,
}

impl Row {
    /// The row for an address in the function of this entry.
    pub fn of(
        entry: &Entry<'_>,
        vaddr: u64,
        unwind: &Unwind,
        context: &mut UnwindContext<usize>,
    ) -> Option<Row> {
        let row = entry
            .unwind_info_for_address(&unwind.section(), &unwind.bases(), context, vaddr)
            .ok()?;
        Some(Row {
            cfa: row.cfa().clone(),
            rules: row.registers().map(|(register, rule)| (*register, rule.clone())).collect(),
            is_signal: entry.is_signal_trampoline(),
        })
    }

    /// The caller's registers; `None` at the end of the stack, or where memory is missing.
    pub fn caller(&self, frame: &Frame, unwind: &Unwind, memory: &mut Memory) -> Option<Frame> {
        let cfa = match &self.cfa {
            CfaRule::RegisterAndOffset { register, offset } => {
                register_of(frame, *register)?.wrapping_add_signed(*offset)
            }
            CfaRule::Expression(expression) => evaluate(expression, None, frame, unwind, memory)?,
        };
        let mut caller = *frame;
        caller[SP] = cfa;
        let mut returns = false;
        for (register, rule) in &self.rules {
            let index = usize::from(register.0);
            if index >= REGISTERS {
                continue;
            }
            let value = match rule {
                RegisterRule::SameValue => Some(frame[index]),
                RegisterRule::Offset(offset) => memory.word(cfa.wrapping_add_signed(*offset)),
                RegisterRule::ValOffset(offset) => Some(cfa.wrapping_add_signed(*offset)),
                RegisterRule::Register(other) => register_of(frame, *other),
                RegisterRule::Expression(expression) => {
                    let at = evaluate(expression, Some(cfa), frame, unwind, memory)?;
                    memory.word(at)
                }
                RegisterRule::ValExpression(expression) => {
                    evaluate(expression, Some(cfa), frame, unwind, memory)
                }
                RegisterRule::Constant(value) => Some(*value),
                RegisterRule::Undefined | RegisterRule::Architectural => None,
            };
            match value {
                Some(value) => caller[index] = value,
                // Where to return is not to be found: nobody has called this function.
                None if index == RA => return None,
                None => {}
            }
            returns |= index == RA;
        }
        returns.then_some(caller)
    }
}

fn register_of(frame: &Frame, register: Register) -> Option<u64> {
    frame.get(usize::from(register.0)).copied()
}

/// The value of an expression, which begins with this one on its stack.
fn evaluate(
    expression: &UnwindExpression<usize>,
    initial: Option<u64>,
    frame: &Frame,
    unwind: &Unwind,
    memory: &mut Memory,
) -> Option<u64> {
    /// A file may hold an expression that does not end.
    const OPERATIONS_MAX: u32 = 1000;
    let expression = expression.get(&unwind.section()).ok()?;
    let mut evaluation = expression.evaluation(encoding());
    evaluation.set_max_iterations(OPERATIONS_MAX);
    if let Some(initial) = initial {
        evaluation.set_initial_value(initial);
    }
    let mut result = evaluation.evaluate().ok()?;
    loop {
        result = match result {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresMemory { address, size, .. } => {
                let mut bytes = [0; 8];
                let dest = bytes.get_mut(..usize::from(size))?;
                if memory.read(address, dest) < dest.len() {
                    return None;
                }
                evaluation.resume_with_memory(Value::Generic(u64::from_le_bytes(bytes))).ok()?
            }
            EvaluationResult::RequiresRegister { register, .. } => {
                let value = register_of(frame, register)?;
                evaluation.resume_with_register(Value::Generic(value)).ok()?
            }
            _ => return None,
        };
    }
    let pieces: Vec<gimli::Piece<EndianSlice<'_, LittleEndian>>> = evaluation.result();
    match pieces.first()?.location {
        Location::Address { address } => Some(address),
        _ => None,
    }
}

/// That of the tables of x86-64.
fn encoding() -> gimli::Encoding {
    gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 4 }
}
