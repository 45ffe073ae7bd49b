//! Transposes a square of elements in registers.
//!
//! ```text
//! for each column: for each row: copy the element
//! ```
//! Deviation: with AVX2 a square is loaded row by row, transposed by register exchanges, and stored as a whole.

use super::block::copy_block;

/// A kernel that transposes one square of elements.
pub(super) trait Square {
    /// Elements per side.
    const SIDE: usize;
    /// Bytes per element.
    const ELEMENT: usize;

    /// Copies element c of source row r to element r of destination row c. `apart` is the bytes from row to row on both
    /// sides.
    ///
    /// # Safety
    /// The elements are readable in the source and writable in the destination; the instructions are available.
    unsafe fn transpose(src: *const u8, dst: *mut u8, apart: [usize; 2]);
}

/// Squares of 4 x 4 elements of `N` bytes, for any processor.
pub(super) struct PortableSquare<const N: usize>;

impl<const N: usize> Square for PortableSquare<N> {
    const SIDE: usize = 4;
    const ELEMENT: usize = N;

    #[inline(always)]
    unsafe fn transpose(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
        for c in 0..Self::SIDE {
            for r in 0..Self::SIDE {
                let src = src.wrapping_add(r.wrapping_mul(from)).wrapping_add(c * N);
                let dst = dst.wrapping_add(c.wrapping_mul(to)).wrapping_add(r * N);
                // SAFETY: this fn's contract.
                unsafe { copy_block::<N>(src, dst) };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::{Square2x16, Square4x8, Square8x4};

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Square;
    use std::arch::x86_64::*;

    /// 4 x 4 elements of 8 bytes.
    pub struct Square4x8;
    /// 8 x 8 elements of 4 bytes.
    pub struct Square8x4;
    /// 2 x 2 elements of 16 bytes.
    pub struct Square2x16;

    impl Square for Square4x8 {
        const SIDE: usize = 4;
        const ELEMENT: usize = 8;

        #[inline(always)]
        unsafe fn transpose(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
            // SAFETY: four rows of 32 bytes on either side; this fn's contract.
            unsafe {
                let a = _mm256_loadu_pd(src.cast());
                let b = _mm256_loadu_pd(src.wrapping_add(from).cast());
                let c = _mm256_loadu_pd(src.wrapping_add(from.wrapping_mul(2)).cast());
                let d = _mm256_loadu_pd(src.wrapping_add(from.wrapping_mul(3)).cast());
                let (ab, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                let (cd, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                _mm256_storeu_pd(dst.cast(), _mm256_permute2f128_pd::<0x20>(ab, cd));
                _mm256_storeu_pd(dst.wrapping_add(to).cast(), _mm256_permute2f128_pd::<0x20>(ab1, cd1));
                let third = dst.wrapping_add(to.wrapping_mul(2));
                _mm256_storeu_pd(third.cast(), _mm256_permute2f128_pd::<0x31>(ab, cd));
                let fourth = dst.wrapping_add(to.wrapping_mul(3));
                _mm256_storeu_pd(fourth.cast(), _mm256_permute2f128_pd::<0x31>(ab1, cd1));
            }
        }
    }

    impl Square for Square8x4 {
        const SIDE: usize = 8;
        const ELEMENT: usize = 4;

        #[inline(always)]
        unsafe fn transpose(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
            // SAFETY: eight rows of 32 bytes on either side; this fn's contract.
            unsafe {
                // Rows k and k + 4 share a register, one in each half; so no halves are exchanged later.
                macro_rules! rows {
                    ($k:expr, $half:expr) => {{
                        let low = _mm_loadu_ps(src.wrapping_add(from.wrapping_mul($k) + $half).cast());
                        let high = _mm_loadu_ps(src.wrapping_add(from.wrapping_mul($k + 4) + $half).cast());
                        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
                    }};
                }
                macro_rules! half {
                    ($half:expr, $first:expr) => {{
                        let (a, b, c, d) =
                            (rows!(0, $half), rows!(1, $half), rows!(2, $half), rows!(3, $half));
                        let (ab, ab1) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                        let (cd, cd1) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                        let out = |k: usize| dst.wrapping_add(to.wrapping_mul($first + k)).cast();
                        _mm256_storeu_ps(out(0), _mm256_shuffle_ps::<0x44>(ab, cd));
                        _mm256_storeu_ps(out(1), _mm256_shuffle_ps::<0xEE>(ab, cd));
                        _mm256_storeu_ps(out(2), _mm256_shuffle_ps::<0x44>(ab1, cd1));
                        _mm256_storeu_ps(out(3), _mm256_shuffle_ps::<0xEE>(ab1, cd1));
                    }};
                }
                half!(0, 0);
                half!(16, 4);
            }
        }
    }

    impl Square for Square2x16 {
        const SIDE: usize = 2;
        const ELEMENT: usize = 16;

        #[inline(always)]
        unsafe fn transpose(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
            // SAFETY: two rows of 32 bytes on either side; this fn's contract.
            unsafe {
                let a = _mm256_loadu_pd(src.cast());
                let b = _mm256_loadu_pd(src.wrapping_add(from).cast());
                _mm256_storeu_pd(dst.cast(), _mm256_permute2f128_pd::<0x20>(a, b));
                _mm256_storeu_pd(dst.wrapping_add(to).cast(), _mm256_permute2f128_pd::<0x31>(a, b));
            }
        }
    }
}
