//! HAS anybody written to memory yet? The system makes a page when it is first touched, and zeroes it through the caches. What is
//! written past the caches then has to drive out those zeros first: copying into new memory takes longer so, and less long
//! through the caches.

use std::ffi::c_uchar;

/// Pages are no larger: so much behind the start of memory there is a whole one.
const PAGE: usize = 64 << 10;
/// Pages that are looked at.
const SAMPLES: usize = 4;

/// Whether none of a few pages of the `bytes` bytes from `base` on is there yet. Memory that does not exist counts as touched, as does
/// any where the system says nothing.
pub fn is_untouched(base: *const u8, bytes: usize) -> bool {
    let apart = bytes / SAMPLES;
    apart >= 2 * PAGE && (0..SAMPLES).all(|k| is_missing(base.wrapping_add(k * apart + apart / 2)))
}

/// Whether the page with this address is not there yet.
fn is_missing(place: *const u8) -> bool {
    let mut there: c_uchar = 1;
    let page = place.wrapping_sub(place.addr() % PAGE).cast_mut();
    // SAFETY: the call asks for one byte of memory, about which it writes one byte, whatever the address is.
    !cfg!(miri) && unsafe { libc::mincore(page.cast(), 1, &raw mut there) } == 0 && there & 1 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_untouched_until_it_is_written() {
        const BYTES: usize = 4 << 20;
        let (kind, access) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new mapping, wherever the system likes.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, kind, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        let base = memory.cast::<u8>();
        assert!(is_untouched(base, BYTES));
        // SAFETY: the mapping has so many bytes, and is this test's own.
        unsafe { base.write_bytes(1, BYTES) };
        assert!(!is_untouched(base, BYTES));
        assert!(!is_untouched(std::ptr::null(), BYTES) && !is_untouched(base, PAGE));
        // SAFETY: nobody uses it any more.
        assert_eq!(unsafe { libc::munmap(memory, BYTES) }, 0);
    }
}
