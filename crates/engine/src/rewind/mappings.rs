//! What a program has mapped and unmapped since its snapshot, put back.

use kernel::proc::mappings::Mapping;
use kernel::remote::{Call, OnFailure};

use super::content::is_followed;
use super::snapshot::Snapshot;
use super::{Error, Irreversible};
use crate::memory::Batch;
use crate::memory::annex::Annex;
use crate::memory::batch::Space;
use crate::memory::layout::{Undo, differences, grown_stack, rights};

/// What is mapped now, if that differs from the snapshot's.
pub(super) fn changed_mappings(snapshot: &mut Snapshot) -> Result<Option<Vec<Mapping>>, Error> {
    let told = || Error::proc("its mappings are not told");
    let text = snapshot.maps.text().map_err(told())?;
    if text == snapshot.maps_text {
        return Ok(None);
    }
    let text = text.to_vec();
    snapshot.maps.parse(&text).map(Some).map_err(told())
}

/// Brings the mappings back behind what is in the batch, and follows those that are new.
pub(super) fn restore_mappings(
    pid: i32,
    snapshot: &mut Snapshot,
    list: &[Mapping],
    space: &mut Space,
    mut batch: Batch<'_>,
) -> Result<(), Error> {
    let undo = differences(&snapshot.mappings, list);
    let heap = Call { number: libc::SYS_brk, args: [snapshot.process.heap_end, 0, 0, 0, 0, 0] };
    // A heap that has grown shrinks only while it is there, and one that has shrunk grows only when
    // nothing is in its way.
    batch.call(heap);
    let mut mapped = Vec::new();
    let of_file = |undo: &Undo| matches!(undo, Undo::Map(mapping) if mapping.file.is_some());
    if undo.iter().any(of_file) {
        // Files are opened to be mapped: by descriptors that are free once they have been put back.
        carry_out(std::mem::take(&mut batch), space)?;
    }
    let (unmapped, others): (Vec<Undo>, Vec<Undo>) =
        undo.into_iter().partition(|undo| matches!(undo, Undo::Unmap(_)));
    for undo in unmapped {
        if let Undo::Unmap(range) = undo {
            batch.unmap(range);
        }
    }
    batch.call(heap);
    for undo in others {
        match undo {
            Undo::Unmap(_) => {}
            Undo::Protect(range, rights) => batch.protect(range, rights),
            // That has come back with its end.
            Undo::Map(mapping) if mapping.name == b"[heap]" => mapped.push(mapping.range),
            Undo::Map(mapping) if let Some(call) = snapshot.shared.map(&mapping.range) => {
                batch.call(call);
                batch.protect(mapping.range.clone(), rights(&mapping));
                mapped.push(mapping.range);
            }
            Undo::Map(mapping) if mapping.file.is_none() && is_followed(&mapping) => {
                batch.map(mapping.range.clone(), rights(&mapping));
                mapped.push(mapping.range);
            }
            Undo::Map(mapping) => {
                map_file(pid, &mapping, space, &mut batch)?;
                if is_followed(&mapping) {
                    mapped.push(mapping.range);
                }
            }
        }
    }
    carry_out(batch, space)?;
    for range in &mapped {
        let followed = snapshot.tracker.follow(range);
        followed.map_err(Error::request("its pages cannot be followed"))?;
    }
    accept_mappings(snapshot)
}

/// Has a file mapped that still has the name under which it was.
fn map_file(
    pid: i32,
    mapping: &Mapping,
    space: &mut Space,
    batch: &mut Batch<'_>,
) -> Result<(), Error> {
    /// The longest path, and where it lies in the annex, behind what restores the process.
    const PATH: usize = 4096;
    const PATH_AT: usize = Annex::ROOM - PATH;
    let lost = || Error::Irreversible(Irreversible::MappedFile);
    let is_private_or_read = !mapping.shared || !mapping.writable;
    let is_same = kernel::proc::mappings::mapped_version(pid, mapping).is_ok();
    if !is_same || !is_private_or_read || mapping.name.len() >= PATH {
        return Err(lost());
    }
    space.annex().put(PATH_AT, &mapping.name);
    space.annex().put(PATH_AT + mapping.name.len(), &[0]);
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as u64;
    let args = [libc::AT_FDCWD as u64, Annex::address(PATH_AT), flags, 0, 0, 0];
    let open = Call { number: libc::SYS_openat, args };
    let opened = space.calls(&[open], OnFailure::GoOn);
    let opened = opened.map_err(Error::remote("the program is lost"))?.pop();
    let Some(Ok(fd)) = opened else { return Err(lost()) };
    let kind = if mapping.shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let (start, len) = (mapping.range.start, mapping.range.end - mapping.range.start);
    let (fd, flags) = (fd as i32, kind | libc::MAP_FIXED);
    batch.call(Call::mmap(start, len, rights(mapping), flags, fd, mapping.offset));
    batch.call(Call::close(fd));
    Ok(())
}

/// Takes the mappings as they are for those of the snapshot, of which they may differ by a stack that
/// has grown.
pub(super) fn accept_mappings(snapshot: &mut Snapshot) -> Result<(), Error> {
    let proc = || Error::proc("its mappings are not told");
    let text = snapshot.maps.text().map_err(proc())?.to_vec();
    let list = snapshot.maps.parse(&text).map_err(proc())?;
    if let Some(grown) = grown_stack(&snapshot.mappings, &list) {
        let stack = snapshot.mappings.iter_mut().find(|mapping| mapping.name == b"[stack]");
        stack.expect("it has grown").range.start = grown.start;
    }
    if !differences(&snapshot.mappings, &list).is_empty() {
        return Err(Error::Irreversible(Irreversible::Mappings));
    }
    snapshot.maps_text = text;
    Ok(())
}

/// Carries out what must succeed.
pub(super) fn carry_out(batch: Batch<'_>, space: &mut Space) -> Result<Vec<u64>, Error> {
    let what = "the program cannot put back what it has changed";
    let outcome = batch.carry_out(space).map_err(Error::remote(what))?;
    outcome.complete().map_err(Error::request(what))
}
