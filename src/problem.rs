//! WHAT is to be moved? One redistribution, validated and free of pointers: equal on every rank that takes part, so
//! every rank derives the same messages and the same order from it.

use crate::layout::Grid;
use crate::overlap::{Overlap, Runs};
use crate::schedule::traffic::Traffic;
use std::ops::Range;

/// A section of a two-dimensional array, where it lies and where it goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    /// The row dimension.
    pub rows: Overlap,
    /// The column dimension.
    pub cols: Overlap,
    /// The grid of the array that the section is copied from; as many process rows and columns as `rows.from` and
    /// `cols.from` deal to.
    pub from: Grid,
    /// The grid of the array that the section is copied to.
    pub to: Grid,
    /// Which elements of the section move.
    pub part: Part,
}

/// Which elements of a section move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// All of them.
    Whole,
    /// Element (i, j), 0-based in the section, iff `i < j + shift`.
    Upper {
        /// Rows that column 0 has above the cut.
        shift: i64,
    },
    /// Element (i, j), 0-based in the section, iff `i >= j + shift`.
    Lower {
        /// First row of column 0 that is kept; negative where the first columns are whole.
        shift: i64,
    },
}

impl Problem {
    /// Who owes whom how many bytes, if elements have `element` bytes. What a trapezoid leaves out counts, as if the
    /// whole section moved.
    pub fn traffic(&self, element: u64) -> Traffic {
        Traffic::new(vec![self.rows.clone(), self.cols.clone()], element, self.from.clone(), self.to.clone())
    }

    /// Bytes of the section, if elements have `element` bytes; no more than a u64 holds.
    pub fn bytes(&self, element: u64) -> u64 {
        self.rows.len.saturating_mul(self.cols.len).saturating_mul(element)
    }

    /// Parts that the section is dealt into, before or after, whichever is more.
    pub fn parts(&self) -> u64 {
        self.from.size().max(self.to.size())
    }
}

impl Part {
    /// ScaLAPACK's trapezoid of an `m` x `n` section: `upper` or lower, with the diagonal or (`unit`) without.
    ///
    /// Its definition of the upper one, `i < max(m-n, 0) + j + (diagonal kept)`, and of the lower one,
    /// `i >= max(0, j - max(n-m, 0) + (diagonal dropped))`, are half planes.
    pub fn trapezoid(upper: bool, unit: bool, m: u64, n: u64) -> Self {
        let wide = |excess: u64| i64::try_from(excess).expect("extents fit in 63 bits");
        if upper {
            Self::Upper { shift: wide(m.saturating_sub(n)) + i64::from(!unit) }
        } else {
            Self::Lower { shift: i64::from(unit) - wide(n.saturating_sub(m)) }
        }
    }

    /// The positions of `rows` that move in column `j` of the section.
    pub fn positions(&self, rows: &Runs<1>, j: u64) -> Range<u64> {
        match *self {
            Self::Whole => 0..rows.total(),
            Self::Upper { shift } => 0..rows.rank(j.saturating_add_signed(shift)),
            Self::Lower { shift } => rows.rank(j.saturating_add_signed(shift))..rows.total(),
        }
    }

    /// Whether any element of `rows` x `cols` moves.
    pub fn touches(&self, rows: &Runs<1>, cols: &Runs<1>) -> bool {
        let (Some(top), Some(left)) = (rows.first(), cols.first()) else { return false };
        match *self {
            Self::Whole => true,
            Self::Upper { shift } => top < (cols.end() - 1).saturating_add_signed(shift),
            Self::Lower { shift } => rows.end() > left.saturating_add_signed(shift),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of ScaLAPACK's pdtrmr2.c, element by element.
    fn inside(upper: bool, unit: bool, m: i64, n: i64, i: i64, j: i64) -> bool {
        if upper {
            i < (m - n).max(0) + j + i64::from(!unit)
        } else {
            i >= (j - (n - m).max(0) + i64::from(unit)).max(0)
        }
    }

    #[test]
    fn trapezoids_are_what_scalapack_says() {
        use crate::layout::{Axis, Cyclic};
        for (m, n) in (1..8).flat_map(|m| (1..8).map(move |n| (m, n))) {
            let one = Axis::new(Cyclic::new(1, 1, 0).unwrap(), 0);
            let all = |len| Overlap { from: one.clone(), to: one.clone(), len }.shared(0, 0);
            let (rows, cols) = (all(m), all(n));
            for (upper, unit) in [(true, true), (true, false), (false, true), (false, false)] {
                let part = Part::trapezoid(upper, unit, m, n);
                let mut any = false;
                for j in 0..n {
                    let kept: Vec<u64> = (0..m)
                        .filter(|&i| inside(upper, unit, m as i64, n as i64, i as i64, j as i64))
                        .collect();
                    any |= !kept.is_empty();
                    assert_eq!(
                        part.positions(&rows, j).collect::<Vec<_>>(),
                        kept,
                        "{part:?} m={m} n={n} j={j}"
                    );
                }
                assert_eq!(part.touches(&rows, &cols), any, "{part:?} m={m} n={n}");
            }
        }
    }
}
