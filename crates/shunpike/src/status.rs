//! The exit status of the command.

use std::process::{ExitCode, Termination};

/// An exit status: [`ExitCode`], that can be told as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status(u8);

impl Status {
    /// All is well.
    pub const SUCCESS: Status = Status(0);
    /// The command could not do what it was asked for.
    pub const FAILURE: Status = Status(1);

    /// The number.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl From<u8> for Status {
    fn from(number: u8) -> Status {
        Status(number)
    }
}

impl Termination for Status {
    fn report(self) -> ExitCode {
        ExitCode::from(self.0)
    }
}
