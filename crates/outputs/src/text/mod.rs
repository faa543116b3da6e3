//! Text as `strace(1)` writes it: a line a call, signal or end.
//!
//! A call's beginning is written when it is entered. If another thread has something to tell
//! before the call returns, its line is broken off with `<unfinished ...>`, and what is left of
//! it follows on a line of its own with `<... read resumed>`.

mod call_sign;
mod color;
mod console;
mod constant;
mod descriptor;
mod digits;
mod dump;
mod flags;
mod line;
mod scalar;
mod security_context;
mod stack;
mod string;
mod style;
mod time;
mod value;

use std::io;

use record::{Arch, Event, More, Origin, Record, Stack, Stamp, Tid, TidMap, What};

use crate::{Output, Sink, StatusFilter};
use color::{Role, paint};
use flags::push;
use line::Begin;
use value::{Look, Shown};

pub use line::whose;
pub use string::quoted;
pub use style::{
    CommandOf, Constants, ContextOf, ContextStyle, GenericFamilyOf, HexStrings, InterfaceOf,
    LineStyle, Outside, Pids, Precision, Predicate, Quiet, TextStyle, TimeFormat, ValueStyle,
};

/// The text output.
pub struct Text {
    style: TextStyle,
    sink: Sink,
    /// Each thread has lines of its own, which no other thread breaks off.
    per_thread: bool,
    /// What this event adds.
    out: Vec<u8>,
    /// Where its last line begins in `out`.
    line_start: usize,
    /// Whose line has no end yet, where all threads share the lines.
    open: Option<Tid>,
    threads: TidMap<Thread>,
    /// When the last line began.
    last: Option<Stamp>,
}

/// What is known of a thread.
#[derive(Default)]
struct Thread {
    pending: Option<Pending>,
    /// The beginning of its call, where calls are picked by their end.
    held_back: Option<HeldBack>,
    /// It has been said of its call that it does not return.
    said_end: bool,
    last_number: u64,
    /// The ABI of its last call.
    arch: Arch,
    /// The stack of the call in which it ends; told behind its end.
    parting: Vec<u8>,
    /// Its command's name, where that is shown; kept for when the thread is gone.
    command: Option<Vec<u8>>,
    /// Its security context, likewise.
    context: Option<Vec<u8>>,
}

/// A call whose beginning is written only if its end is.
struct HeldBack {
    entered: Stamp,
    /// Whether there were several threads then.
    several: bool,
    /// What would be told of it.
    text: Vec<u8>,
}

/// A call whose beginning is written.
struct Pending {
    shown: Shown,
    /// Not all arguments are known yet.
    more: More,
    /// Where its line ends so far.
    column: usize,
    /// Its line has been broken off.
    broken: bool,
}

impl Thread {
    /// Notes what the thread's command is called and its security context, where these are shown and
    /// the thread is still there.
    fn learn(&mut self, tid: Tid, style: &TextStyle) {
        let command_of = style.values.command_of.as_ref();
        if let Some(command) = command_of.and_then(|command_of| command_of(tid)) {
            self.command = Some(command);
        }
        let contexts = style.values.contexts.as_ref();
        if let Some(context) = contexts.and_then(|contexts| (contexts.of_process)(tid)) {
            self.context = Some(context);
        }
    }
}

