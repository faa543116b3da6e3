//! Runs guests: the event loop, the tracee table and the mechanisms.
#![forbid(unsafe_code)]
