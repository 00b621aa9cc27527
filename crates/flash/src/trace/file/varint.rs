//! Numbers in as few bytes as they need: seven bits a byte, the lowest first, the highest bit set
//! in all but the last (LEB128).

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front; none if it is cut off or too large.
pub(super) fn take(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Differences near zero become small numbers: 0, -1, 1, -2 are 0, 1, 2, 3.
pub(super) fn zigzag(difference: i64) -> u64 {
    (difference.wrapping_shl(1) ^ (difference >> 63)) as u64
}

/// The difference of which [`zigzag`] made a number.
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(value: u64, difference: i64) {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            prop_assert!(bytes.len() <= 10);
            let mut from = bytes.as_slice();
            prop_assert_eq!(take(&mut from), Some(value));
            prop_assert!(from.is_empty());
            prop_assert_eq!(unzigzag(zigzag(difference)), difference);
            prop_assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(take(&mut [0xff; 12].as_slice()), None);
        let mut too_large = [0xff; 10];
        too_large[9] = 2;
        assert_eq!(take(&mut too_large.as_slice()), None);
    }
}
