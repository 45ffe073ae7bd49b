//! Copies one run.
//!
//! ```text
//! for each byte: copy it
//! ```
//! Deviations from that text:
//! 1. Blocks of constant length go through registers, as wide as the instruction set of the calling function allows.
//! 2. The rest behind the last whole block is copied as one more block, which ends at the end of the run. A run shorter
//!    than a block is copied as two blocks of the next smaller power of two. Bytes in the middle are copied twice, and
//!    the only branch is on the power of two.
//! 3. [`stream`] writes whole lines of the destination with non-temporal stores. So these lines are not read before
//!    they are written, and do not evict other lines from the caches.
//! 4. Long runs are copied by the C library's `memmove`. With fast string instructions it does not read the
//!    destination's lines first: 32 KiB from slots that another core has read take 2.4 µs instead of 3.8.
//!
//! A block is loaded completely before it is stored, so source and destination may overlap; the result then depends on
//! the block length.

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;
/// Minimum bytes of a run that is streamed: a partial line at either end costs more than a whole line between them.
pub(super) const MIN_STREAMED_RUN: usize = 512;
/// Minimum bytes of a run that the C library copies; it has the best loop for each processor.
pub(super) const MIN_MEMMOVE_RUN: usize = 2 << 10;

/// A run within a column: offsets in bytes from the start of the column on both sides, and the length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CopyRun {
    pub src: usize,
    pub dst: usize,
    pub len: usize,
}

/// Copies `N` bytes.
///
/// # Safety
/// `src` is readable and `dst` writable for `N` bytes.
#[inline(always)]
pub(super) unsafe fn copy_block<const N: usize>(src: *const u8, dst: *mut u8) {
    // SAFETY: this fn's contract; arrays of bytes have no alignment.
    unsafe { dst.cast::<[u8; N]>().write(src.cast::<[u8; N]>().read()) }
}

/// Copies `len` bytes.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes.
#[inline(always)]
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: each arm is taken only for the lengths that `copy_pair` and `copy_blocks` may be used for.
    unsafe {
        match len {
            64.. => copy_blocks::<LINE>(src, dst, len),
            32.. => copy_pair::<32>(src, dst, len),
            16.. => copy_pair::<16>(src, dst, len),
            8.. => copy_pair::<8>(src, dst, len),
            4.. => copy_pair::<4>(src, dst, len),
            _ => copy_up_to_3(src, dst, len),
        }
    }
}

/// Copies at most 3 bytes. Not inlined: more cases would slow down the loops that call [`copy`].
///
/// # Safety
/// As for [`copy`].
#[cold]
unsafe fn copy_up_to_3(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: this fn's contract.
    unsafe {
        match len {
            2.. => copy_pair::<2>(src, dst, len),
            1 => copy_block::<1>(src, dst),
            0 => {}
        }
    }
}

/// Copies `N..=2N` bytes.
///
/// # Safety
/// As for [`copy`]; `N <= len <= 2N`.
#[inline(always)]
pub(super) unsafe fn copy_pair<const N: usize>(src: *const u8, dst: *mut u8, len: usize) {
    let last = len - N;
    // SAFETY: both blocks lie within the run.
    unsafe {
        let (a, b) = (src.cast::<[u8; N]>().read(), src.wrapping_add(last).cast::<[u8; N]>().read());
        dst.cast::<[u8; N]>().write(a);
        dst.wrapping_add(last).cast::<[u8; N]>().write(b);
    }
}

/// Copies `N` or more bytes.
///
/// # Safety
/// As for [`copy`]; `N <= len`.
#[inline(always)]
unsafe fn copy_blocks<const N: usize>(src: *const u8, dst: *mut u8, len: usize) {
    if len >= MIN_MEMMOVE_RUN {
        // SAFETY: this fn's contract.
        return unsafe { dst.copy_from(src, len) };
    }
    let last = len - N;
    let mut at = 0;
    // SAFETY: every block starts at `last` or before it, so it ends within the run.
    unsafe {
        while at < last {
            copy_block::<N>(src.wrapping_add(at), dst.wrapping_add(at));
            at += N;
        }
        copy_block::<N>(src.wrapping_add(last), dst.wrapping_add(last));
    }
}

/// Copies `len` bytes; writes whole lines of the destination with streaming stores. Call [`fence`] before another
/// thread may read them.
///
/// # Safety
/// As for [`copy`]; `len` is at least two lines.
#[inline(always)]
pub(super) unsafe fn stream(src: *const u8, dst: *mut u8, len: usize) {
    let head = dst.addr().wrapping_neg() % LINE;
    let lines = (len - head) / LINE * LINE;
    let tail = len - head - lines;
    // SAFETY: head, lines and tail lie within the run.
    unsafe {
        copy(src, dst, head);
        for at in (head..head + lines).step_by(LINE) {
            stream_line(src.wrapping_add(at), dst.wrapping_add(at));
        }
        let end = len - tail;
        copy(src.wrapping_add(end), dst.wrapping_add(end), tail);
    }
}

/// Copies one line with streaming stores.
///
/// # Safety
/// `src` is readable and `dst` writable for a line, and a line starts at `dst`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn stream_line(src: *const u8, dst: *mut u8) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    let (src, dst) = (src.cast::<__m128i>(), dst.cast::<__m128i>());
    // SAFETY: four quarters of the line, each aligned in `dst` because the line is; SSE2 is part of x86-64.
    unsafe {
        // Unrolled by hand: if the compiler keeps a loop here, a line takes five times as long.
        let first = _mm_loadu_si128(src);
        let second = _mm_loadu_si128(src.wrapping_add(1));
        let third = _mm_loadu_si128(src.wrapping_add(2));
        let fourth = _mm_loadu_si128(src.wrapping_add(3));
        _mm_stream_si128(dst, first);
        _mm_stream_si128(dst.wrapping_add(1), second);
        _mm_stream_si128(dst.wrapping_add(2), third);
        _mm_stream_si128(dst.wrapping_add(3), fourth);
    }
}

/// Copies one line.
///
/// # Safety
/// `src` is readable and `dst` writable for a line.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) unsafe fn stream_line(src: *const u8, dst: *mut u8) {
    // SAFETY: this fn's contract.
    unsafe { copy_block::<LINE>(src, dst) }
}

/// Orders streamed lines before all later stores: a thread that sees a later store also sees the lines.
#[inline(always)]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Prefetches the line at `at`, which may be any address.
#[inline(always)]
pub(super) fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address has no effect but on caches; SSE is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
