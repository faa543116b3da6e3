//! Decodes captures into records: trees of values without text.
#![forbid(unsafe_code)]
