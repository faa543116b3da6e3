//! The instructions of a window, as far as it must be known to execute them elsewhere. It is kept
//! with the window, so that a patch is made without a decoder, which takes half a millisecond to
//! get ready.

use iced_x86::{Decoder, DecoderOptions, Instruction};

/// The longest instruction, in bytes.
const INSTRUCTION_MAX: u8 = 15;
/// Size of the distance to what an operand refers to, in bytes.
const DISTANCE_LEN: u8 = 4;

/// An instruction of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its size, in bytes.
    pub len: u8,
    /// What becomes of it at another address.
    pub kind: Kind,
}

/// What becomes of an instruction at another address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It stays as it is.
    Plain,
    /// A conditional branch: it gets another distance, and perhaps a longer one.
    Branch,
    /// It refers to memory relative to itself, and gets another distance: that is at this offset in
    /// it.
    Relative(u8),
}

impl Piece {
    /// The piece that is made of an instruction, whose bytes these are.
    pub fn of(instruction: &Instruction, bytes: &[u8]) -> Piece {
        let kind = if is_movable_branch(instruction) {
            Kind::Branch
        } else if instruction.is_ip_rel_memory_operand() {
            let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
            let again = decoder.decode();
            Kind::Relative(decoder.get_constant_offsets(&again).displacement_offset() as u8)
        } else {
            Kind::Plain
        };
        Piece { len: instruction.len() as u8, kind }
    }

    /// Whether these bytes can be such an instruction.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        let len = (1..=INSTRUCTION_MAX).contains(&self.len) && bytes.len() == self.len.into();
        len && match self.kind {
            Kind::Plain => true,
            Kind::Branch => matches!(bytes, [0x70..=0x7f, _] | [0x0f, 0x80..=0x8f, _, _, _, _]),
            Kind::Relative(field) => field > 1 && field + DISTANCE_LEN <= self.len,
        }
    }

    /// As two bytes: the size, and 0, 1 or the offset of the distance.
    pub fn to_bytes(self) -> [u8; 2] {
        let kind = match self.kind {
            Kind::Plain => 0,
            Kind::Branch => 1,
            Kind::Relative(field) => field,
        };
        [self.len, kind]
    }

    /// The piece of [`Piece::to_bytes`].
    pub fn from_bytes([len, kind]: [u8; 2]) -> Piece {
        let kind = match kind {
            0 => Kind::Plain,
            1 => Kind::Branch,
            field => Kind::Relative(field.min(INSTRUCTION_MAX)),
        };
        Piece { len, kind }
    }
}

/// It is a conditional branch to a fixed address, without a prefix.
pub fn is_movable_branch(instruction: &Instruction) -> bool {
    const SHORT_LEN: usize = 2;
    const NEAR_LEN: usize = 6;
    match instruction.len() {
        SHORT_LEN => instruction.is_jcc_short(),
        NEAR_LEN => instruction.is_jcc_near(),
        _ => false,
    }
}
