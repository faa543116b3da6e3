//! Shows records: one module a format.
#![forbid(unsafe_code)]
