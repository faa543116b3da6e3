//! What stands on a line before the call and behind it.

use record::{Arch, Changes, Result, Stamp, Tid, Value, errno, signal};

use super::color::{Role, paint, width};
use super::digits;
use super::flags::push;
use super::style::{LineStyle, Pids, TextStyle};
use super::time;
use super::value::Look;

/// What the beginning of a line tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin<'t> {
    pub tid: Tid,
    pub time: Stamp,
    /// Nanoseconds since the line before began.
    pub since: u64,
    /// Whether there are several threads.
    pub several: bool,
    /// The number of the call that the line tells of, or of the thread's last call.
    pub number: u64,
    /// The instruction pointer, if it is known.
    pub ip: Option<u64>,
    /// The ABI of the thread's last call.
    pub arch: Arch,
    /// The command's name, where that is shown.
    pub command: Option<&'t [u8]>,
    /// The thread's security context, where that is shown.
    pub context: Option<&'t [u8]>,
}

/// Appends the beginning of a line: whose it is, times, number, instruction pointer.
pub(super) fn begin(out: &mut Vec<u8>, style: &TextStyle, look: &Look<'_>, begin: Begin<'_>) {
    let color = style.values.color;
    let has_prefix = has_prefix(&style.line, begin.several) || begin.context.is_some();
    paint(out, color && has_prefix, Role::Aside, |out| {
        pid(out, &style.line, look, begin);
        if let Some(context) = begin.context {
            look.context(out, look.shown(context));
            out.push(b' ');
        }
        times(out, style, begin);
        if style.line.call_number {
            match begin.number {
                u64::MAX => out.extend(b"[???] "),
                number => push(out, format_args!("[{number:4}] ")),
            }
        }
        if style.line.instruction_pointer {
            match (begin.ip, begin.arch) {
                (Some(ip), Arch::X86_64) => push(out, format_args!("[{ip:016x}] ")),
                (None, Arch::X86_64) => out.extend(b"[????????????????] "),
                (Some(ip), Arch::I386 | Arch::X32) => push(out, format_args!("[{ip:08x}] ")),
                (None, Arch::I386 | Arch::X32) => out.extend(b"[????????] "),
            }
        }
    });
}

/// The beginning of a line that tells of one of several threads.
pub fn whose(tid: Tid) -> String {
    format!("[pid {:>5}] ", tid.0)
}

fn has_prefix(style: &LineStyle, several: bool) -> bool {
    matches!(style.pids, Pids::Always | Pids::Column)
        || style.pids == Pids::WhenSeveral && several
        || style.absolute_time.is_some()
        || style.relative_time.is_some()
        || style.call_number
        || style.instruction_pointer
}

fn pid(out: &mut Vec<u8>, style: &LineStyle, look: &Look<'_>, begin: Begin<'_>) {
    match style.pids {
        Pids::Never => {}
        Pids::WhenSeveral if !begin.several => {}
        Pids::WhenSeveral | Pids::Always => {
            push(out, format_args!("[pid {:>5}", begin.tid.0));
            command(out, look, begin);
            out.extend(b"] ");
        }
        Pids::Column if begin.command.is_some() => {
            digits::signed(out, begin.tid.0.into());
            command(out, look, begin);
            out.push(b' ');
        }
        Pids::Column => {
            digits::left(out, begin.tid.0.into(), 5);
            out.push(b' ');
        }
    }
}

fn command(out: &mut Vec<u8>, look: &Look<'_>, begin: Begin<'_>) {
    if let Some(command) = begin.command {
        look.bracketed(out, command);
    }
}

fn times(out: &mut Vec<u8>, style: &TextStyle, begin: Begin<'_>) {
    if let Some(format) = style.line.absolute_time {
        time::moment(out, &style.clock, style.clock.since_epoch(begin.time), format);
        out.push(b' ');
    }
    if let Some(precision) = style.line.relative_time {
        let beside = style.line.absolute_time.is_some();
        out.extend(if beside { &b"(+"[..] } else { b"" });
        time::seconds(out, begin.since, 6, precision);
        out.extend(if beside { &b") "[..] } else { b" " });
    }
}

/// How many columns a part of a line takes.
pub(super) fn columns(part: &[u8], style: &TextStyle) -> usize {
    if style.values.color { width(part) } else { part.len() }
}

/// Closes the arguments and appends spaces up to the column of results. The last line in `out`
/// begins there at `start`, behind so many columns that were written `before`.
pub(super) fn align(out: &mut Vec<u8>, style: &TextStyle, start: usize, before: usize) {
    out.push(b')');
    let end = before + columns(&out[start..], style);
    let spaces = style.line.result_column.saturating_sub(end).max(1);
    out.resize(out.len() + spaces, b' ');
    out.extend(b"= ");
}

/// Appends what came of a call: `3`, `-1 ENOENT (No such file or directory)`.
pub(super) fn result(out: &mut Vec<u8>, look: &Look<'_>, result: &Result<'_>) {
    if !result.failed {
        return look.result(out, result);
    }
    let error = u32::try_from(result.raw.unsigned_abs()).unwrap_or(u32::MAX);
    let Some(name) = errno::name(error) else {
        return push(out, format_args!("-1 (errno {error})"));
    };
    // Where results are told as numbers, what the kernel alone sees is one like others.
    let is_number = matches!(result.value, Value::Unsigned(..));
    let is_restart = errno::is_restart(error);
    out.extend(if is_restart && !is_number { &b"? "[..] } else { b"-1 " });
    paint(out, look.style.color, Role::Error, |out| out.extend(name.as_bytes()));
    if is_restart && is_number {
        push(out, format_args!(" (Unknown error {error})"));
    } else {
        message(out, error);
    }
}

/// Appends what an error means, if anybody knows.
fn message(out: &mut Vec<u8>, error: u32) {
    if let Some(message) = errno::message(error) {
        out.extend(b" (");
        out.extend(message.as_bytes());
        out.push(b')');
    }
}

/// Appends an error's name and meaning behind its number, if it is one.
pub(super) fn error_beside(out: &mut Vec<u8>, look: &Look<'_>, error: u32) {
    if let Some(name) = errno::name(error) {
        out.push(b' ');
        paint(out, look.style.color, Role::Error, |out| out.extend(name.as_bytes()));
        message(out, error);
    }
}

/// Appends what a verdict has changed of a call.
pub(super) fn changes(out: &mut Vec<u8>, changes: Changes) {
    out.extend(match (changes.memory, changes.result) {
        (false, false) => &b""[..],
        (false, true) => b" (INJECTED)",
        (true, false) => b" (INJECTED: args)",
        (true, true) => b" (INJECTED: args, retval)",
    });
    if changes.delayed {
        out.extend(b" (DELAYED)");
    }
}

/// Appends a signal's name, or its number where it has none.
pub(super) fn signal_name(out: &mut Vec<u8>, number: i32) {
    match u32::try_from(number).ok().and_then(signal::name) {
        Some(name) => out.extend(name.as_bytes()),
        None => push(out, format_args!("{number}")),
    }
}
