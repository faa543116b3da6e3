//! Stacks, a line a frame.

use record::{Code, Frame, Function, SourceLine, Stack};

use super::flags::push;

/// Appends the lines of a stack.
pub(super) fn stack(out: &mut Vec<u8>, stack: &Stack) {
    for Frame { ip, code } in &stack.frames {
        match code {
            Some(code) => place(out, code),
            // What strace says of code that is of no file.
            None => push(out, format_args!(" > unexpected_backtracing_error [{:#x}]\n", ip.0)),
        }
    }
    if stack.cut {
        out.extend(b" > too many stack frames\n");
    }
}

/// ` > /usr/lib/libc.so.6(write+0x14) [0xf7884] at write.c:26`
fn place(out: &mut Vec<u8>, code: &Code) {
    out.extend(b" > ");
    out.extend(&*code.file);
    out.push(b'(');
    if let Some(Function { name, offset }) = &code.function {
        push(out, format_args!("{name}+{offset:#x}"));
    }
    push(out, format_args!(") [{:#x}]", code.offset));
    if let Some(SourceLine { file, line }) = &code.source {
        push(out, format_args!(" at {file}:{line}"));
    }
    out.push(b'\n');
}
