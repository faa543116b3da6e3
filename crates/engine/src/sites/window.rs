//! Which instructions before a `syscall` give way to a jump.
//!
//! A window is a run of whole instructions that ends at the site, at least as long as the jump,
//! whose instructions can be executed elsewhere: no call, since the return address would be
//! another, and no branch but a conditional one to a fixed address.
//!
//! Of the possible ones these are better, in this order:
//! 1. nothing branches between the window's start and the site, so that every call goes through
//!    the agent;
//! 2. the jump covers a part of one instruction only ([`Window::single`]): nobody can be in the
//!    middle of what is overwritten, neither a thread that runs, nor one that will return there
//!    from a signal handler;
//! 3. it contains no branch;
//! 4. the bytes to write lie in one aligned word ([`Window::one_word`]);
//! 5. it is short.
//!
//! A function that begins so shortly before its `syscall` that the jump has no room may have a
//! *board*: unused bytes between it and the function before. Then the jump is written there, and a
//! short one to it, of two bytes, at the function's beginning.
//!
//! Where the jump covers several instructions, the function must not branch to the middle of them
//! (nor any other code: `reach`), and those before the last must be repeatable
//! (`repeat`), so that a thread that is between them can begin anew.
//!
//! What lies between the jump and the site stays as it is.

use std::ops::Range;

use iced_x86::{FlowControl, Instruction, Mnemonic, Register};

use super::decline::{Decline, Obstacle};
use super::piece::{Kind, Piece, is_movable_branch};
use super::repeat::is_repeatable;
use super::sweep::Sweep;
use super::{JUMP_LEN, RUN_MAX, SHORT_JUMP_LEN, SYSCALL_LEN};

/// The instructions before a site, from the one at which the jump is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The address of the first instruction, of the file.
    pub start: u64,
    /// The address of the `syscall`.
    pub site: u64,
    /// The instructions from the start up to the site.
    pub code: Vec<u8>,
    /// The same, one by one.
    pub(super) pieces: Vec<Piece>,
    /// Something branches to the site or to an instruction between the jump and the site. Those
    /// calls go through the net.
    pub bypassed: bool,
    /// The board directly before the start, where that is needed.
    pub board: Option<Board>,
}

/// What is where the jump is written, if not at the start: bytes that nobody executes.
pub type Board = [u8; JUMP_LEN];

impl Window {
    /// The window of a site that was chosen before; `None` if the pieces cannot be those of the
    /// code.
    pub(super) fn restored(
        site: u64,
        code: &[u8],
        pieces: Vec<Piece>,
        bypassed: bool,
        board: Option<Board>,
    ) -> Option<Window> {
        let len = code.len() as u64;
        let mut rest = code;
        for piece in &pieces {
            let (bytes, behind) = rest.split_at_checked(piece.len.into())?;
            rest = behind;
            if !piece.fits(bytes) {
                return None;
            }
        }
        let least = jump_len(board) as u64;
        let fits = rest.is_empty() && (least..=RUN_MAX).contains(&len);
        let start = site.checked_sub(len).filter(|_| fits)?;
        start.checked_sub(board.map_or(0, |board| board.len() as u64))?;
        Some(Window { start, site, code: code.to_vec(), pieces, bypassed, board })
    }

    /// A window of one instruction that is the same anywhere, for tests.
    #[cfg(test)]
    pub(crate) fn plain(site: u64, code: &[u8], board: Option<Board>) -> Option<Window> {
        let piece = Piece { len: code.len() as u8, kind: Kind::Plain };
        Window::restored(site, code, vec![piece], false, board)
    }

    /// The bytes from the start on that are written.
    pub(super) fn overwritten(&self) -> Range<u64> {
        self.start..self.start + jump_len(self.board) as u64
    }

    /// Where instructions begin within the bytes that the jump overwrites, apart from the start. A
    /// thread that is there when it is written must begin at the start anew.
    pub fn covered(&self) -> impl Iterator<Item = u64> {
        let ends = self.pieces.iter().scan(self.start, |at, piece| {
            *at += u64::from(piece.len);
            Some(*at)
        });
        let jump_end = self.overwritten().end;
        ends.take_while(move |at| *at < jump_end)
    }

    /// The jump covers a part of one instruction only.
    pub fn single(&self) -> bool {
        self.covered().next().is_none()
    }

    /// It contains a conditional branch.
    pub fn branches(&self) -> bool {
        self.pieces.iter().any(|piece| piece.kind == Kind::Branch)
    }

