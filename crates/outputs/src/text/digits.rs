//! Integers → digits. Most of a trace is numbers: this is several times faster than `core::fmt`.

/// As many as the longest number takes: 64 bits in octal.
const MOST_DIGITS: usize = 22;

/// Appends a number in decimal.
pub(super) fn decimal(out: &mut Vec<u8>, number: u64) {
    push_digits::<10>(out, number);
}

/// Appends a number in decimal, behind a `-` if it is negative.
pub(super) fn signed(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    decimal(out, number.unsigned_abs());
}

/// Appends a number in decimal and spaces, `width` columns at least.
pub(super) fn left(out: &mut Vec<u8>, number: i64, width: usize) {
    let end = out.len() + width;
    signed(out, number);
    out.resize(out.len().max(end), b' ');
}

/// Appends a number in hexadecimal, behind `0x`.
pub(super) fn hex(out: &mut Vec<u8>, number: u64) {
    out.extend(b"0x");
    push_digits::<16>(out, number);
}

/// Appends a number in octal, behind a `0`.
pub(super) fn octal(out: &mut Vec<u8>, number: u64) {
    out.push(b'0');
    push_digits::<8>(out, number);
}

fn push_digits<const BASE: u64>(out: &mut Vec<u8>, number: u64) {
    let mut text = [0; MOST_DIGITS];
    let mut start = MOST_DIGITS;
    let mut rest = number;
    loop {
        start -= 1;
        text[start] = b"0123456789abcdef"[(rest % BASE) as usize];
        rest /= BASE;
        if rest == 0 {
            break;
        }
    }
    out.extend(&text[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_the_standard_library_writes_them() {
        let shown = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            String::from_utf8(out).unwrap()
        };
        for number in [0, 1, 7, 8, 9, 10, 15, 16, 99, 100, 65_535, 1 << 63, u64::MAX] {
            let negative = number as i64;
            assert_eq!(shown(&|out| decimal(out, number)), format!("{number}"));
            assert_eq!(shown(&|out| signed(out, negative)), format!("{negative}"));
            assert_eq!(shown(&|out| left(out, negative, 5)), format!("{negative:<5}"));
            assert_eq!(shown(&|out| hex(out, number)), format!("{number:#x}"));
            assert_eq!(shown(&|out| octal(out, number)), format!("0{number:o}"));
        }
    }
}
