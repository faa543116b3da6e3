//! What Linux system calls mean: constant data, one description for every use.
#![forbid(unsafe_code)]
