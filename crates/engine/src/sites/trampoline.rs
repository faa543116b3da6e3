//! The bytes of a patch: the jump, and the trampoline to which it leads.

use super::piece::Kind;
use super::window::Window;
use super::{JUMP_LEN, SHORT_JUMP_LEN, SYSCALL};
use crate::elf::i32_at;

/// Size of `lea Site(%rip),%r11`.
const LEA_LEN: u64 = 7;
/// Size of `jmp *entry(%rip)`.
const JMP_LEN: u64 = 6;
/// Size of a conditional branch with a 32-bit distance.
const JCC_LEN: usize = 6;
/// The short jump to the board before it.
const TO_BOARD: [u8; SHORT_JUMP_LEN] = [0xeb, 0u8.wrapping_sub((SHORT_JUMP_LEN + JUMP_LEN) as u8)];
/// How the data of a trampoline is aligned, and so how long a trampoline is a multiple of.
const ALIGN: u64 = 8;
/// The most that a trampoline of any window takes, in bytes.
pub const TRAMPOLINE_MAX: u64 = 256;

/// A site at its place in memory: what to write where. All addresses are of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Where the jump is written: the window's start.
    pub start: u64,
    /// The address of the `syscall`.
    pub site: u64,
    /// Where the jump to the trampoline is written: the start, or the board before it.
    pub first: u64,
    /// What must be there before: the board, the window's instructions and the `syscall`.
    pub expected: Vec<u8>,
    /// The jump to the trampoline.
    jump: [u8; JUMP_LEN],
    /// Where the trampoline is.
    pub trampoline: u64,
    /// Its bytes, code and data; its length is a multiple of 8.
    pub bytes: Vec<u8>,
    /// Where instructions begin within the bytes that the jump covers, apart from the start.
    pub covered: Vec<u64>,
    origins: Vec<Origin>,
}

/// Where an instruction of a trampoline comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin {
    /// Its address in the trampoline.
    at: u64,
    /// Where it would be without the patch.
    original: u64,
}

/// The trampoline is too far from the code, or from what its instructions refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the trampoline is out of reach")]
pub struct Unreachable;

impl Window {
    /// Makes the patch for the file mapped with a bias, and a trampoline at an address that is a
    /// multiple of 8. It goes to `entry`, with the address of an [`agent::abi::Site`] in `r11`.
    pub fn patch(&self, bias: u64, trampoline: u64, entry: u64) -> Result<Patch, Unreachable> {
        let start = self.start.wrapping_add(bias);
        let site = self.site.wrapping_add(bias);
        let (mut bytes, mut origins) = self.displaced(bias, trampoline)?;

        let lea = bytes.len() as u64;
        let jmp = lea + LEA_LEN;
        let data = (jmp + JMP_LEN).next_multiple_of(ALIGN);
        let pointer = data + size_of::<agent::abi::Site>() as u64;
        // Both can be repeated: for the guest, they are at the site.
        for offset in [lea, jmp] {
            origins.push(Origin { at: trampoline + offset, original: site });
        }

        bytes.extend([0x4c, 0x8d, 0x1d]);
        bytes.extend(((data - jmp) as u32).to_le_bytes());
        bytes.extend([0xff, 0x25]);
        bytes.extend(((pointer - (jmp + JMP_LEN)) as u32).to_le_bytes());
        bytes.resize(data as usize, 0xcc);
        let board = self.board.as_ref().map_or(&[][..], |board| board);
        let first = start.wrapping_sub(board.len() as u64);
        let record = agent::abi::Site { call: site, after: self.after().wrapping_add(bias) };
        for word in [record.call, record.after, entry] {
            bytes.extend(word.to_le_bytes());
        }

        Ok(Patch {
            start,
            site,
            first,
            expected: [board, &self.code, &SYSCALL].concat(),
            jump: jump(first, trampoline)?,
            trampoline,
            bytes,
            covered: self.covered().map(|at| at.wrapping_add(bias)).collect(),
            origins,
        })
    }

