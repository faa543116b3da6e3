//! Fills captures: follows a call's plan through the guest's memory, level by level.
//!
//! All pointers of one level are followed with one read of the pages that are missing: first what
//! the registers point to, then what pointers found there point to, and so on. A page is copied at
//! most once a stop.

use std::io;

use contract::{Capture, Count, Fetch, GuestAddr, Inside, Number, Phase, Shape, Tid, Trim};
use kernel::memory::{Method, PAGE_SIZE};
use table::{DataModel, Width};

use crate::Limits;
use crate::memory::PageCache;

/// The longest path the kernel takes, with its NUL (`PATH_MAX`).
const PATH_MAX: usize = 4096;
/// The most bytes copied of one block, whatever the guest says of its length.
const BLOCK_MAX: usize = 1 << 20;
/// The most strings of a vector that are looked at.
const VECTOR_MAX: usize = 1 << 14;
/// The most bytes that all copies of one stop may have together: what comes after counts as
/// unreadable.
const TOTAL_MAX: usize = 16 << 20;
/// The most copies at one stop: the strings of two vectors.
const COPIES_MAX: usize = 2 * VECTOR_MAX;
/// A string that begins this near to the end of its page is likely to end in the next.
const STR_LOOKAHEAD: usize = 256;
/// Registers, what they point to, and two levels more: `sendmmsg`'s buffers.
const LEVELS: usize = 4;

/// Copies guest memory into captures.
#[derive(Debug)]
pub struct Capturer {
    pages: PageCache,
    limits: Limits,
    whole: bool,
    vectors: bool,
}

/// Memory to be copied.
struct Want<'p> {
    addr: GuestAddr,
    what: What<'p>,
}

enum What<'p> {
    /// Up to a NUL, at most so many bytes.
    Str(usize),
    /// So many bytes, units with pointers inside. Where there is more of data than is copied, the
    /// next byte has to be readable too.
    Block { len: usize, unit: usize, inside: &'p [Inside], more: bool },
    /// Pointers of so many bytes up to a null pointer; their strings too, or not.
    Vector { pointer: usize, strings: bool },
}

/// What numbers are found through while a shape is made definite.
struct Scope<'c> {
    capture: &'c Capture,
    phase: Phase,
    /// The unit around the pointer.
    unit: &'c [u8],
}

impl Capturer {
    /// Copies no more than `limits` say, by this method or the cheapest that works.
    pub fn new(limits: Limits, method: Option<Method>) -> Capturer {
        Capturer { pages: PageCache::new(method), limits, whole: false, vectors: true }
    }

    /// Whether all data is copied from now on, up to what is bearable; else what the limits say.
    pub fn copy_all(&mut self, whole: bool) {
        self.whole = whole;
    }

    /// Whether vectors of strings are copied from now on.
    pub fn copy_vectors(&mut self, wanted: bool) {
        self.vectors = wanted;
    }

    /// Copies what `plan` names to `capture`. Fails if the thread is gone; unreadable memory is no
    /// failure but is noted in the capture.
    pub fn fill(
        &mut self,
        tid: Tid,
        capture: &mut Capture,
        plan: &[Fetch],
        phase: Phase,
    ) -> io::Result<()> {
        if plan.is_empty() {
            return Ok(());
        }
        self.pages.clear();
        let mut ret_left = usize::try_from(capture.success().unwrap_or(0)).unwrap_or(0);
        let scope = Scope { capture, phase, unit: &[] };
        let mut wants: Vec<Want<'_>> = plan
            .iter()
            .filter_map(|fetch| {
                let addr = GuestAddr(scope.capture.register(fetch.register));
                self.want(addr, &fetch.shape, &scope, &mut ret_left)
            })
            .collect();
        let mut left = TOTAL_MAX;
        let mut copies_left = COPIES_MAX;
        for _ in 0..LEVELS {
            if wants.is_empty() || left == 0 {
                break;
            }
            self.pages.load(tid, wants.iter().map(Want::first_read))?;
            let mut next = Vec::new();
            for want in &wants {
                if left == 0 || copies_left == 0 {
                    break;
                }
                copies_left -= 1;
                capture.begin(phase, want.addr);
                left -= self.copy(tid, capture, want, left)?;
                self.follow(want, capture, phase, &mut next, &mut ret_left);
            }
            wants = next;
        }
        Ok(())
    }

