//! From what the engine tells to what the outputs show: filter and decode.

use std::error::Error as _;
use std::io;

use contract::{Capture, Event, Pid, Tid, What};
use engine::{ModuleFailure, Observer};
use outputs::{Output, StatusFilter};
use record::dump::{self, Direction};
use record::{Decoder, Record};

use super::lost_rights::LostRights;
use super::messages::Messages;
use super::selection::Selection;
use super::{show, signals};
use crate::cli::TraceOptions;
use crate::cli::{FdSet, SignalSet};
use crate::errors::{self, say};

/// The way of an event to the outputs.
pub(super) struct Pipeline {
    decoder: Decoder,
    selection: Selection,
    dump_read: Option<FdSet>,
    dump_written: Option<FdSet>,
    signals: SignalSet,
    /// Nobody needs to be told that this process is traced: it was started for that.
    launched: Option<Pid>,
    /// What the command was called by.
    name: String,
    messages: Messages,
    lost_rights: Option<LostRights>,
    outputs: Vec<Box<dyn Output>>,
    wants_entries: bool,
    /// Which calls are shown, by their end.
    status: StatusFilter,
    /// It has been said why the program could not be started.
    pub(super) told_failure: bool,
    /// The trace ends where nobody reads it any more.
    ends_with_reader: bool,
    /// The first error of an output.
    error: Option<io::Error>,
}

impl Pipeline {
    /// Decodes for these outputs what the options let pass.
    pub(super) fn new(
        options: &TraceOptions,
        selection: Selection,
        outputs: Vec<Box<dyn Output>>,
        launched: Option<Pid>,
        lost_rights: Option<LostRights>,
        name: &str,
    ) -> Pipeline {
        Pipeline {
            decoder: Decoder { raw: options.values.raw, verbose: options.values.verbose },
            wants_entries: outputs.iter().any(|output| output.wants_entries()),
            selection,
            dump_read: options.values.dump_read.clone(),
            dump_written: options.values.dump_written.clone(),
            signals: options.filter.signals,
            launched,
            name: name.to_owned(),
            messages: Messages::new(options, name),
            lost_rights,
            outputs,
            status: show::status_filter(options.filter.status),
            told_failure: false,
            ends_with_reader: signals::ends_with_reader(options),
            error: None,
        }
    }

    /// Writes what is left. Fails with the first error that any output met.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let ends = self.ends_with_reader;
        for output in &mut self.outputs {
            let error = output.finish().err().filter(|error| !(ends && is_unread(error)));
            self.error = self.error.take().or(error);
        }
        self.error.map_or(Ok(()), Err)
    }

    fn show(&mut self, event: &Event<'_>, what: record::What<'_>) {
        let event = record::Event { tid: event.tid, time: event.time, what };
        for output in &mut self.outputs {
            match output.event(&event) {
                Err(error) if self.ends_with_reader && is_unread(&error) => signals::reader_gone(),
                result => self.error = self.error.take().or(result.err()),
            }
        }
    }

    /// The record of a call that has returned.
    fn returned<'a>(&self, call: &'a Capture) -> Record<'a> {
        let mut record = self.decoder.exit(call);
        if self.wants_data(call) {
            record.dump = dump::dump(call);
        }
        record
    }
}

/// Whether an output met the end of a pipe that nobody reads.
fn is_unread(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

impl Observer for Pipeline {
    fn wants(&mut self, tid: Tid, call: &Capture) -> bool {
        let wanted = self.selection.wants(call);
        if !wanted {
            self.outputs.iter_mut().for_each(|output| output.passed_over(tid, call.raw_number));
        }
        wanted
    }

    fn counts(&self, call: &Capture) -> bool {
        self.status.shows_outcome(call.outcome.map(|outcome| outcome.failed))
    }

    fn wants_data(&self, call: &Capture) -> bool {
        if self.dump_read.is_none() && self.dump_written.is_none() {
            return false;
        }
        dump::descriptor(call).is_some_and(|(direction, fd)| {
            let wanted = match direction {
                Direction::Read => &self.dump_read,
                Direction::Write => &self.dump_written,
            };
            wanted.as_ref().is_some_and(|wanted| wanted.contains(fd))
        })
    }

    fn is_waiting(&mut self) -> bool {
        self.outputs.iter_mut().any(|output| output.sink().is_waiting())
    }

    fn flush(&mut self) {
        for output in &mut self.outputs {
            let result = output.sink().flush();
            self.error = self.error.take().or(result.err());
        }
    }

    fn begins(&mut self, tid: Tid) {
        if let Some(lost_rights) = &mut self.lost_rights {
            lost_rights.look(tid);
        }
    }

    fn start_failed(&mut self, error: &engine::Error) {
        self.flush();
        let cause = error.source().and_then(|source| source.downcast_ref());
        match cause.map(errors::answer) {
            Some(answer) => say(format_args!("{}: {error}: {answer}", self.name)),
            None => say(format_args!("{}: {error}", self.name)),
        }
        self.told_failure = true;
    }

    fn module_failed(&mut self, failure: &ModuleFailure<'_>) {
        let ModuleFailure { tid, module, call, cause } = *failure;
        let named = call.arch.call(call.number).map_or("an unknown call", |call| call.name);
        say(format_args!("{}: {module}: process {tid} gets EIO from {named}: {cause}", self.name));
    }

    fn event(&mut self, event: &Event<'_>) {
        self.messages.tell(event, self.launched);
        let what = match event.what {
            What::Enter(call) => {
                if self.wants_entries {
                    let record = self.decoder.entry(call);
                    self.show(event, record::What::Enter(&record));
                }
                return;
            }
            What::Exit(call) => {
                let record = self.returned(call);
                return self.show(event, record::What::Exit(&record));
            }
            What::Call(call) => {
                let record = self.returned(call);
                return self.show(event, record::What::Call(&record));
            }
            What::Unfinished(call) => {
                let record = self.decoder.entry(call);
                return self.show(event, record::What::Unfinished(&record));
            }
            What::Signal { signal, origin } => {
                if self.signals.contains(signal as u32) {
                    let info =
                        origin.info.map(|info| self.decoder.signal(info)).unwrap_or_default();
                    let origin = record::Origin { info: &info, ip: origin.ip, stack: origin.stack };
                    self.show(event, record::What::Signal { signal, origin });
                }
                return;
            }
            What::Stopped { signal, .. } if !self.signals.contains(signal as u32) => return,
            What::Attached { parent, process } => {
                // The parent of the program that was started is ourselves, no guest.
                let parent = parent.filter(|_| self.launched != Some(event.tid));
                record::What::Attached { parent, process }
            }
            What::Executed => record::What::Executed,
            What::RunsIn { arch, ip } => record::What::RunsIn { arch, ip },
            What::Stopped { signal, ip } => record::What::Stopped { signal, ip },
            What::Exited { status } => record::What::Exited { status },
            What::Killed { signal, core_dumped } => record::What::Killed { signal, core_dumped },
            What::Superseded { by } => record::What::Superseded { by },
            What::Detached => record::What::Detached,
        };
        self.show(event, what);
    }
}
