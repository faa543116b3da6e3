//! Call signs of AX.25 → text.

use super::flags::push;
use super::style::Constants;
use super::value::Look;

/// The station's number behind the name: four bits above the lowest.
const NUMBER: u8 = 0x1e;

impl Look<'_> {
    /// Appends a call sign: `N0CALL-1`. One that this does not tell apart from others is told by its
    /// bytes, with what can be read as a comment.
    pub(super) fn call_sign(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        let Some((number, name)) = bytes.split_last() else {
            return;
        };
        let name: Vec<u8> = name.iter().map(|byte| byte >> 1).collect();
        let name = name.trim_ascii_end();
        let is_exact = number & !NUMBER == 0
            && bytes.iter().all(|byte| byte & 1 == 0)
            && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let readable = |out: &mut Vec<u8>| match (name, number) {
            ([], 0) => out.push(b'*'),
            _ => {
                out.extend(name);
                push(out, format_args!("-{}", (number & NUMBER) >> 1));
            }
        };
        if is_exact && self.style.constants == Constants::Abbrev {
            return readable(out);
        }
        out.extend(b"{ax25_call=\"");
        bytes.iter().for_each(|byte| push(out, format_args!("\\x{byte:02x}")));
        out.extend(b"\"}");
        let is_printable = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'*';
        let is_told = !is_exact || self.style.constants != Constants::Raw;
        if is_told && name.iter().all(is_printable) {
            self.comment(out, readable);
        }
    }
}
