//! A place in a running program for calls at the supervisor's behest.
//!
//! Other threads run meanwhile, so no code of the program can give way. But the vDSO (`vdso(7)`) has
//! its section headers behind its code, and then nothing, up to the end of its last page: memory
//! that can be executed, and that nobody executes.

use kernel::proc::mappings::Mapping;
use kernel::remote::RemoteCalls;

/// The address of such a place among the mappings of a process; `None` where that has no vDSO.
pub fn spot(mappings: &[Mapping]) -> Option<u64> {
    let is_vdso = |mapping: &&Mapping| mapping.name == b"[vdso]" && mapping.executable;
    let vdso = mappings.iter().find(is_vdso)?;
    Some(vdso.range.end - RemoteCalls::SPOT_LEN)
}
