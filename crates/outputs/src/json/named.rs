//! Numbers and the names that they have → JSON.

use std::fmt::Display;

use record::{FlagSet, Parts, signal as signals};

use super::syntax::{array, field, object, push, string};

/// Appends a signal's number and name.
pub(super) fn signal(out: &mut Vec<u8>, number: u32) {
    raw(out, number, signals::name(number));
}

/// The parts of a number, each with its names.
pub(super) fn parts_of(out: &mut Vec<u8>, value: u64, parts: &Parts) {
    array(out, parts.parts, |out, part| {
        let bits = (value & part.mask) >> part.shift.map_or(0, |(bits, _)| bits);
        object(out, |out| {
            push(out, format_args!("\"raw\":{bits}"));
            flags(out, bits, part.names);
        });
    });
}

/// The members of a bit set, each by its number and its name.
pub(super) fn bits(out: &mut Vec<u8>, bytes: &[u8], names: &FlagSet) {
    array(out, crate::bits::members(bytes), |out, bit| raw(out, bit, names.name(bit)));
}

/// A number and its name, if it has one.
pub(super) fn raw(out: &mut Vec<u8>, number: impl Display, name: Option<impl Display>) {
    object(out, |out| {
        push(out, format_args!("\"raw\":{number}"));
        if let Some(name) = name {
            push(out, format_args!(",\"name\":\"{name}\""));
        }
    });
}

/// Appends a set of signals.
pub(super) fn signal_set(out: &mut Vec<u8>, set: u64) {
    object(out, |out| {
        push(out, format_args!("\"raw\":{set}"));
        let members = (1..=signals::COUNT).filter(|number| set >> (number - 1) & 1 == 1);
        field(out, "signals", |out| {
            array(out, members.filter_map(signals::name), string);
        });
    });
}

/// The names of a value's parts, and the bits without a name if there are any.
pub(super) fn flags(out: &mut Vec<u8>, bits: u64, set: &FlagSet) {
    let mut rest = bits;
    let field_name = set.field.iter().find(|named| named.value == bits & set.field_mask);
    if field_name.is_some() {
        rest &= !set.field_mask;
    }
    let mut names: Vec<&str> = field_name.map(|named| named.name).into_iter().collect();
    for named in set.bits {
        let is_set = named.value != 0 && rest & named.value == named.value;
        if is_set || bits == 0 && named.value == 0 {
            names.push(named.name);
            rest &= !named.value;
        }
    }
    field(out, "flags", |out| array(out, names, string));
    if rest != 0 {
        push(out, format_args!(",\"unnamed\":{rest}"));
    }
}

/// Flags beside permissions, which are octal.
pub(super) fn flags_and_permissions(out: &mut Vec<u8>, bits: u32, set: &FlagSet) {
    const PERMISSIONS: u32 = 0o777;
    object(out, |out| {
        push(out, format_args!("\"raw\":{bits}"));
        flags(out, u64::from(bits & !PERMISSIONS), set);
        push(out, format_args!(",\"octal\":\"0{:o}\"", bits & PERMISSIONS));
    });
}

/// Flags beside the signal that tells of an end.
pub(super) fn clone_flags(out: &mut Vec<u8>, bits: u64, set: &FlagSet) {
    const SIGNAL: u64 = 0xff;
    object(out, |out| {
        push(out, format_args!("\"raw\":{bits}"));
        flags(out, bits & !SIGNAL, set);
        if bits & SIGNAL != 0 {
            field(out, "exit_signal", |out| signal(out, (bits & SIGNAL) as u32));
        }
    });
}

/// What `wait(2)` tells of an end.
pub(super) fn wait_status(out: &mut Vec<u8>, status: u32) {
    let low = status & 0x7f;
    object(out, |out| {
        push(out, format_args!("\"raw\":{status}"));
        if status == 0xffff {
            out.extend(b",\"continued\":true");
        } else if low == 0x7f {
            field(out, "stopped", |out| signal(out, status >> 8 & 0x7f));
        } else if low == 0 {
            push(out, format_args!(",\"exited\":{}", status >> 8 & 0xff));
        } else {
            field(out, "killed", |out| signal(out, low));
            push(out, format_args!(",\"core_dumped\":{}", status & 0x80 != 0));
        }
    });
}
