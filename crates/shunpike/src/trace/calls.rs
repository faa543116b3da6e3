//! Which calls the session is to tell of, and which of them must stop the guest for it.

use contract::{Arch, CallSet};
use record::dump::{self, Direction};
use table::arch::{i386, x32, x86_64};
use table::{Call, Mention};

use crate::cli::{DecodeFds, DecodePids, StackTrace, SummaryMode, TraceOptions};

/// The calls that are told of: those that are shown, or all where lines that tell of no call have the
/// number of the last one.
pub(super) fn told(options: &TraceOptions) -> CallSet {
    if notes_numbers(options) { CallSet::ALL } else { shown(options) }
}

/// Whether it is noted which calls a thread makes that are not shown: `-n` tells the last one's number
/// beside a signal or an end.
pub(super) fn notes_numbers(options: &TraceOptions) -> bool {
    options.line.call_number && options.summary.mode != SummaryMode::Only
}

/// The calls that are shown: those that the user may want to see and, whatever calls were named, those
/// whose numbers are past all that are known. Only who picks by path or descriptor is spared them.
pub(super) fn shown(options: &TraceOptions) -> CallSet {
    let filter = &options.filter;
    if filter.paths.is_empty() && filter.fds.is_none() {
        filter.calls.union(past_all_known())
    } else {
        wanted(options)
    }
}

/// The numbers behind the last one of each ABI.
fn past_all_known() -> CallSet {
    let last = [
        (Arch::X86_64, x86_64::numbers().max()),
        (Arch::I386, i386::calls().map(|(number, _)| number).max()),
        (Arch::X32, x32::numbers().max()),
    ];
    let mut known = CallSet::NONE;
    for (arch, last) in last {
        (0..=last.unwrap_or_default()).for_each(|number| known.insert_of(arch, number.into()));
    }
    known.complement()
}

/// The calls that the user may want to see. Where only those are shown that use some path or
/// descriptor (`-P`, `-e fd=`), a call that mentions neither need not be intercepted.
pub(super) fn wanted(options: &TraceOptions) -> CallSet {
    let filter = &options.filter;
    if filter.paths.is_empty() && filter.fds.is_none() {
        return filter.calls;
    }
    let may_match =
        |call: &Call| call.mentions(Mention::Descriptor) || call.mentions(Mention::Path);
    let mut unwanted = filter.calls.complement();
    for call in x86_64::calls().filter(|call| !may_match(call)) {
        unwanted.insert(call.number.into());
    }
    for (number, _) in i386::calls().filter(|(_, call)| !may_match(call)) {
        unwanted.insert_of(Arch::I386, number.into());
    }
    unwanted.complement()
}

/// The calls among those that are wanted which are tampered with.
pub(super) fn tampered(options: &TraceOptions) -> CallSet {
    let calls = options.injections.iter().map(|injection| injection.calls);
    calls.fold(CallSet::NONE, CallSet::union)
}

/// The calls that must stop even where an agent could record them: more must be looked up before the
/// next call of what their descriptors stand for (`-yy`; of those in memory `-y`, `-P`), how files are
/// labelled (`--secontext`), the stack (`-k`), what process ids are and whose (`--decode-pids=`), or how
/// much of their data is wanted (`-e read`, `-e write`); or they are tampered with.
pub(super) fn stopping(options: &TraceOptions) -> CallSet {
    if options.line.stack != StackTrace::Off || options.values.pids != DecodePids::NONE {
        return wanted(options);
    }
    looked_at(options).union(tampered(options))
}

/// The calls of which more is looked at than an agent records.
pub(super) fn looked_at(options: &TraceOptions) -> CallSet {
    let mut stopping = CallSet::NONE;
    let values = &options.values;
    // An agent tells what those stand for that are arguments, or results; and nothing else of them.
    let more = values.fds != DecodeFds::NONE && values.fds != DecodeFds::PATH;
    let named = values.fds != DecodeFds::NONE || !options.filter.paths.is_empty();
    let labelled = values.contexts.is_some();
    let stops = |call: &Call| {
        let mentions = call.mentions(Mention::Descriptor);
        labelled && (mentions || call.mentions(Mention::Path))
            || named && mentions && (more || call.plain_descriptors().is_none())
    };
    if named || labelled {
        let stop = x86_64::calls().filter(|call| stops(call));
        stop.for_each(|call| stopping.insert(call.number.into()));
    }
    for (direction, fds) in
        [(Direction::Read, &values.dump_read), (Direction::Write, &values.dump_written)]
    {
        if fds.is_some() {
            dump::calls(direction).for_each(|call| stopping.insert(call));
        }
    }
    // Calls that make namespaces always stop.
    if values.vcpu_exits {
        stopping.insert(x86_64::IOCTL.number.into());
    }
    stopping
}
