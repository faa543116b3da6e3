//! Bytes in quotes, with the escapes of the C language.

use super::style::HexStrings;

/// Bytes in double quotes, as they look in a trace.
pub fn quoted(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    quote(&mut out, bytes, HexStrings::None);
    // Only ASCII is left.
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends bytes in double quotes.
pub(super) fn quote(out: &mut Vec<u8>, bytes: &[u8], hex: HexStrings) {
    out.push(b'"');
    escape(out, bytes, hex, b"");
    out.push(b'"');
}

/// Appends bytes with escapes; those in `also` are escaped too.
pub(super) fn escape(out: &mut Vec<u8>, bytes: &[u8], hex: HexStrings, also: &[u8]) {
    let all = match hex {
        HexStrings::All => true,
        HexStrings::NonAscii => bytes.iter().any(|byte| needs_number(*byte)),
        HexStrings::NonAsciiChars | HexStrings::None => false,
    };
    if all {
        return bytes.iter().for_each(|byte| push_hex(out, *byte));
    }
    let plain = |byte: &u8| is_plain(*byte) && !also.contains(byte);
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| plain(byte)).count();
        out.extend(&bytes[at..at + run]);
        at += run;
        let Some(&byte) = bytes.get(at) else { break };
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\t' => out.extend(b"\\t"),
            0x0b => out.extend(b"\\v"),
            0x0c => out.extend(b"\\f"),
            b'\r' => out.extend(b"\\r"),
            byte if hex == HexStrings::NonAsciiChars => push_hex(out, byte),
            byte => push_octal(out, byte, bytes.get(at + 1).copied()),
        }
        at += 1;
    }
}

/// Whether a byte stands for itself.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

/// Whether a byte has neither a look nor a letter of its own.
fn needs_number(byte: u8) -> bool {
    !(byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t'..=b'\r'))
}

fn push_hex(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let [high, low] = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
    out.extend([b'\\', b'x', high, low]);
}

/// As few digits as what follows allows: a digit behind would count as one of them.
fn push_octal(out: &mut Vec<u8>, byte: u8, next: Option<u8>) {
    let digits = [byte >> 6, byte >> 3 & 7, byte & 7];
    let needed = match (digits, next) {
        (_, Some(b'0'..=b'7')) => 3,
        ([0, 0, _], _) => 1,
        ([0, ..], _) => 2,
        _ => 3,
    };
    out.push(b'\\');
    out.extend(digits[3 - needed..].iter().map(|digit| b'0' + digit));
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &[u8] = b"abc\0def\x001\n\t\x0b\x0c\r\"\\\x01\x1b\x7f\x80\xff";

    fn quoted(bytes: &[u8], hex: HexStrings) -> String {
        let mut out = Vec::new();
        quote(&mut out, bytes, hex);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn octal_is_as_short_as_what_follows_allows() {
        let plain = |bytes| quoted(bytes, HexStrings::None);
        assert_eq!(plain(NASTY), r#""abc\0def\0001\n\t\v\f\r\"\\\1\33\177\200\377""#);
        assert_eq!(plain(b"\x001"), r#""\0001""#);
        assert_eq!(plain(b"\x008"), r#""\08""#);
        assert_eq!(plain(b"\0a"), r#""\0a""#);
        assert_eq!(plain(b"1\xff3\xffa\xff8f"), r#""1\3773\377a\3778f""#);
    }

    #[test]
    fn hexadecimal_where_asked_for() {
        let mixed = r#""abc\x00def\x001\n\t\v\f\r\"\\\x01\x1b\x7f\x80\xff""#;
        assert_eq!(quoted(NASTY, HexStrings::NonAsciiChars), mixed);
        let all = r#""\x61\x62\x00""#;
        assert_eq!(quoted(b"ab\0", HexStrings::NonAscii), all);
        assert_eq!(quoted(b"a\t\x0b\x0c\r\n\"\\", HexStrings::NonAscii), r#""a\t\v\f\r\n\"\\""#);
        assert_eq!(quoted(b"ab", HexStrings::All), r#""\x61\x62""#);
    }

    #[test]
    fn other_bytes_are_escaped_on_demand() {
        let mut out = Vec::new();
        escape(&mut out, b"a<b>c", HexStrings::None, b"<>");
        assert_eq!(out, br"a\74b\76c");
    }
}
