//! The words shared by policy and mechanism.
#![forbid(unsafe_code)]