impl Output for Text {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let tid = event.tid;
        let mut ended = false;
        match event.what {
            What::Attached { parent, .. } => self.attached(tid, parent),
            What::Enter(record) => self.enter(tid, record),
            What::Exit(record) | What::Call(record) => self.exit(tid, record, event.time),
            What::Unfinished(record) => self.unfinished(tid, record, event.time),
            What::Signal { signal, origin } => self.signal(tid, event.time, signal, origin),
            What::Executed => self.learn(tid),
            What::RunsIn { arch, ip } => self.runs_in(tid, event.time, arch, ip.0),
            What::Stopped { signal, ip } => {
                self.happening_at(tid, event.time, ip.map(|ip| ip.0), |out| {
                    out.extend(b"--- stopped by ");
                    line::signal_name(out, signal);
                    out.extend(b" ---");
                });
            }
            What::Exited { status } => {
                if !self.style.quiet.exit {
                    self.happening(tid, event.time, |out| {
                        push(out, format_args!("+++ exited with {status} +++"));
                    });
                }
                self.part(tid);
                ended = true;
            }
            What::Killed { signal, core_dumped } => {
                self.killed(tid, event.time, signal, core_dumped);
                self.part(tid);
                ended = true;
            }
            What::Superseded { by } => self.superseded(tid, by, event.time)?,
            What::Detached => {
                self.detached(tid);
                ended = true;
            }
        }
        let written = self.sink.write(tid, &self.out);
        self.out.clear();
        self.line_start = 0;
        if ended {
            self.threads.remove(&tid);
            return written.and(self.sink.thread_ended(tid));
        }
        written
    }

    fn passed_over(&mut self, tid: Tid, raw_number: u64) {
        if self.style.line.call_number {
            self.threads.entry(tid).or_default().last_number = raw_number;
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        if let Some(tid) = self.open.take() {
            self.sink.write(tid, b" <unfinished ...>\n")?;
        }
        self.sink.finish()
    }

    fn sink(&mut self) -> &mut Sink {
        &mut self.sink
    }

    /// Where calls are picked by their end, nothing of them is written before it; yet of those that
    /// do not see their end under us, only the beginning is ever told, and whether a line says whose
    /// it is depends on how many threads there were at its beginning.
    fn wants_entries(&self) -> bool {
        self.shows_entries()
            || self.style.status.detached
            || self.style.line.pids == Pids::WhenSeveral
    }
}

impl Text {
    /// An output with this look.
    pub fn new(style: TextStyle, sink: Sink) -> Text {
        let per_thread = sink.is_per_thread();
        let threads = TidMap::default();
        Text {
            style,
            sink,
            per_thread,
            out: Vec::new(),
            line_start: 0,
            open: None,
            threads,
            last: None,
        }
    }

    fn attached(&mut self, tid: Tid, parent: Option<Tid>) {
        self.learn(tid);
        if parent.is_some() && !self.style.quiet.attach {
            // It may stand in the middle of a line.
            self.message(tid, "attached");
        }
    }

    /// Says that a thread's calls go through another ABI than before.
    fn runs_in(&mut self, tid: Tid, time: Stamp, arch: Arch, ip: u64) {
        let thread = self.threads.entry(tid).or_default();
        if std::mem::replace(&mut thread.arch, arch) == arch || self.style.quiet.personality {
            return;
        }
        self.begin_at(tid, time, None, Some(ip));
        self.out.extend(runs_in(tid, arch).into_bytes());
        self.out.push(b'\n');
    }

    fn shows_entries(&self) -> bool {
        self.style.status == StatusFilter::ALL
    }

    fn enter(&mut self, tid: Tid, record: &Record<'_>) {
        if !self.shows_entries() {
            return self.hold_back(tid, record);
        }
        self.runs_in(tid, record.entered, record.arch, record.ip.0);
        self.begin(tid, record.entered, Some(record));
        let look = look(&self.style, tid, Some(record));
        call_name(&mut self.out, look, record);
        self.out.push(b'(');
        let mut shown = look.args(&mut self.out, &record.args, Shown::default());
        shown.comma |= announce_more(&mut self.out, record, shown);
        shown.is_asked = record.more == More::Answer;
        if record.never_returns {
            line::align(&mut self.out, &self.style, self.line_start, 0);
            self.out.extend(b"?\n");
            self.threads.entry(tid).or_default().said_end = true;
            return;
        }
        let column = line::columns(&self.out[self.line_start..], &self.style);
        let pending = Pending { shown, more: record.more, column, broken: false };
        self.threads.entry(tid).or_default().pending = Some(pending);
        self.open = (!self.per_thread).then_some(tid);
    }