    /// How much of data is copied.
    fn data_limit(&self) -> usize {
        if self.whole { TOTAL_MAX } else { self.limits.string }
    }

    /// How much of a string is copied: one byte more than is shown, to tell a NUL from a cut.
    fn string_limit(&self) -> usize {
        self.limits.string.saturating_add(1).min(BLOCK_MAX)
    }

    /// What to copy for a pointer to `addr`; `None` where there is nothing.
    fn want<'p>(
        &self,
        addr: GuestAddr,
        shape: &'p Shape,
        scope: &Scope<'_>,
        ret_left: &mut usize,
    ) -> Option<Want<'p>> {
        if addr.is_null() {
            return None;
        }
        let what = match shape {
            Shape::Nothing => return None,
            Shape::Str(Trim::Whole) => What::Str(PATH_MAX),
            Shape::Str(_) => What::Str(self.string_limit()),
            Shape::Strings | Shape::Environment if !self.vectors => return None,
            Shape::Strings => What::Vector { pointer: scope.word() as usize, strings: true },
            Shape::Environment => {
                What::Vector { pointer: scope.word() as usize, strings: self.limits.environment }
            }
            Shape::Select { on, mask, cases, default } => {
                let number = scope.number(*on) & mask;
                let shape = table::case(cases, number).unwrap_or(default);
                return self.want(addr, shape, scope, ret_left);
            }
            Shape::IfBits { on, mask, then } => {
                if scope.number(*on) & mask == 0 {
                    return None;
                }
                return self.want(addr, then, scope, ret_left);
            }
            Shape::Headed { header, count } => {
                let data = usize::try_from(scope.count(*count, 1)).unwrap_or(usize::MAX);
                let header = *header as usize;
                let len = data.min(self.data_limit()).min(BLOCK_MAX);
                let more = len >= header && data > len;
                What::Block { len: header + len.max(header), unit: 1, inside: &[], more }
            }
            Shape::Block { count, unit, trim, inside } => {
                let unit = *unit as usize;
                let count = usize::try_from(scope.count(*count, unit)).unwrap_or(usize::MAX);
                let mut whole = count.saturating_mul(unit);
                if let Shape::Block { count: Count::WithinRet(_), .. } = shape {
                    whole = whole.min(*ret_left);
                    *ret_left -= whole;
                }
                let len = match trim {
                    // Messages are decoded whole.
                    Trim::Data if scope.capture.netlink.is_some() => whole,
                    Trim::Data => whole.min(self.data_limit()),
                    Trim::Elements if self.whole => whole,
                    Trim::Elements => whole.min(self.limits.elements.saturating_mul(unit)),
                    Trim::Whole => whole,
                };
                let len = len.min(if self.whole { TOTAL_MAX } else { BLOCK_MAX });
                What::Block { len, unit, inside, more: *trim == Trim::Data && whole > len }
            }
        };
        Some(Want { addr, what })
    }

    /// The pointers inside what was just copied.
    fn follow<'p>(
        &self,
        want: &Want<'p>,
        capture: &Capture,
        phase: Phase,
        next: &mut Vec<Want<'p>>,
        ret_left: &mut usize,
    ) {
        let Some((_, bytes)) = capture.last_span() else { return };
        let pointer = Width::ULong.of_bytes(capture.model().word());
        match want.what {
            What::Block { unit, inside, .. } if !inside.is_empty() && unit > 0 => {
                for (place, unit) in bytes.chunks_exact(unit).enumerate() {
                    let scope = Scope { capture, phase, unit };
                    for Inside { offset, in_place, shape } in inside {
                        let before = (place * unit.len()) as u64 + u64::from(*offset);
                        let addr = match in_place {
                            true => want.addr.checked_add(before).unwrap_or(GuestAddr::NULL),
                            false => GuestAddr(integer(unit, *offset, pointer)),
                        };
                        next.extend(self.want(addr, shape, &scope, ret_left));
                    }
                }
            }
            What::Vector { pointer: size, strings: true } => {
                let limit = self.string_limit();
                let pointers = bytes.chunks_exact(size).take(self.limits.elements);
                next.extend(pointers.map(|bytes| Want {
                    addr: GuestAddr(integer(bytes, 0, pointer)),
                    what: What::Str(limit),
                }));
                next.retain(|want| !want.addr.is_null());
            }
            _ => {}
        }
    }

    /// Copies what is wanted, `most` bytes at most. Returns how many there were.
    fn copy(
        &mut self,
        tid: Tid,
        capture: &mut Capture,
        want: &Want<'_>,
        most: usize,
    ) -> io::Result<usize> {
        let addr = want.addr;
        match want.what {
            What::Block { len, more, .. } => {
                let copied = self.copy_pages(tid, capture, addr, len.min(most), |_| None)?;
                if more && copied == len {
                    self.look_behind(tid, capture, addr, len)?;
                }
                Ok(copied)
            }
            What::Str(limit) => self.copy_pages(tid, capture, addr, limit.min(most), |bytes| {
                bytes.iter().position(|byte| *byte == 0).map(|nul| nul + 1)
            }),
            What::Vector { pointer, .. } => {
                self.copy_pages(tid, capture, addr, (VECTOR_MAX * pointer).min(most), |bytes| {
                    let mut pointers = bytes.chunks_exact(pointer);
                    let null = pointers.position(|bytes| bytes.iter().all(|byte| *byte == 0));
                    null.map(|index| (index + 1) * pointer)
                })
            }
        }
    }

    /// Notes where what follows so many bytes is unreadable.
    fn look_behind(
        &mut self,
        tid: Tid,
        capture: &mut Capture,
        addr: GuestAddr,
        len: usize,
    ) -> io::Result<()> {
        let next = addr.checked_add(len as u64);
        if let Some(next) = next {
            self.pages.load(tid, [(next, 1)].into_iter())?;
        }
        if next.and_then(|next| self.pages.rest_of_page(next)).is_none() {
            capture.fault();
        }
        Ok(())
    }

    /// Appends memory to the copy begun last, page by page, up to `limit` bytes or to where `end`
    /// finds the last byte.
    fn copy_pages(
        &mut self,
        tid: Tid,
        capture: &mut Capture,
        addr: GuestAddr,
        limit: usize,
        end: impl Fn(&[u8]) -> Option<usize>,
    ) -> io::Result<usize> {
        let mut copied = 0;
        while copied < limit {
            let Some(here) = addr.checked_add(copied as u64) else {
                capture.fault();
                break;
            };
            self.pages.load(tid, [(here, 1)].into_iter())?;
            let Some(bytes) = self.pages.rest_of_page(here) else {
                capture.fault();
                break;
            };
            let bytes = &bytes[..bytes.len().min(limit - copied)];
            let ends = end(bytes);
            let bytes = &bytes[..ends.unwrap_or(bytes.len())];
            capture.extend(bytes);
            copied += bytes.len();
            if ends.is_some() {
                break;
            }
        }
        Ok(copied)
    }
}

