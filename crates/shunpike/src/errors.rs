//! Errors as users read them.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};

/// Says something on stderr, in a line of its own. Where that is full or closed nobody can be told,
/// and neither the guest nor our exit status is to suffer for it.
pub fn say(message: impl Display) {
    let _ = io::stderr().write_all(format!("{message}\n").as_bytes());
}

/// An error and its causes, from the outermost to the innermost.
pub fn causes(error: &anyhow::Error) -> String {
    let words = |cause: &(dyn Error + 'static)| match cause.downcast_ref::<io::Error>() {
        Some(error) => answer(error),
        None => cause.to_string(),
    };
    error.chain().map(words).collect::<Vec<_>>().join(": ")
}

/// What the kernel answered, in the words of `strerror(3)`.
pub fn answer(error: &io::Error) -> String {
    let message = error.raw_os_error().and_then(|errno| table::errno::message(errno as u32));
    message.map_or_else(|| error.to_string(), str::to_owned)
}