    /// The displaced instructions at their new address, and where each comes from.
    fn displaced(&self, bias: u64, at: u64) -> Result<(Vec<u8>, Vec<Origin>), Unreachable> {
        let mut code = Vec::new();
        let mut origins = Vec::new();
        let mut rest = self.code.as_slice();
        let mut original = self.start.wrapping_add(bias);
        for piece in &self.pieces {
            let (old, behind) = rest.split_at(piece.len.into());
            rest = behind;
            let new = at + code.len() as u64;
            origins.push(Origin { at: new, original });
            original = original.wrapping_add(old.len() as u64);
            match piece.kind {
                Kind::Plain => code.extend(old),
                Kind::Branch => code.extend(long_branch(old, original, new)?),
                Kind::Relative(field) => {
                    let field = usize::from(field);
                    let target = original.wrapping_add_signed(i32_at(old, field).into());
                    let distance = distance(new + old.len() as u64, target)?;
                    code.extend(&old[..field]);
                    code.extend(distance);
                    code.extend(&old[field + distance.len()..]);
                }
            }
        }
        Ok((code, origins))
    }
}

/// A conditional branch with a 32-bit distance, at an address, that does what this one does, which
/// ends at `next`.
fn long_branch(old: &[u8], next: u64, at: u64) -> Result<[u8; JCC_LEN], Unreachable> {
    /// The first of the opcodes, which are in the order of the conditions, as are those of short
    /// branches.
    const JO: u8 = 0x80;
    let (opcode, old_distance) = match old {
        [opcode, distance] => (opcode, i64::from(distance.cast_signed())),
        _ => (&old[1], i64::from(i32_at(old, 2))),
    };
    let target = next.wrapping_add_signed(old_distance);
    let [a, b, c, d] = distance(at.wrapping_add(JCC_LEN as u64), target)?;
    Ok([0x0f, JO + opcode % 16, a, b, c, d])
}

/// `jmp` from one address to another.
fn jump(from: u64, to: u64) -> Result<[u8; JUMP_LEN], Unreachable> {
    let [a, b, c, d] = distance(from.wrapping_add(JUMP_LEN as u64), to)?;
    Ok([0xe9, a, b, c, d])
}

/// The distance from the end of an instruction to an address, as instructions hold it.
fn distance(next: u64, to: u64) -> Result<[u8; 4], Unreachable> {
    let distance = to.wrapping_sub(next).cast_signed();
    i32::try_from(distance).map(i32::to_le_bytes).map_err(|_| Unreachable)
}

impl Patch {
    /// What is written where. The last is at the start: before it is there, nobody comes to the
    /// other.
    pub fn jumps(&self) -> impl DoubleEndedIterator<Item = (u64, &[u8])> {
        let to_board = self.board().map(|_| (self.start, &TO_BOARD[..]));
        [(self.first, &self.jump[..])].into_iter().chain(to_board)
    }

    /// Whether the jump at the start lies in one aligned word, and so is written at once.
    pub fn is_in_one_word(&self) -> bool {
        self.jumps().next_back().is_some_and(|(at, jump)| at % 8 + jump.len() as u64 <= 8)
    }

    /// The address of the board, if there is one.
    pub fn board(&self) -> Option<u64> {
        (self.first != self.start).then_some(self.first)
    }

    /// What was at an address that is written before: so many bytes.
    pub fn original(&self, at: u64, len: usize) -> &[u8] {
        &self.expected[(at - self.first) as usize..][..len]
    }

    /// For a thread that is at an address in the trampoline, or on the board: where it can go on
    /// without it, as if it had never been there.
    pub fn origin(&self, ip: u64) -> Option<u64> {
        if self.board() == Some(ip) {
            return Some(self.start);
        }
        let origin = self.origins.iter().find(|origin| origin.at == ip)?;
        Some(self.resume(origin.original))
    }

    /// For a thread that is at an address of the guest's code when the jump is written: where it
    /// can go on. That is the same address, unless its instruction is covered; then the thread
    /// begins at the start anew, which [`Window`] has made sure of that it may.
    pub fn resume(&self, ip: u64) -> u64 {
        if self.covered.contains(&ip) { self.start } else { ip }
    }
}
