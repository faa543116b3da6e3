//! What JSON is made of: objects, arrays, strings.

use std::fmt::Display;
use std::io::Write;

use record::GuestAddr;

/// Appends an object with the fields that `fields` appends.
pub(super) fn object(out: &mut Vec<u8>, fields: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'{');
    fields(out);
    out.push(b'}');
}

/// Appends a field. The name is one of ours or the kernel's: nothing in it needs an escape.
pub(super) fn field(out: &mut Vec<u8>, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
    if out.last().is_some_and(|byte| *byte != b'{') {
        out.push(b',');
    }
    push(out, format_args!("\"{name}\":"));
    value(out);
}

/// Appends a field that is a number, `true` or `false`.
pub(super) fn number(out: &mut Vec<u8>, name: &str, number: impl Display) {
    field(out, name, |out| push(out, format_args!("{number}")));
}

/// Appends an array.
pub(super) fn array<I: IntoIterator>(
    out: &mut Vec<u8>,
    items: I,
    mut item: impl FnMut(&mut Vec<u8>, I::Item),
) {
    out.push(b'[');
    for (place, each) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        item(out, each);
    }
    out.push(b']');
}

/// Appends bytes: as a string where it is exact, else as an object with the readable form and, if
/// that has replacements, the bytes in hexadecimal.
pub(super) fn text(out: &mut Vec<u8>, bytes: &[u8], cut: bool) {
    let readable = String::from_utf8_lossy(bytes);
    let exact = matches!(readable, std::borrow::Cow::Borrowed(_));
    if exact && !cut {
        return string(out, &readable);
    }
    object(out, |out| {
        field(out, "text", |out| string(out, &readable));
        if !exact {
            field(out, "hex", |out| hex(out, bytes));
        }
        if cut {
            field(out, "cut", |out| out.extend(b"true"));
        }
    });
}

/// Appends a string.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    // Writing to a vector does not fail.
    let _ = serde_json::to_writer(out, text);
}

/// Appends bytes in hexadecimal.
pub(super) fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    bytes.iter().for_each(|byte| push(out, format_args!("{byte:02x}")));
    out.push(b'"');
}

/// Appends an address: null, or an object that cannot be taken for what is found there.
pub(super) fn address(out: &mut Vec<u8>, addr: GuestAddr) {
    match addr {
        GuestAddr::NULL => out.extend(b"null"),
        GuestAddr(addr) => push(out, format_args!("{{\"address\":\"{addr:#x}\"}}")),
    }
}

/// Appends what is JSON already.
pub(super) fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector does not fail.
    let _ = out.write_fmt(text);
}
