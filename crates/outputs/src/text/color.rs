//! Colours: few, and each with a meaning.

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A call's name.
    Call,
    /// A string or path.
    Text,
    /// Names of constants and flags.
    Constant,
    /// An error.
    Error,
    /// A signal or the end of a thread.
    Happening,
    /// What stands around: ids, times, comments.
    Aside,
}

impl Role {
    fn code(self) -> &'static [u8] {
        match self {
            Role::Call => b"\x1b[1m",
            Role::Text => b"\x1b[32m",
            Role::Constant => b"\x1b[36m",
            Role::Error => b"\x1b[31m",
            Role::Happening => b"\x1b[35m",
            Role::Aside => b"\x1b[2m",
        }
    }
}

const RESET: &[u8] = b"\x1b[0m";

/// Appends what `write` appends, in the colour of its role if `on`.
pub(super) fn paint(out: &mut Vec<u8>, on: bool, role: Role, write: impl FnOnce(&mut Vec<u8>)) {
    if !on {
        return write(out);
    }
    out.extend(role.code());
    write(out);
    out.extend(RESET);
}

/// How many columns a piece of text takes: a byte each, without the codes of colours.
pub(super) fn width(text: &[u8]) -> usize {
    let mut columns = 0;
    let mut rest = text;
    while let Some(escape) = rest.iter().position(|byte| *byte == 0x1b) {
        columns += escape;
        let end = rest[escape..].iter().position(|byte| *byte == b'm');
        rest = &rest[end.map_or(rest.len(), |end| escape + end + 1)..];
    }
    columns + rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_columns() {
        let mut out = b"[".to_vec();
        paint(&mut out, true, Role::Error, |out| out.extend(b"ENOENT"));
        out.push(b']');
        assert_eq!(width(&out), "[ENOENT]".len());
        assert!(out.len() > "[ENOENT]".len());
        paint(&mut out, false, Role::Text, |out| out.extend(b"!"));
        assert!(out.ends_with(b"]!"));
    }
}
