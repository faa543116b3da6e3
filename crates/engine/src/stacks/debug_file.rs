//! The file with a stripped file's symbols and debugging information, as distributions provide it.

use kernel::proc::mappings::open_of;

use crate::elf::{Elf, u32_at};

/// What precedes the build id in its note: the sizes of name and id, the type, and the name.
const NOTE_HEAD: usize = 16;
/// `NT_GNU_BUILD_ID` of `elf.h`.
const BUILD_ID: u32 = 3;

/// Opens it, where the process sees one for this build.
pub fn open(pid: i32, elf: &Elf) -> Option<Elf> {
    let note = elf.read_part(&elf.section_named(".note.gnu.build-id")?).ok()?;
    let head = note.get(..NOTE_HEAD)?;
    if u32_at(head, 8) != BUILD_ID || !head.ends_with(b"GNU\0") {
        return None;
    }
    let id = note.get(NOTE_HEAD..)?.get(..u32_at(head, 4) as usize)?;
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = format!("/usr/lib/debug/.build-id/{first:02x}/{rest}.debug");
    Elf::open(open_of(pid, &path).ok()?).ok()
}
