//! Stacks → JSON.

use record::{Code, Frame, Function, SourceLine, Stack};

use super::syntax::{address, array, field, number, object, string, text};

/// Appends an array of frames, the innermost first.
pub(super) fn stack(out: &mut Vec<u8>, stack: &Stack) {
    array(out, &stack.frames, |out, Frame { ip, code }| {
        object(out, |out| {
            field(out, "ip", |out| address(out, *ip));
            if let Some(code) = code {
                place(out, code);
            }
        });
    });
}

fn place(out: &mut Vec<u8>, code: &Code) {
    field(out, "file", |out| text(out, &code.file, false));
    number(out, "offset", code.offset);
    if let Some(Function { name, offset }) = &code.function {
        field(out, "function", |out| string(out, name));
        number(out, "function_offset", offset);
    }
    if let Some(SourceLine { file, line }) = &code.source {
        field(out, "source", |out| string(out, file));
        number(out, "line", line);
    }
}
