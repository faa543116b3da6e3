//! Data in hexadecimal, sixteen bytes a line.

use record::GuestAddr;
use record::dump::Part;

use super::flags::push;

/// Bytes of a line, and of its left half.
const LINE: usize = 16;
const HALF: usize = LINE / 2;
/// Data is shown in pieces of so many bytes: where one cannot be read whole, that is said in its
/// place.
const PIECE: usize = 1 << 16;

/// Appends the lines of what a call has read or written, of this thread.
pub(super) fn dump(out: &mut Vec<u8>, tid: i32, parts: &[Part<'_>]) {
    for part in parts {
        match *part {
            Part::Message { index, buffers } => {
                push(out, format_args!(" = {buffers} buffers in vector {index}\n"));
            }
            Part::Buffer { index, len } => {
                push(out, format_args!(" * {len} bytes in buffer {index}\n"));
            }
            Part::Data { addr, bytes, len } => data(out, tid, addr, bytes, len),
        }
    }
}

fn data(out: &mut Vec<u8>, tid: i32, addr: GuestAddr, bytes: &[u8], len: u64) {
    /// Offsets have so many digits at least.
    const DIGITS: usize = 5;
    let digits = (len.saturating_sub(1).checked_ilog2().unwrap_or(0) as usize / 4 + 1).max(DIGITS);
    let mut shown = 0;
    for piece in bytes.chunks(PIECE) {
        let is_whole = piece.len() == PIECE || shown as u64 + piece.len() as u64 == len;
        if !is_whole {
            break;
        }
        for (index, line) in piece.chunks(LINE).enumerate() {
            push(out, format_args!(" | {:0digits$x} ", shown + index * LINE));
            row(out, line);
        }
        shown += piece.len();
    }
    if shown > 0 && (shown as u64) < len {
        let missing = (len - shown as u64).min(PIECE as u64);
        let from = addr.0.wrapping_add(shown as u64);
        push(out, format_args!(" | <Cannot fetch {missing} bytes from pid {tid} @{from:#x}>\n"));
    }
}

fn row(out: &mut Vec<u8>, line: &[u8]) {
    for at in 0..LINE {
        if at == HALF {
            out.push(b' ');
        }
        match line.get(at) {
            Some(byte) => push(out, format_args!(" {byte:02x}")),
            None => out.extend(b"   "),
        }
    }
    out.extend(b"  ");
    let shown = |byte: &u8| if matches!(byte, b' '..=b'~') { *byte } else { b'.' };
    out.extend(line.iter().map(shown));
    out.extend(std::iter::repeat_n(b' ', LINE - line.len()));
    out.extend(b" |\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8], len: u64) -> String {
        let mut out = Vec::new();
        dump(&mut out, 7, &[Part::Data { addr: GuestAddr(0x1000), bytes, len }]);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_as_strace_writes_them() {
        let bytes: Vec<u8> = (0..18).map(|n| n * 7 + 1).collect();
        let expected = " | 00000  01 08 0f 16 1d 24 2b 32  39 40 47 4e 55 5c 63 6a  .....$+29@GNU\\cj |\n \
                        | 00010  71 78                                             qx               |\n";
        assert_eq!(shown(&bytes, 18), expected);
        assert_eq!(shown(&[0; 1 << 20], 1 << 20).lines().count(), 1 << 16);
    }

    #[test]
    fn offsets_are_as_wide_as_the_last_one() {
        let bytes = vec![0; PIECE];
        assert!(shown(&bytes, 1 << 20).starts_with(" | 00000  00"));
        assert!(shown(&bytes, (1 << 20) + 1).starts_with(" | 000000  00"));
    }

    #[test]
    fn what_is_missing_is_said() {
        assert_eq!(shown(b"abc", 5), "");
        let text = shown(&[0; PIECE + 3], 2 * PIECE as u64);
        assert!(
            text.ends_with(" |\n | <Cannot fetch 65536 bytes from pid 7 @0x11000>\n"),
            "{text}"
        );
    }
}
