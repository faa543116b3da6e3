//! Sets of bits in memory.

/// The members of a set, in order: bit 0 of the first byte is 0.
pub(crate) fn members(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let of_byte = |(place, byte): (usize, &u8)| {
        let (first, byte) = (place as u64 * 8, *byte);
        (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| first + bit)
    };
    bytes.iter().enumerate().flat_map(of_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_count_from_the_first_byte() {
        assert_eq!(members(&[0x05, 0, 0x80]).collect::<Vec<_>>(), [0, 2, 23]);
    }
}
