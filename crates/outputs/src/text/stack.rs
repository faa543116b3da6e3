//! Stacks, a line a frame.

use record::{Code, Frame, Function, SourceLine, Stack};

use super::flags::push;

/// Appends the lines of a stack.
pub(super) fn stack(out: &mut Vec<u8>, stack: &Stack) {
    for Frame { ip, code } in &stack.frames {
        match code {
            Some(code) => place(out, code, stack.before),
            // What strace says of code that is of no file.
            None => push(out, format_args!(" > unexpected_backtracing_error [{:#x}]\n", ip.0)),
        }
    }
    if stack.cut {
        out.extend(b" > too many stack frames\n");
    }
}

/// ` > /usr/lib/libc.so.6(write+0x14) [0xf7884] at write.c:26`
fn place(out: &mut Vec<u8>, code: &Code, before: bool) {
    out.extend(b" > ");
    out.extend(&*code.file);
    out.push(b'(');
    match &code.function {
        Some(Function { name, offset }) => push(out, format_args!("{name}+{offset:#x}")),
        // strace, too, tells by this that it has kept the stack from before the call.
        None if before => out.extend(b"+0x0"),
        None => {}
    }
    push(out, format_args!(") [{:#x}]", code.offset));
    if let Some(SourceLine { file, line }) = &code.source {
        push(out, format_args!(" at {file}:{line}"));
    }
    out.push(b'\n');
}