impl Want<'_> {
    /// The range to load before the copy: all of a block; of the others where they begin.
    fn first_read(&self) -> (GuestAddr, usize) {
        match self.what {
            What::Block { len, more, .. } => (self.addr, len + usize::from(more)),
            What::Vector { pointer, .. } => (self.addr, pointer),
            What::Str(limit) => {
                let left = PAGE_SIZE - self.addr.0 as usize % PAGE_SIZE;
                (self.addr, if left < STR_LOOKAHEAD { limit.min(STR_LOOKAHEAD) } else { 1 })
            }
        }
    }
}

impl Scope<'_> {
    fn number(&self, number: Number) -> u64 {
        match number {
            Number::Register(register) => self.capture.register(register),
            Number::Inside { offset, width } => integer(self.unit, offset, width),
        }
    }

    /// Size of a pointer in the guest, in bytes.
    fn word(&self) -> u32 {
        self.capture.model().word()
    }

    /// How many units of so many bytes.
    fn count(&self, count: Count, unit: usize) -> u64 {
        match count {
            Count::Const(count) => count.into(),
            Count::Of(number) | Count::WithinRet(number) => self.number(number),
            Count::Ret => {
                self.capture.success().and_then(|ret| u64::try_from(ret).ok()).unwrap_or(0)
            }
            Count::WordsOfBits(register) => {
                u64::from(self.capture.register(register) as u32).div_ceil(8 * unit.max(1) as u64)
            }
            Count::PagesOfBytes(register) => self.capture.register(register).div_ceil(4096),
            Count::Deref(register) => {
                let addr = GuestAddr(self.capture.register(register));
                let at = |phase| self.capture.bytes(phase, addr, 4);
                let number = |bytes: &[u8]| integer(bytes, 0, Width::U32);
                let before = at(Phase::Entry).map_or(0, number);
                match self.phase {
                    Phase::Entry => before,
                    // The length after the call is copied in this same read: what it was before
                    // bounds it.
                    Phase::Exit => at(Phase::Exit).map_or(before, number).min(before),
                }
            }
        }
    }
}

