//! Copy rows x columns, given as families of runs, from one column-major array to another.
//!
//! ```text
//! for each column: for each family of rows: for each run: copy `len` elements
//! ```
//! Deviations from that text:
//! 1. Everything is in bytes: what an element is does not matter to a copy.
//! 2. The families of rows are written out once for all columns ([`Column`]), and consecutive columns are one call.
//! 3. Where columns are one run and touch on both sides, they are one run together; where a column is one short run, the
//!    columns are looped over as if they were runs.
//! 4. The same text is compiled for several instruction sets, of which the machine's best is taken. (AVX-512 and its
//!    masked loads and stores were no faster than AVX2 on a Zen 4, so they are not among them.)

use super::ahead::WORTH;
use super::block::{STREAM, fence};
use super::column::{Column, Part, index};
use super::runs::{self, Columns, Distance, Run};
use super::short::{self, SHORT, Short};
use crate::overlap::Family;

/// One of the two arrays of a copy: its first element, and the elements from one column to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<P> {
    pub base: P,
    pub ld: u64,
}

/// An instruction set that the kernels are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instructions {
    /// What every processor of the target has.
    Portable,
    /// 32 bytes at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// All of them, the best last.
    #[cfg(target_arch = "x86_64")]
    pub const ALL: &[Self] = &[Self::Portable, Self::Avx2];
    /// All of them, the best last.
    #[cfg(not(target_arch = "x86_64"))]
    pub const ALL: &[Self] = &[Self::Portable];

    /// Whether this machine has them.
    pub fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
        }
    }

    /// The best that this machine has.
    pub fn best() -> Self {
        let available = Self::ALL.iter().rev().find(|i| i.available());
        *available.expect("every processor has what every processor has")
    }
}

/// How a rectangle is copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub element: usize,
    pub distance: Distance,
    pub instructions: Instructions,
}

/// Copies rows x columns; coordinate 0 of the families is an index into `from`, coordinate 1 into `to`.
///
/// # Safety
/// Every element that the families name lies within `from`, readable, and within `to`, writable; elements have a
/// multiple of 4 bytes; the instructions are available.
pub(super) unsafe fn copy(
    from: Side<*const u8>,
    to: Side<*mut u8>,
    rows: impl Iterator<Item = Family<2>>,
    cols: impl Iterator<Item = Family<2>>,
    how: How,
) {
    let ld = [from.ld, to.ld].map(|ld| index(ld) * how.element);
    Column::with(rows, how.element, |column| {
        let distance = Distance {
            ahead: how.distance.ahead && column.at_least(WORTH),
            stream: how.distance.stream && column.at_least(STREAM),
        };
        let how = How { distance, ..how };
        for family in cols {
            for k in 0..family.count {
                let [src, dst] = [0, 1].map(|d| index(family.start[d] + k * family.stride[d]) * ld[d]);
                let columns = Columns {
                    src: from.base.wrapping_add(src),
                    dst: to.base.wrapping_add(dst),
                    ld,
                    count: index(family.len),
                };
                // SAFETY: these are columns that the families name; this fn's contract.
                unsafe { dispatch(&columns, column, how) };
            }
        }
    });
    if how.distance.stream {
        fence();
    }
}

/// # Safety
/// As for [`neighbours`]; the instructions are available.
unsafe fn dispatch(columns: &Columns, column: &Column, how: How) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2(columns: &Columns, column: &Column, distance: Distance) {
        // SAFETY: the caller's contract.
        unsafe { neighbours(columns, column, distance) }
    }
    // SAFETY: the caller's contract.
    unsafe {
        match how.instructions {
            Instructions::Portable => neighbours(columns, column, how.distance),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => avx2(columns, column, how.distance),
        }
    }
}

/// Copies a column, and the columns next to it.
///
/// # Safety
/// Every byte that `column` names in each of the `columns` is readable in the source and writable in the destination.
#[inline(always)]
unsafe fn neighbours(columns: &Columns, column: &Column, distance: Distance) {
    let Columns { src, dst, ld, count } = *columns;
    // SAFETY: each arm copies the same elements as the last one; this fn's contract.
    unsafe {
        match (&*column.parts, &*column.runs) {
            (_, [run]) if ld == [run.len; 2] => {
                runs::copy(
                    &Columns { count: 1, ..*columns },
                    &[Run { len: run.len * count, ..*run }],
                    distance,
                );
            }
            (_, [run]) if run.len <= SHORT && column.parts.len() == 1 => {
                let family = Short {
                    start: [run.src, run.dst],
                    stride: ld,
                    len: run.len,
                    count,
                    step: [0; 2],
                    times: 1,
                    within: false,
                };
                short::copy(src, dst, &family);
            }
            ([Part::Runs(_)], list) => runs::copy(columns, list, distance),
            (parts, list) => {
                for c in 0..count {
                    let at = Columns {
                        src: src.wrapping_add(c * ld[0]),
                        dst: dst.wrapping_add(c * ld[1]),
                        ld,
                        count: 1,
                    };
                    for part in parts {
                        match part {
                            Part::Runs(range) => runs::copy(&at, &list[range.clone()], distance),
                            Part::Short(family) => short::copy(at.src, at.dst, family),
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
