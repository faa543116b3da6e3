//! What the objects of `bpf(2)` are of which guests ask.
//!
//! What the kernel tells of such an object depends on its kind, which only its descriptor says.

use contract::{BpfKind, BpfObject, Capture, GuestAddr, Phase, Tid};
use kernel::{clock, proc};
use table::arch::x86_64::BPF;
use table::flags::BPF_OBJ_GET_INFO_BY_FD;

/// The object that a call asks about, of which the entry half has been captured.
pub(crate) fn look_up(tid: Tid, call: &Capture) -> Option<BpfObject> {
    let asks = call.arch.native_number(call.number) == BPF.number.into()
        && u64::from(call.args[0] as u32) == BPF_OBJ_GET_INFO_BY_FD;
    if !asks {
        return None;
    }
    // Its descriptor is the first number.
    let fd = call.bytes(Phase::Entry, GuestAddr(call.args[1]), 4)?;
    let target = proc::descriptor(tid.0, i32::from_le_bytes(fd.try_into().ok()?)).ok()?;
    let kind = match target.to_str()? {
        "anon_inode:bpf-map" => BpfKind::Map,
        "anon_inode:bpf-prog" => BpfKind::Program,
        _ => return None,
    };
    Some(BpfObject { kind, started: clock::started() })
}
