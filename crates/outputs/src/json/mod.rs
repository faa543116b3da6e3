//! One JSON object a line: lossless, and made for `jq`. docs/json.md describes it.

mod descriptor;
mod dump;
mod named;
mod stack;
mod syntax;
mod value;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use record::{Arch, Changes, Event, Nodes, Record, Stack, Stamp, Tid, What, errno};

use crate::{Output, Sink, StatusFilter, WallClock};
use stack::stack;
use syntax::{address, array, field, number, object, text};
use value::value;

/// The version of the form; it changes when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// What a JSON trace tells beside the events.
#[derive(Clone, Debug)]
pub struct JsonStyle {
    /// The program and its arguments; empty where none was started.
    pub command: Vec<Vec<u8>>,
    /// The beginning of the trace: times are counted from here.
    pub started: Stamp,
    /// What clocks say.
    pub clock: WallClock,
    /// Which calls are shown, by their end.
    pub status: StatusFilter,
}

/// The JSON output.
pub struct Json {
    style: JsonStyle,
    sink: Sink,
    out: Vec<u8>,
    /// The process of each thread that is not its process's first.
    processes: HashMap<Tid, Tid>,
    /// The destinations that have their first line, by thread; `SHARED` where there is only one.
    begun: HashSet<Tid>,
}

/// Stands for all threads.
const SHARED: Tid = Tid(0);

impl Output for Json {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let tid = event.tid;
        self.begin(tid);
        let ended = self.show(event);
        let written = self.sink.write(tid, &self.out);
        self.out.clear();
        if ended {
            self.processes.remove(&tid);
            return written.and(self.sink.thread_ended(tid));
        }
        written
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.sink.is_per_thread() {
            self.begin(SHARED);
            self.sink.write(SHARED, &self.out)?;
        }
        self.sink.finish()
    }

    fn sink(&mut self) -> &mut Sink {
        &mut self.sink
    }

    /// A call is one object, written when it has returned.
    fn wants_entries(&self) -> bool {
        false
    }
}

impl Json {
    /// An output with this look.
    pub fn new(style: JsonStyle, sink: Sink) -> Json {
        Json { style, sink, out: Vec::new(), processes: HashMap::new(), begun: HashSet::new() }
    }

    /// Appends the first line of a destination.
    fn begin(&mut self, tid: Tid) {
        let destination = if self.sink.is_per_thread() { tid } else { SHARED };
        if !self.begun.insert(destination) {
            return;
        }
        let JsonStyle { command, started, clock, .. } = &self.style;
        object(&mut self.out, |out| {
            field(out, "shunpike", |out| {
                object(out, |out| {
                    number(out, "schema", SCHEMA);
                    field(out, "command", |out| {
                        array(out, command, |out, part| text(out, part, false));
                    });
                    field(out, "started", |out| {
                        let nanos = clock.since_epoch(*started);
                        let _ = write!(out, "\"{}\"", crate::clock::rfc3339(nanos));
                    });
                });
            });
        });
        self.out.push(b'\n');
    }

    /// Appends an event's line. Returns whether it is its thread's last.
    fn show(&mut self, event: &Event<'_>) -> bool {
        let mut ended = false;
        match event.what {
            What::Enter(_) => {}
            What::Exit(record) | What::Call(record) if self.style.status.shows(record) => {
                self.call(event.tid, record)
            }
            What::Unfinished(record) if self.style.status.unfinished => {
                self.call(event.tid, record);
            }
            What::Exit(_) | What::Call(_) | What::Unfinished(_) => {}
            What::Attached { parent, process } => {
                if process != event.tid {
                    self.processes.insert(event.tid, process);
                }
                self.line("attach", event.tid, event.time, |out| {
                    if let Some(parent) = parent {
                        number(out, "parent", parent);
                    }
                });
            }
            // The call tells it.
            What::Executed | What::RunsIn { .. } => {}
            What::Signal { signal, origin } => {
                self.line("signal", event.tid, event.time, |out| {
                    field(out, "signal", |out| named::signal(out, signal as u32));
                    for (node, children) in origin.info.from(0) {
                        field(out, "info", |out| value(out, node, children));
                    }
                    frames(out, origin.stack);
                });
            }
            What::Stopped { signal, .. } => self.line("stop", event.tid, event.time, |out| {
                field(out, "signal", |out| named::signal(out, signal as u32));
            }),
            What::Exited { status } => {
                self.line("exit", event.tid, event.time, |out| number(out, "status", status));
                ended = true;
            }
            What::Killed { signal, core_dumped } => {
                self.line("killed", event.tid, event.time, |out| {
                    field(out, "signal", |out| named::signal(out, signal as u32));
                    number(out, "core_dumped", core_dumped);
                });
                ended = true;
            }
            What::Superseded { by } => {
                self.processes.remove(&by);
                self.line("superseded", event.tid, event.time, |out| number(out, "by", by));
            }
            What::Detached => {
                self.line("detach", event.tid, event.time, |_| {});
                ended = true;
            }
        }
        ended
    }