    /// The bytes to write lie in one aligned word of 8 bytes, so that one store can write them.
    pub fn one_word(&self) -> bool {
        self.start % 8 + jump_len(self.board) as u64 <= 8
    }

    /// The address behind the `syscall`.
    pub fn after(&self) -> u64 {
        self.site + SYSCALL_LEN
    }

    /// The same window at other addresses, so much higher.
    pub(super) fn moved(self, distance: u64) -> Window {
        let [start, site] = [self.start, self.site].map(|at| at.wrapping_add(distance));
        Window { start, site, ..self }
    }

    /// What the rank of a window depends on: less is better.
    fn rank(&self) -> (bool, bool, bool, bool, usize) {
        (self.bypassed, !self.single(), self.branches(), !self.one_word(), self.code.len())
    }
}

/// How many bytes are written at the start.
fn jump_len(board: Option<Board>) -> usize {
    if board.is_some() { SHORT_JUMP_LEN } else { JUMP_LEN }
}

/// All windows of a site, the best first; if there is none, the reason. `code` is that of the
/// function, which begins at `begin`; `board` what could be one before it.
pub(super) fn candidates(
    code: &[u8],
    begin: u64,
    site: u64,
    sweep: &Sweep,
    board: Option<Board>,
) -> Result<Vec<Window>, Decline> {
    let mut windows = Vec::new();
    let mut dangers = Vec::new();
    let mut limit = Obstacle::Beginning;
    if sweep.before.last().is_some_and(is_number_of_sigreturn) {
        return Err(Decline::SignalReturn);
    }
    for (index, first) in sweep.before.iter().enumerate().rev() {
        if let Some(obstacle) = obstacle(first) {
            limit = obstacle;
            break;
        }
        let run = &sweep.before[index..];
        let has_room = site - first.ip() >= JUMP_LEN as u64;
        let board = board.filter(|_| !has_room && first.ip() == begin);
        if !has_room && (board.is_none() || first.len() < SHORT_JUMP_LEN) {
            continue;
        }
        let window = Window { board, ..window(code, begin, site, run, &sweep.targets) };
        match covered_danger(&window, run, sweep) {
            Some(danger) => dangers.push(danger),
            None => windows.push(window),
        }
    }
    if windows.is_empty() {
        return Err(dangers.pop().unwrap_or(Decline::NoRoom(limit)));
    }
    windows.sort_by_key(Window::rank);
    Ok(windows)
}

fn window(code: &[u8], begin: u64, site: u64, run: &[Instruction], targets: &[u64]) -> Window {
    let start = run[0].ip();
    let inner = |address: &u64| (start + 1..=site).contains(address);
    let bytes = |from: u64, to: u64| &code[(from - begin) as usize..(to - begin) as usize];
    Window {
        start,
        site,
        code: bytes(start, site).to_vec(),
        pieces: run.iter().map(|i| Piece::of(i, bytes(i.ip(), i.next_ip()))).collect(),
        bypassed: targets.iter().any(inner),
        board: None,
    }
}

/// Why the function itself may get into the middle of the bytes that the jump covers.
fn covered_danger(window: &Window, run: &[Instruction], sweep: &Sweep) -> Option<Decline> {
    // Not only where instructions begin: old glibc jumps over the prefix `lock`.
    let covered = window.start + 1..window.overwritten().end;
    if sweep.targets.iter().any(|target| covered.contains(target)) {
        return Some(Decline::BranchInto);
    }
    let last = window.covered().last()?;
    if sweep.computed {
        return Some(Decline::ComputedJump);
    }
    let before_last = run.partition_point(|instruction| instruction.ip() < last);
    (!is_repeatable(&run[..before_last])).then_some(Decline::NotRepeatable)
}

/// It is `mov $15,%eax` or the same with `%rax`: the number of rt_sigreturn(2).
fn is_number_of_sigreturn(instruction: &Instruction) -> bool {
    const NUMBER: u64 = 15;
    instruction.mnemonic() == Mnemonic::Mov
        && instruction.op0_register().full_register() == Register::RAX
        && instruction.try_immediate(1).is_ok_and(|number| number == NUMBER)
}

/// Why an instruction cannot be executed elsewhere.
fn obstacle(instruction: &Instruction) -> Option<Obstacle> {
    match instruction.flow_control() {
        FlowControl::Next => None,
        FlowControl::ConditionalBranch if is_movable_branch(instruction) => None,
        FlowControl::Call | FlowControl::IndirectCall => Some(Obstacle::Call),
        _ => Some(Obstacle::Branch),
    }
}