    /// Keeps a call's beginning in case that its end is shown, or its thread is let go within it.
    fn hold_back(&mut self, tid: Tid, record: &Record<'_>) {
        let mut text = Vec::new();
        if self.style.status.detached {
            let look = look(&self.style, tid, Some(record));
            call_name(&mut text, look, record);
            text.push(b'(');
            let shown = look.args(&mut text, &record.args, Shown::default());
            announce_more(&mut text, record, shown);
        }
        let several = self.threads.len() > 1;
        let thread = self.threads.entry(tid).or_default();
        thread.last_number = record.raw_number;
        thread.held_back = Some(HeldBack { entered: record.entered, several, text });
    }

    fn exit(&mut self, tid: Tid, record: &Record<'_>, time: Stamp) {
        if !self.style.status.shows(record) {
            self.threads.entry(tid).or_default().held_back = None;
            return;
        }
        let (column, shown, _) = self.resume(tid, record, time);
        let look = look(&self.style, tid, Some(record));
        look.args(&mut self.out, &record.args, shown);
        line::align(&mut self.out, &self.style, self.line_start, column);
        let Some(result) = &record.result else {
            self.out.extend(b"? <unavailable>\n");
            return;
        };
        line::result(&mut self.out, &look, result);
        line::changes(&mut self.out, record.changes);
        if let Some(precision) = self.style.line.call_time {
            self.out.extend(b" <");
            let spent = result.time.0.saturating_sub(record.entered.0);
            time::seconds(&mut self.out, spent, 0, precision);
            self.out.push(b'>');
        }
        self.out.push(b'\n');
        dump::dump(&mut self.out, tid.0, &record.dump);
        self.stack(record.stack);
    }

    fn stack(&mut self, stack: Option<&Stack>) {
        if let Some(stack) = stack {
            stack::stack(&mut self.out, stack);
        }
    }

    /// Adds the stack of the call in which a thread has ended.
    fn part(&mut self, tid: Tid) {
        if let Some(thread) = self.threads.get_mut(&tid) {
            self.out.append(&mut thread.parting);
        }
    }

    fn unfinished(&mut self, tid: Tid, record: &Record<'_>, time: Stamp) {
        let thread = self.threads.entry(tid).or_default();
        if let Some(stack) = record.stack {
            stack::stack(&mut thread.parting, stack);
        }
        if !self.style.status.unfinished || std::mem::take(&mut thread.said_end) {
            return;
        }
        let (column, shown, known) = self.resume(tid, record, time);
        let look = look(&self.style, tid, Some(record));
        if known {
            let shown = look.args(&mut self.out, &record.args, shown);
            announce_more(&mut self.out, record, shown);
        }
        if !known || record.more != More::Nothing {
            self.out.extend(b" <unfinished ...>");
        }
        line::align(&mut self.out, &self.style, self.line_start, column);
        self.out.extend(b"?\n");
    }

    /// Goes on with a call's line, or begins it. Returns where on its line the text stands that
    /// this event adds, how far the arguments have been shown, and whether the others are known
    /// although the call has not returned.
    fn resume(&mut self, tid: Tid, record: &Record<'_>, time: Stamp) -> (usize, Shown, bool) {
        let pending = self.threads.get_mut(&tid).and_then(|thread| thread.pending.take());
        let Some(pending) = pending else {
            self.runs_in(tid, record.entered, record.arch, record.ip.0);
            let held = self.threads.get_mut(&tid).and_then(|thread| thread.held_back.take());
            let several = held.map_or(self.threads.len() > 1, |held| held.several);
            self.begin_line(tid, record.entered, Some(record), Some(record.ip.0), several);
            let look = look(&self.style, tid, Some(record));
            call_name(&mut self.out, look, record);
            self.out.push(b'(');
            return (0, Shown::default(), true);
        };
        if pending.broken {
            self.begin(tid, time, Some(record));
            resumed(
                &mut self.out,
                look(&self.style, tid, Some(record)),
                record.name,
                record.raw_number,
            );
            return (0, pending.shown, pending.more == More::Nothing);
        }
        self.open = None;
        (pending.column, pending.shown, pending.more == More::Nothing)
    }

