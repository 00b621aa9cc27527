//! `.bdblwr` files: the numbers of pages that were being written, without their content (MySQL
//! since 8.0.30, `innodb_doublewrite=DETECT_ONLY`).

use crate::{Damage, Verdict, checksum, redo::number_at};

/// Before the entries: batch u32, sum u32, length of the entries u16, type u8; the rest is unused.
const HEADER_BYTES: usize = 20;

/// Looks at a segment, of the size of a page.
pub fn look(segment: &[u8]) -> Verdict {
    if segment.iter().all(|&byte| byte == 0) {
        return Verdict::Empty;
    }
    let stored = number_at::<4>(segment, 4) as u32;
    let length = number_at::<2>(segment, 8) as usize;
    match segment.get(HEADER_BYTES..HEADER_BYTES + length) {
        Some(entries) if checksum::crc32c(entries) == stored => Verdict::Doublewrite,
        Some(entries) => Verdict::Bad {
            damage: Damage::Checksum { stored, calculated: checksum::crc32c(entries) },
        },
        None => Verdict::Bad { damage: Damage::Header },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_entries_of_a_batch_are_under_its_sum() {
        let mut segment = vec![0; 4096];
        assert_eq!(look(&segment), Verdict::Empty);
        segment[8..10].copy_from_slice(&24_u16.to_be_bytes());
        segment[20..44].fill(7);
        let sum = checksum::crc32c(&segment[20..44]);
        segment[4..8].copy_from_slice(&sum.to_be_bytes());
        assert_eq!(look(&segment), Verdict::Doublewrite);
        segment[30] ^= 1;
        assert!(look(&segment).is_bad());
        segment[8] = 255;
        assert_eq!(look(&segment), Verdict::Bad { damage: Damage::Header });
    }
}
