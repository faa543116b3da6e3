//! What an observer keeps in its buffer is asked for while the guests sleep.
#![forbid(unsafe_code)]

use std::io::{PipeWriter, Write, pipe};
use std::os::fd::AsFd;

use contract::{Event, What};
use engine::{GuestEnd, Mechanism, Observer, Options, Session};
use kernel::probe;
use kernel::spawn::{Program, Role};

/// Has something in its buffer once the guest begins to read; when that is flushed, the guest gets
/// something to read.
struct Gate {
    is_waiting: bool,
    input: PipeWriter,
}

impl Observer for Gate {
    fn event(&mut self, event: &Event<'_>) {
        let What::Enter(call) = event.what else { return };
        let is_read = call.arch.call(call.number).is_some_and(|call| call.name == "read");
        self.is_waiting |= is_read && call.args[0] == 0;
    }

    fn is_waiting(&mut self) -> bool {
        self.is_waiting
    }

    fn flush(&mut self) {
        self.is_waiting = false;
        self.input.write_all(b"x\n").expect("the guest reads it");
    }
}

#[test]
fn what_was_told_of_a_guest_that_sleeps_is_flushed() {
    let mechanisms: &[Mechanism] = match probe::filter_trace() {
        Ok(()) => &[Mechanism::Ptrace, Mechanism::Seccomp, Mechanism::Agent],
        Err(_) => &[Mechanism::Ptrace],
    };
    for &mechanism in mechanisms {
        let (reader, input) = pipe().unwrap();
        let output = || std::io::stderr().as_fd().try_clone_to_owned().unwrap();
        let args = ["sh", "-c", "read line && exit 7"].map(|arg| arg.as_bytes().to_vec());
        let program = Program::new(b"/bin/sh".to_vec(), args.to_vec(), Vec::new()).unwrap();
        let program = program.streams([reader.into(), output(), output()]);
        let mut session = Session::new(Options { mechanism, ..Options::default() }, Vec::new());
        session.launch(program, Role::Child).unwrap();
        let end = session.run(&mut Gate { is_waiting: false, input }).unwrap();
        assert_eq!(end.guest, Some(GuestEnd::Exited(7)), "{mechanism:?}");
    }
}
