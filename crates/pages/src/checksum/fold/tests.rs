use super::*;
use proptest::prelude::*;

/// Every kernel that this processor has.
fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.iter().copied().filter(|kernel| {
        let available = kernel.is_available();
        if !available {
            eprintln!("SKIPPED: folds by {kernel:?}, which this processor does not have");
        }
        available
    })
}

/// `ut_fold_ulint_pair` as upstream writes it, in its 64-bit machine words.
fn upstream(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0_u64, |n1, &byte| {
        let n2 = u64::from(byte);
        (((n1 ^ n2 ^ 1_653_893_711) << 8).wrapping_add(n1) ^ 1_463_735_687).wrapping_add(n2)
    }) as u32
}

proptest! {
    #[test]
    fn the_fold_is_the_one_of_upstream(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(fold(&bytes), upstream(&bytes));
    }

    #[test]
    fn each_page_of_many_sums_up_as_if_it_were_alone(
        bytes in proptest::collection::vec(any::<u8>(), 0..20_000),
        page_bytes in 1..1200_usize,
        shift in 0..7_usize,
    ) {
        let bytes = &bytes[shift.min(bytes.len())..];
        // The last page may be shorter.
        let pages: Vec<&[u8]> = bytes.chunks(page_bytes).collect();
        let alone = pages.iter().map(|page| crate::checksum::innodb_new(page));
        let expected: Vec<u32> = alone.collect();
        for kernel in kernels() {
            let mut sums = vec![0; pages.len()];
            all(kernel, &pages, &mut sums);
            prop_assert_eq!(&sums, &expected, "{:?}", kernel);
        }
    }
}

#[test]
fn pages_of_real_size_sum_up_side_by_side() {
    for page_bytes in [4096, 8192, 16384, 32768, 65536] {
        let bytes: Vec<u8> = (0..page_bytes as u32 * 19)
            .map(|index| (index.wrapping_mul(0x9E37_79B9) >> 24) as u8)
            .collect();
        let pages: Vec<&[u8]> = bytes.chunks(page_bytes).collect();
        let expected: Vec<u32> =
            pages.iter().map(|page| crate::checksum::innodb_new(page)).collect();
        for kernel in kernels() {
            let mut sums = vec![0; pages.len()];
            all(kernel, &pages, &mut sums);
            assert_eq!(sums, expected, "{kernel:?}, {page_bytes}");
        }
    }
}