    fn signal(&mut self, tid: Tid, time: Stamp, signal: i32, origin: Origin<'_>) {
        self.begin_at(tid, time, None, origin.ip.map(|ip| ip.0));
        let look = look(&self.style, tid, None);
        self.out.extend(b"--- ");
        paint(&mut self.out, look.style.color, Role::Happening, |out| {
            line::signal_name(out, signal);
        });
        for (node, children) in origin.info.from(0) {
            self.out.push(b' ');
            look.value(&mut self.out, node, children);
        }
        self.out.extend(b" ---\n");
        self.stack(origin.stack);
    }

    fn killed(&mut self, tid: Tid, time: Stamp, signal: i32, core_dumped: bool) {
        if self.style.quiet.killed_by >> (signal - 1).clamp(0, 63) & 1 == 1 {
            return;
        }
        self.happening(tid, time, |out| {
            out.extend(b"+++ killed by ");
            line::signal_name(out, signal);
            out.extend(if core_dumped { &b" (core dumped) +++"[..] } else { b" +++" });
        });
    }

    fn superseded(&mut self, tid: Tid, by: Tid, time: Stamp) -> io::Result<()> {
        let callers_line = !self.per_thread && self.open.take_if(|open| *open == by).is_some();
        self.break_off(tid);
        let mut told = Ok(());
        if let Some(mut caller) = self.threads.remove(&by) {
            // Only one is left.
            caller.held_back = None;
            let open = caller.pending.as_mut().filter(|_| self.per_thread || callers_line);
            if let Some(pending) = open {
                pending.broken = true;
                told = self.sink.write(by, format!(" <pid changed to {tid} ...>\n").as_bytes());
            }
            self.threads.insert(tid, caller);
        }
        if !self.style.quiet.thread_execve {
            self.happening(tid, time, |out| {
                push(out, format_args!("+++ superseded by execve in pid {by} +++"));
            });
        }
        told.and(self.sink.thread_ended(by))
    }

    fn detached(&mut self, tid: Tid) {
        // It may stand in the middle of a line.
        if !self.style.quiet.attach {
            self.message(tid, "detached");
        }
        let thread = self.threads.entry(tid).or_default();
        match (thread.pending.take(), thread.held_back.take()) {
            _ if !self.style.status.detached => {}
            // A line that was broken off stays so.
            (Some(Pending { broken: true, .. }), _) => {}
            (Some(_), _) => {
                self.open = None;
                self.out.extend(b" <detached ...>\n");
            }
            (None, Some(held)) => {
                self.begin_line(tid, held.entered, None, None, held.several);
                self.out.extend(held.text);
                self.out.extend(b" <detached ...>\n");
            }
            (None, None) => {}
        }
    }

    fn message(&mut self, tid: Tid, what: &str) {
        let program = &self.style.line.program;
        push(&mut self.out, format_args!("{program}: Process {tid} {what}\n"));
    }

    /// A line that tells of no call.
    fn happening(&mut self, tid: Tid, time: Stamp, write: impl FnOnce(&mut Vec<u8>)) {
        self.happening_at(tid, time, None, write);
    }

    fn happening_at(
        &mut self,
        tid: Tid,
        time: Stamp,
        ip: Option<u64>,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        self.begin_at(tid, time, None, ip);
        paint(&mut self.out, self.style.values.color, Role::Happening, write);
        self.out.push(b'\n');
    }

