//! A session: the guests that one supervisor serves, from start or attachment to their end.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::Receiver;

use contract::{ByArgument, CallSet, Module, Pid, Reply, Stamp, Tid, What};
use kernel::ptrace::{self, Resume, Tracee as Ptraced, is_gone};
use kernel::spawn::{Failure, Launch, Program, Role};
use kernel::wait::{self, Change};
use kernel::{clock, proc};
use table::arch::x86_64;

use crate::audience::Audience;
use crate::capture::Capturer;
use crate::chain::{Chain, Narrowed};
use crate::delays::Delays;
use crate::descriptors::Descriptors;
use crate::flushing::Flushing;
use crate::mechanism::Mechanism;
use crate::mechanism::agent::{ABOUT_SHOWN, Agent};
use crate::netlink::NetlinkSockets;
use crate::observer::Observer;
use crate::options::{Options, ShownBeside};
use crate::placement::Placement;
use crate::plans::Plans;
use crate::queue::Queue;
use crate::shown::ShownDescriptors;
use crate::stacks::Stacks;
use crate::tasks::Early;
use crate::toll::Toll;
use crate::tracee::{Due, Tracee};
use crate::tracee_table::TraceeTable;
use crate::{Error, detach, enforce, stacks};

/// Guests and their supervisor: this thread, which must be the one that calls every method.
#[derive(Debug)]
pub struct Session {
    pub(crate) options: Options,
    pub(crate) tracees: TraceeTable,
    pub(crate) plans: Plans,
    pub(crate) capturer: Capturer,
    pub(crate) descriptors: Descriptors,
    pub(crate) stacks: Stacks,
    pub(crate) netlink: NetlinkSockets,
    pub(crate) shown: ShownDescriptors,
    pub(crate) queue: Queue,
    pub(crate) chain: Chain,
    /// Calls that are answered without a stop, where the mechanism can, and how.
    constants: Vec<(u64, Reply)>,
    pub(crate) delays: Delays,
    pub(crate) flushing: Flushing,
    /// How many more rounds do without a poll.
    pub(crate) polls_spared: u8,
    /// Room for what is served at a time.
    pub(crate) batch: Vec<Change>,
    pub(crate) toll: Toll,
    pub(crate) placement: Placement,
    /// Where guests record calls themselves.
    pub(crate) agent: Option<Agent>,
    pub(crate) end: End,
    /// Threads that were heard of before their makers told of them.
    pub(crate) early: HashMap<Tid, Early>,
    /// Processes whose first threads have ended, and how, since all collected changes were served.
    pub(crate) ended_processes: Vec<(Pid, What<'static>)>,
    /// How the calls of a thread are intercepted whose maker is not known yet.
    pub(crate) newborn: Mechanism,
    /// The calls that were told of from entry to exit.
    pub(crate) calls_ended: u64,
    /// All guests are being let go, and so are those that they still make.
    pub(crate) leaving: bool,
    launch: Option<Launch>,
    /// Where enforcement's module puts what the broker is to find, until that is there.
    wishes: Option<Receiver<enforce::Wish>>,
    /// Why the launched guest did not come to its program.
    start_failure: Option<Error>,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct End {
    /// The launched guest; `None` if there was none or it lives on.
    pub guest: Option<GuestEnd>,
    /// The signal that asked the supervisor to stop.
    pub interrupted: Option<i32>,
    /// What it cost.
    pub toll: Toll,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuestEnd {
    /// It exited with this status.
    Exited(i32),
    /// It was killed by this signal.
    Killed(i32),
}

impl GuestEnd {
    /// The end that this event tells of.
    pub(crate) fn of(what: &What<'_>) -> Option<GuestEnd> {
        match what {
            What::Exited { status } => Some(GuestEnd::Exited(*status)),
            What::Killed { signal, .. } => Some(GuestEnd::Killed(*signal)),
            _ => None,
        }
    }
}

impl Session {
    /// A session without guests. These modules decide about calls; the first is nearest to the guest.
    pub fn new(options: Options, mut modules: Vec<Box<dyn Module>>) -> Session {
        let naming = options.enforcement.as_ref().and_then(enforce::naming);
        let wishes = naming.map(|(naming, wishes)| {
            modules.push(Box::new(naming));
            wishes
        });
        let chain = Chain::new(modules);
        // What is told of has to stop.
        let constants: Vec<(u64, Reply)> =
            chain.constants().filter(|(number, _)| !options.calls.contains(*number)).collect();
        let placement = if !options.share_processor {
            Placement::free()
        } else if opens_stop(&options, &chain) {
            Placement::serial()
        } else {
            Placement::default()
        };
        let agent = options.mechanism.has_agent().then(|| {
            let left = chain.claims().union(placement.stopping());
            Agent::new(&options, &left, &constants, chain.redirection().as_ref())
        });
        Session {
            capturer: Capturer::new(options.limits, options.memory_method),
            descriptors: Descriptors::new(options.fds),
            stacks: Stacks::new(options.stacks, options.memory_method),
            netlink: NetlinkSockets::default(),
            shown: ShownDescriptors::new(options.shown_beside),
            newborn: options.mechanism.at_first(),
            tracees: TraceeTable::default(),
            plans: Plans::default(),
            queue: Queue::default(),
            chain,
            constants,
            delays: Delays::default(),
            flushing: Flushing::default(),
            polls_spared: 0,
            batch: Vec::new(),
            toll: Toll::default(),
            placement,
            end: End::default(),
            early: HashMap::new(),
            ended_processes: Vec::new(),
            calls_ended: 0,
            leaving: false,
            launch: None,
            wishes,
            start_failure: None,
            agent,
            options,
        }
    }

    /// Starts a guest. Its program begins when the session is [run](Session::run). For the role of
    /// `Caller` see [`Program::launch`]. Returns the guest's process id.
    pub fn launch(&mut self, program: Program, role: Role) -> Result<Pid, Error> {
        let (calls, narrowed) = self.filtered_calls();
        let program = match self.options.mechanism.filter(&calls, &narrowed, &self.constants)? {
            Some(filter) => program.filter(filter),
            None => program,
        };
        let program = match &self.options.enforcement {
            Some(enforcement) => program.guard(enforce::guard(enforcement)?),
            None => program,
        };
        let mut launch = program.launch(role).map_err(Error::Spawn)?;
        if let (Some(enforcement), Some(listener)) = (&self.options.enforcement, launch.listener())
        {
            let wishes = self.wishes.take();
            let filters = self.options.mechanism.filters();
            enforce::begin(enforcement.clone(), listener, wishes, filters).map_err(Error::Spawn)?;
        }
        let pid = Tid(launch.pid());
        self.seize(pid, Tracee::starting(pid, self.options.mechanism.at_first()))?;
        self.place_at_start(pid);
        self.look_for_netlink(pid);
        if let Some(agent) = &mut self.agent {
            agent.launched(pid);
        }
        launch.release().map_err(Error::Spawn)?;
        self.launch = Some(launch);
        Ok(pid)
    }

    /// A process has begun, or is attached to, that may have sockets of netlink: for who tells of calls.
    fn look_for_netlink(&mut self, process: Pid) {
        if !self.options.calls.is_none() {
            self.netlink.look_at(process);
        }
    }

    /// Attaches to a thread or, where threads are followed, to its whole process. Fails if that
    /// is not permitted or it does not exist; then nothing has happened to it. Returns the number
    /// of threads. Where the session's mechanism cannot detach, this guest too dies with it.
    pub fn attach(&mut self, tid: Tid) -> Result<usize, Error> {
        let known = self.tracees.len();
        let process = proc::status(tid.0).map_or(tid, |status| Tid(status.tgid));
        self.seize(tid, self.attached(process))?;
        self.look_for_netlink(process);
        // Threads that are made meanwhile are traced from birth if their maker was seized before.
        // So once a round finds no thread that is not seized, there is none.
        let mut found_new = self.options.follow;
        while found_new {
            found_new = false;
            for task in proc::tasks(tid.0).unwrap_or_default() {
                if self.tracees.contains(Tid(task)) {
                    continue;
                }
                // It may have ended, or been traced from birth and reported soon.
                if self.seize(Tid(task), self.attached(process)).is_ok() {
                    found_new = true;
                }
            }
        }
        Ok(self.tracees.len() - known)
    }

    /// A thread that runs already.
    fn attached(&self, process: Pid) -> Tracee {
        let agent_due = if self.dispatches() { Due::Runs(0) } else { Due::No };
        // What it makes of `%gs` is its own.
        Tracee { agent_due, unseen: false, ..Tracee::new(process, Mechanism::Ptrace) }
    }

    /// Seizes a thread and asks it to stop, which begins the tracing of its calls.
    fn seize(&mut self, tid: Tid, mut tracee: Tracee) -> Result<(), Error> {
        let attach = |source| Error::Attach { tid, source };
        wait::listen().map_err(Error::Wait)?;
        let running = Ptraced::seize(tid.0, self.ptrace_options()).map_err(attach)?;
        // What is started under a filter stops where that picks a call of its, at its exec at the latest,
        // and would go on from a stop before as it runs now.
        let stops_by_itself =
            tracee.starting && tracee.mechanism.outside_call() == Resume::Continue;
        if !stops_by_itself {
            match running.interrupt() {
                Err(error) if !is_gone(&error) => return Err(attach(error)),
                _ => {}
            }
        }
        self.log(format_args!("seize: {tid} of process {}", tracee.process));
        tracee.running = Some(running);
        self.tracees.insert(tid, tracee);
        Ok(())
    }

    fn ptrace_options(&self) -> ptrace::Options {
        ptrace::Options {
            // What a guest with an agent makes has the agent from it, followed or not.
            follow: self.options.follow || self.dispatches(),
            seccomp: matches!(self.options.mechanism, Mechanism::Seccomp | Mechanism::Agent),
            exit_kill: self.options.kill_on_exit || !self.options.mechanism.can_detach(),
        }
    }

    /// The calls that have to stop: those to tell of, those about which modules decide, and those that
    /// change what must be known. Others have to with certain first arguments.
    fn filtered_calls(&self) -> (CallSet, Narrowed) {
        let mut narrowed = self.chain.narrowed();
        let claims = self.chain.claims().intersection(narrowed.calls().complement());
        let mut calls = self.options.calls.union(claims).union(self.placement.stopping());
        if self.stacks.are_wanted() {
            stacks::MAPPING.iter().for_each(|id| calls.insert(id.number.into()));
        }
        if self.options.mechanism == Mechanism::Agent
            && self.options.shown_beside != ShownBeside::Nothing
        {
            let streams = self.options.shown_beside.streams();
            for id in ABOUT_SHOWN {
                let shown = ByArgument { index: 0, values: streams.to_vec() };
                narrowed.by_argument.push((id.number.into(), shown));
            }
        }
        (calls, narrowed)
    }

    /// The process that [`Session::launch`] started.
    pub(crate) fn launched(&self) -> Option<Pid> {
        self.launch.as_ref().map(|launch| Tid(launch.pid()))
    }

    /// Serves the guests until they have ended or were let go. Fails with [`Error::Start`] if the
    /// launched program could not be started.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<End, Error> {
        let mut audience = Audience::new(observer);
        self.announce_attached(&mut audience);
        let served = self.serve_all(&mut audience);
        self.tell_rest(&mut audience);
        served?;
        if let Some(failure) =
            self.start_failure.or_else(|| self.launch?.failure().map(not_started))
        {
            return Err(failure);
        }
        if let Some(agent) = &mut self.agent {
            agent.save();
        }
        self.placement.release();
        self.toll.bindings = self.placement.bindings();
        self.toll.kernel = kernel::toll::snapshot();
        self.end.toll = self.toll;
        Ok(self.end)
    }

    /// The launched guest has ended: tells why, if it never came to its program.
    pub(crate) fn tell_start_failure(&mut self, observer: &mut dyn Observer) {
        let failure = self.launch.as_mut().and_then(Launch::failure_at_end);
        self.start_failure = failure.map(not_started);
        if let Some(error) = &self.start_failure {
            observer.start_failed(error);
        }
    }

    fn serve_all(&mut self, observer: &mut Audience<'_>) -> Result<(), Error> {
        while !self.tracees.is_empty() {
            if self.queue.is_empty() {
                self.forget_unreported(observer);
            }
            self.end_delays(observer)?;
            self.flush_in_time(observer);
            match self.collect() {
                Ok(()) => {
                    self.watch_rings(observer);
                    if !self.queue.is_empty() {
                        self.wake();
                        self.serve_some(observer)?;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    self.placement.ticked();
                    self.watch_rings(observer)
                }
                // Every guest has ended, one of them unseen.
                Err(error) if wait::is_childless(&error) => break,
                Err(error) => return Err(Error::Wait(error)),
            }
            // Also where no guest stops.
            self.heed_limit();
            // Also when no wait was interrupted: busy guests leave nothing to wait for.
            if let Some(signal) = kernel::interrupts::taken() {
                detach::all(self, Some(signal));
                if detach::is_out_of_sight(self) {
                    self.take_leave(observer);
                }
            }
        }
        Ok(())
    }
}

/// Whether a filter stops every call by which guests open files, and they end with the session.
fn opens_stop(options: &Options, chain: &Chain) -> bool {
    let opening = [x86_64::OPEN, x86_64::OPENAT, x86_64::OPENAT2];
    matches!(options.mechanism, Mechanism::Seccomp | Mechanism::Agent)
        && options.follow
        && options.enforcement.is_none()
        && opening.iter().all(|call| chain.claims().contains(call.number.into()))
}

/// The moment of an event.
pub(crate) fn now() -> Stamp {
    Stamp(clock::monotonic())
}

fn not_started(failure: Failure) -> Error {
    Error::Start { step: failure.step, source: failure.error }
}
