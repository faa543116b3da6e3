//! The outputs that the options ask for.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::Context;
use contract::{CallSet, FdDetails};
use engine::ShownBeside;
use kernel::{clock, generic_netlink, interface, proc};
use outputs::json::JsonStyle;
use outputs::summary::SummaryStyle;
use outputs::text::{ContextStyle, LineStyle, Pids, Quiet, TextStyle, ValueStyle};
use outputs::{Json, Output, Sink, StatusFilter, Summary, Text, WallClock};

use super::namespaces;
use crate::cli::TraceOptions;
use crate::cli::color::{self, ColorEnv};
use crate::cli::{
    DecodeFds, DecodePids, Format, QuietSet, SecurityContextSet, StatusSet, SummaryMode, Target,
};

/// Makes the outputs, which tell of so many processes that ran already.
pub(super) fn outputs(
    options: &TraceOptions,
    sink: Sink,
    attached: usize,
    name: &str,
) -> Vec<Box<dyn Output>> {
    let mut outputs: Vec<Box<dyn Output>> = Vec::new();
    if options.summary.mode != SummaryMode::Only {
        outputs.push(match options.output.format {
            Format::Text => Box::new(Text::new(text_style(options, attached, name), sink.clone())),
            Format::Json => Box::new(Json::new(json_style(options), sink.clone())),
        });
    }
    if options.summary.mode != SummaryMode::Off {
        outputs.push(Box::new(Summary::new(summary_style(options), sink)));
    }
    outputs
}

/// Opens the target.
///
/// # Errors
/// It cannot be written to.
pub(super) fn sink(options: &TraceOptions) -> anyhow::Result<Sink> {
    let output = &options.output;
    match &output.target {
        Target::Stderr => Ok(Sink::stderr()),
        Target::File(path) if output.separately => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            fs::metadata(folder.unwrap_or(Path::new(".")))
                .with_context(|| format!("Can't fopen '{}.PID'", path.display()))?;
            Ok(Sink::per_thread(path.clone(), output.append))
        }
        Target::File(path) => Sink::file(path, output.append)
            .with_context(|| format!("Can't fopen '{}'", path.display())),
        Target::Command(command) => {
            Sink::command(command).with_context(|| format!("cannot start '{}'", command.display()))
        }
    }
}

/// What of the program's output comes to the same place: it has our stderr, and maybe that is its stdout
/// too.
pub(super) fn beside(options: &TraceOptions) -> ShownBeside {
    let is_shown = options.is_shown() && options.summary.mode != SummaryMode::Only;
    if options.output.target != Target::Stderr || !is_shown {
        return ShownBeside::Nothing;
    }
    let file = |stream: BorrowedFd<'_>| {
        let file = fs::File::from(stream.try_clone_to_owned()?);
        file.metadata().map(|file| (file.dev(), file.ino()))
    };
    match (file(io::stdout().as_fd()), file(io::stderr().as_fd())) {
        (Ok(stdout), Ok(stderr)) if stdout == stderr => ShownBeside::Both,
        _ => ShownBeside::Errors,
    }
}

fn text_style(options: &TraceOptions, attached: usize, name: &str) -> TextStyle {
    TextStyle {
        line: line_style(options, attached, name),
        values: value_style(options),
        status: status_filter(options.filter.status),
        quiet: quiet(options),
        clock: wall_clock(),
    }
}

fn json_style(options: &TraceOptions) -> JsonStyle {
    JsonStyle {
        command: options.command.iter().map(|part| part.clone().into_vec()).collect(),
        started: record::Stamp(clock::monotonic()),
        clock: wall_clock(),
        status: status_filter(options.filter.status),
    }
}

fn summary_style(options: &TraceOptions) -> SummaryStyle {
    let summary = &options.summary;
    SummaryStyle {
        columns: summary.columns.clone(),
        sort_by: summary.sort_by,
        wall_clock: summary.wall_clock,
        overhead: summary.overhead,
    }
}

fn line_style(options: &TraceOptions, attached: usize, name: &str) -> LineStyle {
    let line = &options.line;
    LineStyle {
        program: name.to_owned(),
        pids: pids(options, attached),
        absolute_time: line.absolute_time,
        relative_time: line.relative_time,
        call_time: line.call_time,
        call_number: line.call_number,
        instruction_pointer: line.instruction_pointer,
        result_column: line.result_column,
    }
}

