//! `PTRACE_SYSEMU`: a call that is answered costs one stop, not two, since the kernel makes it in no
//! case and does not stop behind it.
//!
//! For the same reason a call that is to be made after all costs one stop more: the thread stands behind
//! a call that was not made, and is sent back to make it. So calls are emulated behind one that was
//! answered, and only there: where a program's calls are answered now and then, it stops twice a call
//! as under `PTRACE_SYSCALL`.

use std::cell::Cell;
use std::rc::Rc;

/// Whether calls are emulated, as UML's `/proc/sysemu` says it: 0, they are not; 1, they are; 2, they
/// are, also where single steps are taken, which is the same here. It may change while guests run.
#[derive(Clone, Debug)]
pub struct Emulation(Rc<Cell<u8>>);

impl Emulation {
    /// Calls are emulated, or not, to begin with.
    pub fn new(is_on: bool) -> Emulation {
        Emulation(Rc::new(Cell::new(is_on.into())))
    }

    /// 0, 1 or 2.
    pub fn mode(&self) -> u8 {
        self.0.get()
    }

    /// The cell that has the mode, for who switches it.
    pub fn switch(&self) -> Rc<Cell<u8>> {
        Rc::clone(&self.0)
    }

    /// Whether calls are emulated.
    pub fn is_on(&self) -> bool {
        self.mode() != 0
    }
}

impl Default for Emulation {
    fn default() -> Emulation {
        Emulation::new(true)
    }
}
