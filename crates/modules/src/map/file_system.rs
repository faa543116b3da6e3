//! `statfs(2)` and its kin: of a read-only place they tell that it is.

use contract::{Answer, Arch, Argument, Capture, Guest, GuestAddr, Reply, Verdict, Write};
use table::Id;
use table::arch::{i386, x86_64 as id};

use super::{MapModule, read_path};
use crate::paths::{Errno, HostTree, name_of, path_calls, see};

/// Those that take a path, and those that take a descriptor.
const BY_PATH: [Id; 2] = [id::STATFS, i386::STATFS64];
const BY_DESCRIPTOR: [Id; 2] = [id::FSTATFS, i386::FSTATFS64];

/// `ST_RDONLY`, the lowest bit of `f_flags`.
const READ_ONLY: u8 = 1;

impl MapModule {
    /// A call that tells of a file system; `None`: it is another, or nothing is read-only.
    pub(super) fn file_system(&mut self, guest: &mut dyn Guest, call: &Capture) -> Option<Verdict> {
        let by_path = is_one_of(call, BY_PATH);
        if !self.map.has_read_only() || !by_path && !is_one_of(call, BY_DESCRIPTOR) {
            return None;
        }
        if !by_path {
            let guarded = self.guard_descriptor(guest, Some(call.args[0]));
            let is_read_only = guarded == Err(Errno::EROFS);
            return Some(if is_read_only { Verdict::pass().and_behind() } else { Verdict::pass() });
        }
        let arg = path_calls::of(call.arch, call.number).first()?;
        let Some(text) = read_path(guest, call, call.args[usize::from(arg.register)]) else {
            return Some(Verdict::pass());
        };
        let tree = HostTree::of(guest.process(), guest.tid());
        let caller = self.caller(guest, call, arg);
        let last = arg.links.last(&call.args, 0);
        let seen = match see(&self.map, &tree, &caller, &text, last) {
            Ok(seen) => seen,
            Err(errno) => return Some(Verdict::error(errno.0)),
        };
        let name = name_of(&seen, &caller, &text)
            .or_else(|| self.behind_link(&tree, &seen).ok().flatten());
        let is_read_only = name.is_some_and(|name| self.is_read_only(&name));
        let changed = seen.path.map(|path| Argument::path(arg.register, path));
        let verdict = Verdict::with(changed.into_iter().collect());
        Some(if is_read_only { verdict.and_behind() } else { verdict })
    }

    /// Behind such a call, of a place that is read-only.
    pub(super) fn tell_read_only(guest: &mut dyn Guest, call: &Capture) -> Option<Answer> {
        let result = call.success()?;
        // Where a pointer to the struct is, and the flags in it.
        let (register, offset) = match call.arch {
            Arch::X86_64 | Arch::X32 => (1, 80),
            Arch::I386 if call.arch.native_number(call.number) == u64::MAX => (2, 64),
            Arch::I386 => (1, 44),
        };
        let at = GuestAddr(call.args[register].wrapping_add(offset));
        let mut lowest = [0];
        guest.read(at, &mut lowest).ok()?;
        let writes = vec![Write { at, bytes: vec![lowest[0] | READ_ONLY] }];
        Some(Answer { result: Reply::Value(result as u64), writes })
    }
}

/// Whether a call tells of a file system.
pub(super) fn tells(call: &Capture) -> bool {
    is_one_of(call, BY_PATH) || is_one_of(call, BY_DESCRIPTOR)
}

/// Whether a call is the first of these, by the numbers of any ABI, or the second, which only 32-bit programs make.
fn is_one_of(call: &Capture, [native, wide]: [Id; 2]) -> bool {
    call.arch.native_number(call.number) == native.number.into()
        || call.arch == Arch::I386 && call.number == wide.number.into()
}