/// The integer at `offset`; 0 where the bytes end before it. Little endian unless the width says
/// otherwise; signed values are sign-extended.
fn integer(bytes: &[u8], offset: u32, width: Width) -> u64 {
    let size = width.bytes(DataModel::Lp64);
    let range = offset as usize..(offset + size) as usize;
    let Some(bytes) = bytes.get(range) else { return 0 };
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let value = u64::from_le_bytes(word);
    let unused = 64 - 8 * size;
    match width {
        _ if width.is_signed() => ((value << unused) as i64 >> unused) as u64,
        Width::Net16 | Width::Net32 => value.swap_bytes() >> unused,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is captured of a vector of so many buffers, each so long.
    fn vector_of(buffers: u32, length: usize) -> Capture {
        let buffer = vec![7u8; length];
        let vector = vec![[buffer.as_ptr() as u64, length as u64]; buffers as usize];
        let length = Number::Inside { offset: 8, width: Width::U64 };
        let block = |count, unit, inside| Shape::Block { count, unit, trim: Trim::Whole, inside };
        let inside =
            Inside { offset: 0, in_place: false, shape: block(Count::Of(length), 1, Vec::new()) };
        let shape = block(Count::Const(buffers), 16, vec![inside]);
        let mut capture = Capture::default();
        capture.args[0] = vector.as_ptr() as u64;
        let mut capturer = Capturer::new(Limits::default(), None);
        // Ourselves as the guest: any process may read its own memory.
        let tid = Tid(std::process::id() as i32);
        let plan = [Fetch { register: 0, shape }];
        capturer.fill(tid, &mut capture, &plan, Phase::Entry).unwrap();
        capture
    }

    #[test]
    fn what_is_copied_at_one_stop_is_bounded() {
        let bytes = |capture: &Capture| capture.spans().map(|(_, bytes)| bytes.len()).sum();
        let long: usize = bytes(&vector_of(1000, BLOCK_MAX));
        assert_eq!(long, TOTAL_MAX);
        assert_eq!(vector_of(40_000, 1).spans().count(), COPIES_MAX);
    }
}
