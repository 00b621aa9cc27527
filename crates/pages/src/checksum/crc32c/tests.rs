use super::*;
use proptest::prelude::*;

/// Every kernel that this processor has.
fn kernels() -> Vec<Kernel> {
    #[cfg(target_arch = "x86_64")]
    if folding::is_available() {
        return vec![Kernel::Folding, Kernel::Crate];
    }
    eprintln!("SKIPPED: CRC-32C by folding, since this processor has no AVX-512 with VPCLMULQDQ");
    vec![Kernel::Crate]
}

/// The definition, a bit at a time, from a state to a state.
fn by_bits(state: u32, bytes: impl IntoIterator<Item = u8>) -> u32 {
    bytes.into_iter().fold(state, |state, byte| {
        (0..8).fold(state ^ u32::from(byte), |state, _| {
            state >> 1 ^ if state & 1 == 1 { 0x82F6_3B78 } else { 0 }
        })
    })
}

#[test]
fn the_check_value_of_the_standard_comes_out() {
    for kernel in kernels() {
        assert_eq!(kernel.sum(b"123456789"), 0xE306_9283, "{kernel:?}");
        assert_eq!(kernel.sum(b""), 0, "{kernel:?}");
    }
}

#[test]
fn the_vectors_of_rfc_3720_come_out() {
    let rising: [u8; 32] = std::array::from_fn(|index| index as u8);
    for kernel in kernels() {
        assert_eq!(kernel.sum(&[0; 32]), 0x8A91_36AA, "{kernel:?}");
        assert_eq!(kernel.sum(&[0xFF; 32]), 0x62A8_AB43, "{kernel:?}");
        assert_eq!(kernel.sum(&rising), 0x46DD_794E, "{kernel:?}");
    }
}

#[test]
fn every_length_and_alignment_sums_up_by_the_definition() {
    let bytes: Vec<u8> = (0..1400_u32).map(|index| ((index * index) >> 3) as u8).collect();
    for start in 0..64 {
        let mut state = !0;
        for end in start..=bytes.len() {
            for kernel in kernels() {
                let sum = kernel.sum(&bytes[start..end]);
                assert_eq!(sum, !state, "{kernel:?}, {start}..{end}");
            }
            state = by_bits(state, bytes.get(end).copied());
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_sum_up_by_the_definition(
        bytes in proptest::collection::vec(any::<u8>(), 0..20_000),
        start in 0..64_usize,
    ) {
        let bytes = &bytes[start.min(bytes.len())..];
        let expected = !by_bits(!0, bytes.iter().copied());
        for kernel in kernels() {
            prop_assert_eq!(kernel.sum(bytes), expected, "{:?}", kernel);
        }
    }

    #[test]
    fn the_big_endian_form_feeds_aligned_words_back_to_front(
        page in proptest::collection::vec(any::<u8>(), 0..300),
        start in 0..50_usize,
        length in 0..300_usize,
    ) {
        let end = (start + length).min(page.len());
        let start = start.min(end);
        // What stands at a place of the page when it is fed: its mirror image in its word, if the
        // whole word is in the range.
        let fed = (start..end).map(|place| {
            let word = place / 8 * 8;
            let whole = start <= word && word + 8 <= end;
            page[if whole { word + 7 - place % 8 } else { place }]
        });
        prop_assert_eq!(big_endian(&page, start..end), !by_bits(!0, fed));
    }
}
