//! Detects fresh memory, which has not been written yet.
//!
//! The system maps a page at its first touch and zeroes it through the caches. A streaming store must then evict the
//! zeros, so a copy into fresh memory is faster through the caches.

use std::ffi::c_uchar;

/// Upper limit of the page size, in bytes. Samples lie this far from the start, so that their pages belong to the
/// memory.
const MAX_PAGE_BYTES: usize = 64 << 10;
const SAMPLES: usize = 4;

/// Returns whether no sampled page of the `bytes` bytes from `base` on is mapped yet. False below 512 KiB, for memory
/// that does not exist, and if the system does not report the state.
pub fn is_untouched(base: *const u8, bytes: usize) -> bool {
    let distance = bytes / SAMPLES;
    distance >= 2 * MAX_PAGE_BYTES
        && (0..SAMPLES).all(|k| is_missing(base.wrapping_add(k * distance + distance / 2)))
}

/// Returns whether the page that contains `place` is not mapped yet.
fn is_missing(place: *const u8) -> bool {
    let mut residence: c_uchar = 1;
    let page = place.wrapping_sub(place.addr() % MAX_PAGE_BYTES).cast_mut();
    // SAFETY: the call queries one byte of memory, at any address, and writes one byte, `residence`.
    !cfg!(miri) && unsafe { libc::mincore(page.cast(), 1, &raw mut residence) } == 0 && residence & 1 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_untouched_until_it_is_written() {
        const BYTES: usize = 4 << 20;
        let (kind, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new mapping at an address that the system chooses.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, kind, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        let base = memory.cast::<u8>();
        assert!(is_untouched(base, BYTES));
        // SAFETY: the mapping has `BYTES` bytes and belongs to this test.
        unsafe { base.write_bytes(1, BYTES) };
        assert!(!is_untouched(base, BYTES));
        assert!(!is_untouched(std::ptr::null(), BYTES) && !is_untouched(base, MAX_PAGE_BYTES));
        // SAFETY: the mapping is not used after this call.
        assert_eq!(unsafe { libc::munmap(memory, BYTES) }, 0);
    }
}
