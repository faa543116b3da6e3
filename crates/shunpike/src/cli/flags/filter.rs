//! What is shown.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::{Flag, Given, Of, Value, Values};
use crate::cli::filter::{FdSet, SignalSet, StatusSet, call_set};
use crate::cli::options::TraceOptions;
use crate::cli::usage::UsageError;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("expression", "a qualifying expression: [NAME=]SET")
        .short('e')
        .takes(Value::Always("EXPR"), Values::Expression)
        .more(
            "NAME says what the expression is about; without it, it is trace. The long options \
             of the same names are the same: -e status=failed is --status=failed.\n\n\
             A SET is all, none, or a list of items parted by commas. A ! in front of the whole \
             set turns it around. A later expression of the same NAME replaces an earlier one.",
        ),
    Flag::new("trace", "trace only the system calls in SET")
        .only(Of::Trace)
        .qualifiers(&["trace", "t"])
        .takes(Value::Always("SET"), Values::Calls)
        .more(
            "An item is a call's name or number; a %class of calls; or /REGEX, every call whose \
             name matches. A ? in front of an item forgives it if no call is meant. @64, @32 or \
             @x32 behind an item limits it to that ABI.\n\n\
             Classes: %file, calls that take a path; %desc, a file descriptor; %process, life \
             and death of processes; %network (%net); %signal; %ipc; %memory, mappings; %creds, \
             user and group ids; %clock; %pure, calls without arguments that cannot fail; \
             %stat, %lstat, %fstat, %%stat for all of them; %statfs, %fstatfs, %%statfs.",
        )
        .apply(set_calls),
    Flag::new("signal", "show only the signals in SET")
        .aliases(&["signals"])
        .qualifiers(&["signal", "signals", "s"])
        .takes(Value::Always("SET"), Values::Signals)
        .more("A signal is a name, with or without SIG, or a number.")
        .apply(|options, given| {
            options.filter.signals = SignalSet::parse(given.text()?)?;
            Ok(())
        }),
    Flag::new("status", "show only calls that ended as SET says")
        .qualifiers(&["status"])
        .takes(Value::Always("SET"), Values::SetOf(StatusSet::NAMES))
        .more(
            "successful: without an error. failed: with an error. unfinished: the thread ended \
             inside the call. unavailable: the result could not be read. detached: the tracer \
             detached before the call returned. Calls of several threads are then shown in the \
             order in which they return.",
        )
        .apply(|options, given| {
            options.filter.status = StatusSet::parse(given.text()?)?;
            Ok(())
        }),
    Flag::new("successful-only", "show only calls that returned without an error")
        .short('z')
        .apply(|options, _| {
            options.filter.status = StatusSet::SUCCESSFUL;
            Ok(())
        }),
    Flag::new("failed-only", "show only calls that returned with an error")
        .short('Z')
        .aliases(&["failing-only"])
        .apply(|options, _| {
            options.filter.status = StatusSet::FAILED;
            Ok(())
        }),
    Flag::new("trace-path", "trace only calls that use PATH; may be repeated")
        .short('P')
        .takes(Value::Always("PATH"), Values::File)
        .more("A call uses PATH if it names it, or a file descriptor that is open on it.")
        .apply(|options, given| {
            options.filter.paths.extend(given.value.map(Into::into));
            Ok(())
        }),
    Flag::new("trace-fds", "trace only calls that use a file descriptor in SET")
        .aliases(&["trace-fd"])
        .qualifiers(&["trace-fds", "trace-fd"])
        .takes(Value::Always("SET"), Values::Any)
        .more("Together with -P: calls that use either.")
        .apply(|options, given| {
            options.filter.fds = Some(FdSet::parse(given.text()?)?);
            Ok(())
        }),
];

/// Takes a qualifying expression apart: the flag that it sets, the qualifier that names it, and
/// the set. An expression without a known qualifier is one about `trace`.
pub(in crate::cli) fn split_expression(
    of: Of,
    expression: &OsStr,
) -> (&'static Flag, &'static str, &OsStr) {
    let bytes = expression.as_bytes();
    let equals = bytes.iter().position(|&byte| byte == b'=');
    let qualified = equals.and_then(|equals| {
        let (flag, qualifier) =
            qualifiers(of).find(|(_, name)| name.as_bytes() == &bytes[..equals])?;
        Some((flag, qualifier, OsStr::from_bytes(&bytes[equals + 1..])))
    });
    qualified.unwrap_or_else(|| (trace_of(of), "trace", expression))
}

/// Which calls are told of.
pub(super) fn set_calls(options: &mut TraceOptions, given: &Given<'_>) -> Result<(), UsageError> {
    options.filter.calls = call_set(given.text()?)?;
    Ok(())
}

/// What an expression without a name is about.
fn trace_of(of: Of) -> &'static Flag {
    of.flags().find(|flag| flag.long == "trace").expect("both subcommands have it")
}

/// Every flag that an expression can set, with each of its qualifiers.
fn qualifiers(of: Of) -> impl Iterator<Item = (&'static Flag, &'static str)> {
    of.flags().flat_map(|flag| flag.qualifiers.iter().map(move |&qualifier| (flag, qualifier)))
}