/// How lines tell whose they are: each file of `-ff -o` is one thread's; several threads in one
/// file need a column.
fn pids(options: &TraceOptions, attached: usize) -> Pids {
    let started = usize::from(!options.command.is_empty());
    let several = options.follow.forks || attached + started > 1;
    let to_stderr = options.output.target == Target::Stderr;
    if options.output.separately && !to_stderr {
        Pids::Never
    } else if !to_stderr && (several || options.line.always_pid) {
        Pids::Column
    } else if options.line.always_pid {
        Pids::Always
    } else {
        Pids::WhenSeveral
    }
}

fn value_style(options: &TraceOptions) -> ValueStyle {
    let values = &options.values;
    let to_terminal = options.output.target == Target::Stderr && io::stderr().is_terminal();
    ValueStyle {
        abbreviated: (!values.abbrev.is_all()).then(|| picks(values.abbrev)),
        string_limit: values.string_limit,
        strings_in_hex: values.strings_in_hex,
        constants: values.constants,
        argument_names: values.argument_names,
        fds: fd_details(values.fds),
        command_of: values.pids.contains(DecodePids::COMM).then(|| {
            Box::new(|tid: record::Tid| proc::comm(tid.0).ok().map(OsString::into_vec)) as _
        }),
        contexts: values.contexts.map(|wanted| ContextStyle {
            in_full: wanted.contains(SecurityContextSet::FULL),
            of_process: Box::new(|tid| proc::security_contexts::of_process(tid.0)),
        }),
        outside: values.pids.contains(DecodePids::PIDNS).then(namespaces::outside),
        interface_of: Some(Box::new(interface::name)),
        generic_family_of: Some(generic_families()),
        color: color::wanted(options.output.color, &ColorEnv::read(), to_terminal),
    }
}

/// Names the families of generic netlink; who they are is asked when one is first seen.
fn generic_families() -> outputs::text::GenericFamilyOf {
    let families = OnceLock::new();
    Box::new(move |number| {
        let known = families.get_or_init(|| generic_netlink::families().unwrap_or_default());
        known.iter().find(|(family, _)| *family == number).map(|(_, name)| name.clone())
    })
}

/// What is looked up and shown of descriptors.
pub(super) fn fd_details(wanted: DecodeFds) -> FdDetails {
    FdDetails {
        paths: wanted.contains(DecodeFds::PATH),
        sockets: wanted.contains(DecodeFds::SOCKET),
        devices: wanted.contains(DecodeFds::DEV),
        pidfds: wanted.contains(DecodeFds::PIDFD),
        signalfds: wanted.contains(DecodeFds::SIGNALFD),
        eventfds: wanted.contains(DecodeFds::EVENTFD),
    }
}

/// Whether a call is in this set.
fn picks(calls: CallSet) -> outputs::text::Predicate {
    Box::new(move |record| calls.contains_of(record.arch, record.number))
}

pub(super) fn status_filter(status: StatusSet) -> StatusFilter {
    StatusFilter {
        successful: status.contains(StatusSet::SUCCESSFUL),
        failed: status.contains(StatusSet::FAILED),
        unfinished: status.contains(StatusSet::UNFINISHED),
        unavailable: status.contains(StatusSet::UNAVAILABLE),
        detached: status.contains(StatusSet::DETACHED),
    }
}

/// Messages about attachment have no place in a file.
fn quiet(options: &TraceOptions) -> Quiet {
    let quiet = options.quiet();
    Quiet {
        attach: quiet.contains(QuietSet::ATTACH) || options.output.target != Target::Stderr,
        personality: quiet.contains(QuietSet::PERSONALITY),
        exit: quiet.contains(QuietSet::EXIT),
        thread_execve: quiet.contains(QuietSet::THREAD_EXECVE),
        killed_by: (1..=64)
            .filter(|&signal| !options.filter.signals.contains(signal))
            .fold(0, |mask, signal| mask | 1 << (signal - 1)),
    }
}

fn wall_clock() -> WallClock {
    let epoch = clock::realtime() as i64 - clock::monotonic() as i64;
    WallClock { epoch, utc_offset: |at| clock::utc_offset(at) as i32 }
}