    /// Appends a line of this type with these fields behind the common ones.
    fn line(&mut self, kind: &str, tid: Tid, time: Stamp, fields: impl FnOnce(&mut Vec<u8>)) {
        let process = self.processes.get(&tid).copied().unwrap_or(tid);
        let since = time.0 as i64 - self.style.started.0 as i64;
        object(&mut self.out, |out| {
            let _ = write!(out, "\"type\":\"{kind}\"");
            number(out, "pid", process);
            number(out, "tid", tid);
            number(out, "time", since);
            fields(out);
        });
        self.out.push(b'\n');
    }

    fn call(&mut self, tid: Tid, record: &Record<'_>) {
        self.line("call", tid, record.entered, |out| {
            if let Some(result) = &record.result {
                number(out, "duration", result.time.0.saturating_sub(record.entered.0));
            }
            field(out, "name", |out| match record.name {
                Some(name) => text(out, name.as_bytes(), false),
                None => out.extend(b"null"),
            });
            number(out, "number", record.raw_number);
            field(out, "abi", |out| {
                out.extend(match record.arch {
                    Arch::X86_64 => &b"\"x86_64\""[..],
                    Arch::I386 => b"\"i386\"",
                    Arch::X32 => b"\"x32\"",
                });
            });
            field(out, "ip", |out| address(out, record.ip));
            field(out, "args", |out| named(out, &record.args));
            field(out, "result", |out| match &record.result {
                Some(result) => object(out, |out| outcome(out, result)),
                None => out.extend(b"null"),
            });
            if record.changes != Changes::default() {
                field(out, "changed", |out| changes(out, record.changes));
            }
            if !record.dump.is_empty() {
                field(out, "data", |out| dump::dump(out, &record.dump));
            }
            frames(out, record.stack);
        });
    }
}

fn frames(out: &mut Vec<u8>, of: Option<&Stack>) {
    if let Some(of) = of {
        field(out, "stack", |out| stack(out, of));
    }
}

/// Appends the names of what a verdict has changed.
fn changes(out: &mut Vec<u8>, changes: Changes) {
    let Changes { result, memory, delayed } = changes;
    let names = [("result", result), ("memory", memory), ("delayed", delayed)];
    let names = names.into_iter().filter(|(_, changed)| *changed);
    array(out, names, |out, (name, _)| text(out, name.as_bytes(), false));
}

fn outcome(out: &mut Vec<u8>, result: &record::Result<'_>) {
    number(out, "raw", result.raw);
    if result.failed {
        let error = u32::try_from(result.raw.unsigned_abs()).ok().and_then(errno::name);
        if let Some(name) = error {
            field(out, "error", |out| text(out, name.as_bytes(), false));
        }
        return;
    }
    field(out, "value", |out| {
        let node = record::Node { value: result.value, ..record::Node::default() };
        value(out, &node, Nodes::default().from(0));
    });
    if !result.label.is_empty() {
        field(out, "label", |out| text(out, result.label.as_bytes(), false));
    }
    if !result.note.is_empty() {
        field(out, "note", |out| named(out, &result.note));
    }
}

/// Appends an object of nodes by name; a nameless one is called by its place.
fn named(out: &mut Vec<u8>, nodes: &Nodes<'_>) {
    object(out, |out| {
        for (place, (node, children)) in nodes.from(0).present().enumerate() {
            match node.name {
                "" => field(out, &format!("arg{place}"), |out| value(out, node, children)),
                name => field(out, name, |out| value(out, node, children)),
            }
        }
    });
}

#[cfg(test)]
mod tests;
