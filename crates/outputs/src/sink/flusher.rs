//! The thread that writes what has waited long enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

use super::{Sink, State, Target, lock};

/// Flushes a sink's buffers. Its thread sleeps while there is nothing to flush; while there is, it
/// wakes once in [`Sink::LONGEST_WAIT`].
#[derive(Default)]
pub(super) struct Flusher {
    thread: Option<FlusherThread>,
}

/// Its thread, which ends when both channels are closed.
struct FlusherThread {
    wake: SyncSender<()>,
    /// It has been woken, and has not begun to flush.
    due: Arc<AtomicBool>,
    /// Never sent to: its end cuts the thread's waiting short.
    _stop: Sender<()>,
}

impl Flusher {
    /// Has the buffers flushed before long. To be called when bytes begin to wait.
    pub fn wake(&mut self, shared: &Arc<Mutex<State>>) {
        if self.thread.is_none() {
            self.thread = start(Arc::clone(shared));
        }
        match &self.thread {
            Some(thread) if thread.due.swap(true, Ordering::Relaxed) => {}
            // The channel has room for it, unless the thread has ended.
            Some(thread) => drop(thread.wake.try_send(())),
            None => lock(shared).attempt(Target::flush),
        }
    }

    /// Ends the thread, before long: the caller, who flushes what waits, does not wait for it.
    pub fn stop(&mut self) {
        self.thread = None;
    }
}

/// `None` where no thread can be had: then nothing is left waiting.
fn start(shared: Arc<Mutex<State>>) -> Option<FlusherThread> {
    let (wake, woken) = mpsc::sync_channel(1);
    let (stop, stopped) = mpsc::channel();
    let due = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&due);
    let flush = move || run(&shared, &begins, &woken, &stopped);
    thread::Builder::new().name("flusher".into()).spawn(flush).ok()?;
    Some(FlusherThread { wake, due, _stop: stop })
}

fn run(shared: &Mutex<State>, due: &AtomicBool, woken: &Receiver<()>, stopped: &Receiver<()>) {
    while woken.recv().is_ok() {
        if stopped.recv_timeout(Sink::LONGEST_WAIT) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        // Under the lock all bytes that wait were written before this, or will wake it again.
        let mut state = lock(shared);
        due.store(false, Ordering::Relaxed);
        state.attempt(Target::flush);
    }
}
