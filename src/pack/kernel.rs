//! Copy rows x columns, given as families of runs, from one column-major array to another.
//!
//! ```text
//! for each column: for each family of rows: for each run: copy `len` elements
//! ```
//! Two deviations from that text: runs of up to 4 elements are copied by loops of constant length, longer ones by
//! memmove (as fast as memcpy, and defined even where a caller's source and destination overlap); and where a column
//! has one run only, the columns are looped over inside, as if they were runs.

use crate::overlap::Family;

/// One of the two arrays of a copy: its first element and the elements from one column to the next.
#[derive(Clone, Copy)]
pub(super) struct Side<P> {
    pub base: P,
    pub ld: usize,
}

/// Copies rows x columns; coordinate 0 of the families is an index into `from`, coordinate 1 into `to`.
///
/// # Safety
/// Every element that the families name lies within `from`, readable, and within `to`, writable.
pub(super) unsafe fn rectangle<E: Copy>(
    from: Side<*const E>,
    to: Side<*mut E>,
    rows: &[Family<2>],
    cols: &[Family<2>],
) {
    let one_run = match rows {
        [run] if run.count == 1 => Some(run),
        _ => None,
    };
    for family in cols {
        for k in 0..family.count {
            let col = |d: usize| index(family.start[d] + k * family.stride[d]);
            let (src, dst) = (from.base.wrapping_add(col(0) * from.ld), to.base.wrapping_add(col(1) * to.ld));
            let len = index(family.len);
            if let Some(run) = one_run {
                // SAFETY: the columns col.. +len of the one run are named by the families; this fn's contract.
                unsafe { runs(src, dst, run, [from.ld, to.ld], len) };
                continue;
            }
            for c in 0..len {
                for family in rows {
                    let stride = [index(family.stride[0]), index(family.stride[1])];
                    let (src, dst) = (src.wrapping_add(c * from.ld), dst.wrapping_add(c * to.ld));
                    // SAFETY: the runs of one column are named by the families; this fn's contract.
                    unsafe { runs(src, dst, family, stride, index(family.count)) };
                }
            }
        }
    }
}

/// Copies `count` runs that start at `first.start` and are `stride` apart on each side.
///
/// # Safety
/// Every element so named is in bounds.
unsafe fn runs<E: Copy>(src: *const E, dst: *mut E, first: &Family<2>, stride: [usize; 2], count: usize) {
    let (src, dst) = (src.wrapping_add(index(first.start[0])), dst.wrapping_add(index(first.start[1])));
    let len = index(first.len);
    // SAFETY: in each arm, run k starts k strides after the first and is `len` long; this fn's contract.
    unsafe {
        match len {
            1 => short::<E, 1>(src, dst, stride, count),
            2 => short::<E, 2>(src, dst, stride, count),
            3 => short::<E, 3>(src, dst, stride, count),
            4 => short::<E, 4>(src, dst, stride, count),
            _ => {
                for k in 0..count {
                    std::ptr::copy(
                        src.wrapping_add(k * stride[0]).cast::<u8>(),
                        dst.wrapping_add(k * stride[1]).cast::<u8>(),
                        len * size_of::<E>(),
                    );
                }
            }
        }
    }
}

/// `count` runs of `LEN` elements.
///
/// # Safety
/// As for [`runs`].
unsafe fn short<E: Copy, const LEN: usize>(src: *const E, dst: *mut E, stride: [usize; 2], count: usize) {
    for k in 0..count {
        for e in 0..LEN {
            let (src, dst) = (src.wrapping_add(k * stride[0] + e), dst.wrapping_add(k * stride[1] + e));
            // SAFETY: element e of run k is in bounds by this fn's contract. Unaligned: a buffer is bytes, and a
            // Fortran COMPLEX*16 array need not be aligned to 16.
            unsafe { dst.write_unaligned(src.read_unaligned()) };
        }
    }
}

/// Indices into memory that exists fit in usize.
fn index(i: u64) -> usize {
    usize::try_from(i).expect("an index into memory fits in usize")
}
