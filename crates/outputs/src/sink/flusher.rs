//! The thread that writes what has waited long enough.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::{Sink, State, Target, lock};

/// Flushes a sink's buffers. Its thread sleeps while there is nothing to flush; while there is, it
/// wakes once in [`Sink::LONGEST_WAIT`].
#[derive(Default)]
pub(super) struct Flusher {
    thread: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Flusher {
    /// Has the buffers flushed before long. To be called when bytes begin to wait.
    pub fn wake(&mut self, shared: &Arc<Mutex<State>>) {
        if self.thread.is_none() {
            self.thread = start(Arc::clone(shared));
        }
        match &self.thread {
            // A full channel: a wake-up is under way already.
            Some((wake, _)) => drop(wake.try_send(())),
            None => lock(shared).attempt(Target::flush),
        }
    }

    /// Ends the thread.
    pub fn stop(&mut self) {
        if let Some((wake, thread)) = self.thread.take() {
            drop(wake);
            // A panic in it has been printed; what waits is flushed by the caller.
            let _ = thread.join();
        }
    }
}

/// `None` where no thread can be had: then nothing is left waiting.
fn start(shared: Arc<Mutex<State>>) -> Option<(SyncSender<()>, JoinHandle<()>)> {
    let (wake, woken) = sync_channel(1);
    let thread =
        thread::Builder::new().name("flusher".into()).spawn(move || run(&shared, &woken)).ok()?;
    Some((wake, thread))
}

fn run(shared: &Mutex<State>, woken: &Receiver<()>) {
    while woken.recv().is_ok() {
        thread::sleep(Sink::LONGEST_WAIT);
        lock(shared).attempt(Target::flush);
    }
}
