//! Watch, change and rewind an unmodified Linux program at close to native speed.
#![forbid(unsafe_code)]
