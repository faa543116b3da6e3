//! Numbers and addresses of devices.

use std::io::Write;

/// Major and minor of a device number as the kernel gives it to programs: the minor's low byte,
/// the major, then the rest of the minor; the rest of the major in the upper half.
pub(crate) fn major_minor(device: u64) -> (u64, u64) {
    let major = device >> 8 & 0xfff | device >> 32 & 0xffff_f000;
    let minor = device & 0xff | device >> 12 & 0xffff_ff00;
    (major, minor)
}

/// Appends the address of a network's hardware: `02:42:ac:11:00:02`.
pub(crate) fn hardware_address(out: &mut Vec<u8>, bytes: &[u8]) {
    for (place, byte) in bytes.iter().enumerate() {
        let colon = if place > 0 { ":" } else { "" };
        // Writing to a vector does not fail.
        let _ = write!(out, "{colon}{byte:02x}");
    }
}

/// Appends a universally unique identifier: five groups of digits.
pub(crate) fn uuid(out: &mut Vec<u8>, bytes: &[u8; 16]) {
    for (place, byte) in bytes.iter().enumerate() {
        let dash = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
        // Writing to a vector does not fail.
        let _ = write!(out, "{dash}{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_both_halves() {
        assert_eq!(major_minor(0x103), (1, 3));
        assert_eq!(major_minor(0x10_052c), (5, 0x12c));
        assert_eq!(major_minor(0x1234_5fff_ffff_ffff), (0x1234_5fff, 0xffff_ffff));
    }
}
