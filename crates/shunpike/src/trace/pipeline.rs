//! From what the engine tells to what the outputs show: filter and decode.

use std::io;

use contract::{Event, Pid, What};
use engine::{Interest, Observer};
use outputs::Output;
use record::{Decoder, Record};

use super::paths::Paths;
use crate::cli::TraceOptions;
use crate::cli::{FdSet, QuietSet, SignalSet, Target};

/// The way of an event to the outputs.
pub(super) struct Pipeline {
    decoder: Decoder,
    paths: Paths,
    fds: Option<FdSet>,
    signals: SignalSet,
    /// Nobody needs to be told that this process is traced: it was started for that.
    launched: Option<Pid>,
    /// The name under which to tell on stderr what the trace itself does not show there.
    messages_as: Option<String>,
    outputs: Vec<Box<dyn Output>>,
    wants_entries: bool,
    /// The first error of an output.
    error: Option<io::Error>,
}

impl Pipeline {
    /// Decodes for these outputs what the options let pass.
    pub(super) fn new(
        options: &TraceOptions,
        outputs: Vec<Box<dyn Output>>,
        launched: Option<Pid>,
        name: &str,
    ) -> Pipeline {
        let elsewhere = options.output.target != Target::Stderr;
        let quiet = options.filter.quiet.contains(QuietSet::ATTACH);
        let paths = Paths::new(&options.filter.paths);
        Pipeline {
            decoder: Decoder,
            wants_entries: outputs.iter().any(|output| output.wants_entries())
                || !options.filter.paths.is_empty()
                || options.filter.fds.is_some(),
            paths,
            fds: options.filter.fds.clone(),
            signals: options.filter.signals,
            launched,
            messages_as: (elsewhere && !quiet).then(|| name.to_owned()),
            outputs,
            error: None,
        }
    }

    /// Writes what is left. Fails with the first error that any output met.
    pub(super) fn finish(mut self) -> io::Result<()> {
        for output in &mut self.outputs {
            let result = output.finish();
            self.error = self.error.take().or(result.err());
        }
        self.error.map_or(Ok(()), Err)
    }

    fn show(&mut self, event: &Event<'_>, what: record::What<'_>) {
        let event = record::Event { tid: event.tid, time: event.time, what };
        for output in &mut self.outputs {
            let result = output.event(&event);
            self.error = self.error.take().or(result.err());
        }
    }

    /// Whether a call is to be shown, by the paths and descriptors among its arguments.
    fn selects(&self, record: &Record<'_>) -> bool {
        let by_fd = |fds: &FdSet| {
            record.args.all().any(|node| match node.value {
                record::Value::Fd(fd, _) | record::Value::DirFd(fd, _) => {
                    u32::try_from(fd).is_ok_and(|fd| fds.contains(fd))
                }
                _ => false,
            })
        };
        self.paths.match_call(record) && self.fds.as_ref().is_none_or(by_fd)
    }

    fn entered(&mut self, event: &Event<'_>, call: &contract::Capture) -> Interest {
        if self.wants_entries {
            let record = self.decoder.entry(call);
            if !self.selects(&record) {
                return Interest::None;
            }
            self.show(event, record::What::Enter(&record));
        }
        Interest::Exit
    }
}

impl Observer for Pipeline {
    fn event(&mut self, event: &Event<'_>) -> Interest {
        let what = match event.what {
            What::Enter(call) => return self.entered(event, call),
            What::Exit(call) => {
                let record = self.decoder.exit(call);
                self.show(event, record::What::Exit(&record));
                return Interest::None;
            }
            What::Unfinished(call) => {
                let record = self.decoder.entry(call);
                self.show(event, record::What::Unfinished(&record));
                return Interest::None;
            }
            What::Signal { signal, info } => {
                if self.signals.contains(signal as u32) {
                    let info = info.map(|info| self.decoder.signal(info)).unwrap_or_default();
                    self.show(event, record::What::Signal { signal, info: &info });
                }
                return Interest::None;
            }
            What::Stopped { signal } if !self.signals.contains(signal as u32) => {
                return Interest::None;
            }
            What::Attached { parent, process } => {
                // The parent of the program that was started is ourselves, no guest.
                let parent = parent.filter(|_| self.launched != Some(event.tid));
                record::What::Attached { parent, process }
            }
            What::Stopped { signal } => record::What::Stopped { signal },
            What::Exited { status } => record::What::Exited { status },
            What::Killed { signal, core_dumped } => record::What::Killed { signal, core_dumped },
            What::Superseded { by } => record::What::Superseded { by },
            What::Detached => {
                if let Some(name) = &self.messages_as {
                    eprintln!("{name}: Process {} detached", event.tid);
                }
                record::What::Detached
            }
        };
        self.show(event, what);
        Interest::None
    }
}
