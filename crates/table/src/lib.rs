//! What Linux system calls mean: constant data, one description for every use.
//!
//! Each call is described once, by a [`Call`]: its name, its classes, the [`Kind`] of each
//! argument and of the result. The capture plan, the decoder, the filters and the documentation
//! all read this description; none of them knows a call by name.
//!
//! * [`calls`] holds the entries, one file a family (`file`, `process`, `memory`, …);
//! * [`flags`] and [`structs`] hold flag names and struct layouts, generated from the kernel's
//!   UAPI headers by `cargo xtask gen`;
//! * [`netlink`] says what messages of `netlink(7)` hold;
//! * [`arch`] maps a call number to its entry;
//! * [`request`] names `ioctl(2)`'s requests;
//! * [`errno`] and [`signal`] name errors and signals.
#![no_std]
#![forbid(unsafe_code)]

pub mod arch;
mod call;
pub mod calls;
mod classes;
mod device_mapper;
pub mod errno;
mod flag_set;
pub mod flags;
mod hardware;
mod kind;
mod layout;
mod mentions;
pub mod netlink;
pub mod parts;
pub mod request;
pub mod signal;
mod special;
pub mod structs;
mod target;
mod width;

pub use call::{
    Arg, Call, Depth, Id, Note, Ret, arg, arg_in, call, named_arg, resumed_arg, returned_arg,
    stack_arg,
};
pub use classes::Classes;
pub use device_mapper::{Given, MapperRequest, Payload};
pub use flag_set::{Base, FlagSet, Named, NumberBits, Numerals, Part, Parts, named, part};
pub use kind::{Fraction, Kind, Retold, Source, case, sorted};
pub use layout::{Field, Layout, field, verbose_field};
pub use mentions::{Mention, PlainDescriptors};
pub use special::Special;
pub use target::{Dir, Fit, Len, Short, Target};
pub use width::{DataModel, Width};
