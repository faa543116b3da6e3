//! Who is told what happens, and until when.

use contract::{Capture, Event, Tid};

use crate::error::Error;
use crate::observer::{ModuleFailure, Observer};

/// An observer, until it has seen enough.
pub struct Audience<'a> {
    observer: &'a mut dyn Observer,
    has_left: bool,
}

impl<'a> Audience<'a> {
    /// This observer.
    pub fn new(observer: &'a mut dyn Observer) -> Audience<'a> {
        Audience { observer, has_left: false }
    }

    /// From now on nothing that happens is told.
    pub fn leave(&mut self) {
        self.has_left = true;
    }
}

impl Observer for Audience<'_> {
    fn wants(&mut self, tid: Tid, call: &Capture) -> bool {
        !self.has_left && self.observer.wants(tid, call)
    }

    fn counts(&self, call: &Capture) -> bool {
        self.observer.counts(call)
    }

    fn wants_data(&self, call: &Capture) -> bool {
        !self.has_left && self.observer.wants_data(call)
    }

    fn event(&mut self, event: &Event<'_>) {
        if !self.has_left {
            self.observer.event(event);
        }
    }

    fn is_waiting(&mut self) -> bool {
        self.observer.is_waiting()
    }

    fn flush(&mut self) {
        self.observer.flush();
    }

    fn begins(&mut self, tid: Tid) {
        self.observer.begins(tid);
    }

    fn start_failed(&mut self, error: &Error) {
        self.observer.start_failed(error);
    }

    fn module_failed(&mut self, failure: &ModuleFailure<'_>) {
        self.observer.module_failed(failure);
    }
}
