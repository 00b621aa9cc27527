//! Maps of gigabytes that are read at random: huge pages under them, and prefetching.
#![allow(unsafe_code)]

use super::GeometryError;

/// Below this a map gains nothing from huge pages.
const HUGE_FROM_BYTES: usize = 4 << 20;

/// Bytes of a huge page.
const HUGE_BYTES: usize = 2 << 20;

/// A map of equal values, in huge pages if the kernel has some to give.
///
/// # Errors
/// There is no memory for it.
pub(super) fn filled<T: Copy>(value: T, len: usize) -> Result<Vec<T>, GeometryError> {
    let bytes = len.saturating_mul(size_of::<T>());
    let mut map = Vec::new();
    map.try_reserve_exact(len).map_err(|_| GeometryError::NoMemory { bytes: bytes as u64 })?;
    if bytes >= HUGE_FROM_BYTES {
        let start = (map.as_mut_ptr() as usize).next_multiple_of(HUGE_BYTES);
        let end = (map.as_mut_ptr() as usize + bytes) / HUGE_BYTES * HUGE_BYTES;
        if start < end {
            // SAFETY: the range lies within memory that the vector owns, and the advice changes
            // none of its contents. That it may be refused does not matter.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
            }
        }
    }
    map.resize(len, value);
    Ok(map)
}

/// Asks for the cache line of an element that will be written soon; nothing if there is none.
#[inline(always)]
pub(super) fn prefetch<T>(map: &[T], index: usize) {
    if let Some(element) = map.get(index) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing and faults never; its address is that of an element.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = element;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_does_not_fit_is_refused() {
        let error = filled(0u64, usize::MAX / 16).unwrap_err();
        assert!(error.to_string().contains("make the pages larger"), "{error}");
        assert_eq!(filled(7u32, HUGE_FROM_BYTES).unwrap()[HUGE_FROM_BYTES - 1], 7);
    }
}