    /// Notes what is shown of the thread, while it is there.
    fn learn(&mut self, tid: Tid) {
        let thread = self.threads.entry(tid).or_default();
        thread.learn(tid, &self.style);
    }

    /// Begins a line; of the call, if it tells of one.
    fn begin(&mut self, tid: Tid, time: Stamp, record: Option<&Record<'_>>) {
        self.begin_at(tid, time, record, record.map(|record| record.ip.0));
    }

    /// The same, of a thread that is at this instruction, where that is known.
    fn begin_at(&mut self, tid: Tid, time: Stamp, record: Option<&Record<'_>>, ip: Option<u64>) {
        self.begin_line(tid, time, record, ip, self.threads.len() > 1);
    }

    /// The same, of one of several threads or of the only one.
    fn begin_line(
        &mut self,
        tid: Tid,
        time: Stamp,
        record: Option<&Record<'_>>,
        ip: Option<u64>,
        several: bool,
    ) {
        self.break_off(tid);
        self.line_start = self.out.len();
        let since = self.last.map_or(0, |last| time.0.saturating_sub(last.0));
        self.last = Some(time);
        let thread = self.threads.entry(tid).or_default();
        thread.learn(tid, &self.style);
        if let Some(record) = record {
            thread.last_number = record.raw_number;
        }
        let begin = Begin {
            tid,
            time,
            since,
            several,
            number: thread.last_number,
            ip,
            arch: thread.arch,
            command: thread.command.as_deref(),
            context: thread.context.as_deref(),
        };
        line::begin(&mut self.out, &self.style, &look(&self.style, tid, record), begin);
    }

    /// Ends the line that has no end yet.
    fn break_off(&mut self, tid: Tid) {
        let owner = if self.per_thread { Some(tid) } else { self.open.take() };
        let thread = owner.and_then(|tid| self.threads.get_mut(&tid));
        let pending = thread.and_then(|thread| thread.pending.as_mut());
        if let Some(pending) = pending.filter(|pending| !pending.broken) {
            pending.broken = true;
            self.out.extend(b" <unfinished ...>\n");
        }
    }
}

/// That the calls of a process go through this ABI from now on.
pub fn runs_in(tid: Tid, arch: Arch) -> String {
    let mode = match arch {
        Arch::X86_64 => "64 bit",
        Arch::I386 => "32 bit",
        Arch::X32 => "x32",
    };
    format!("[ Process PID={tid} runs in {mode} mode. ]")
}

fn look<'s>(style: &'s TextStyle, tid: Tid, record: Option<&Record<'_>>) -> Look<'s> {
    let picked = style.values.abbreviated.as_ref().zip(record);
    let abbreviated = picked.is_none_or(|(picks, record)| picks(record));
    Look { style: &style.values, clock: &style.clock, tid, abbreviated, targets: true }
}

/// Separates the arguments that are shown from those that the call's end will show.
fn announce_more(out: &mut Vec<u8>, record: &Record<'_>, shown: Shown) -> bool {
    let comes_more = record.more == More::Arguments && shown.count > 0 && !shown.named;
    if comes_more {
        out.extend(b", ");
    }
    comes_more
}

fn call_name(out: &mut Vec<u8>, look: Look<'_>, record: &Record<'_>) {
    paint(out, look.style.color, Role::Call, |out| bare_name(out, record.name, record.raw_number));
}

fn bare_name(out: &mut Vec<u8>, name: Option<&str>, number: u64) {
    match name {
        Some(name) => out.extend(name.as_bytes()),
        None => push(out, format_args!("syscall_{number:#x}")),
    }
}

fn resumed(out: &mut Vec<u8>, look: Look<'_>, name: Option<&str>, number: u64) {
    out.extend(b"<... ");
    paint(out, look.style.color, Role::Call, |out| bare_name(out, name, number));
    out.extend(b" resumed>");
}

#[cfg(test)]
mod tests;
