//! Cuts a section into the pieces of a shift, as in Fortran's `CSHIFT` and `EOSHIFT`.
//!
//! Along an axis of n indices shifted by s, index i of the target is index i + s of the source. A circular shift takes
//! i + s modulo n. An end-off shift moves nothing to index i if the source has no index i + s.

use super::Range;
use std::ops::Range as Span;

/// A piece of a shift along an axis. Positions count from 0.
pub struct ShiftPiece {
    /// Positions in the source, as many as in `to`.
    pub from: Span<u64>,
    /// Positions in the target.
    pub to: Span<u64>,
}

/// Returns the pieces of a shift along an axis of `n` indices.
pub fn shift_pieces(n: u64, shift: i64, circular: bool) -> Vec<ShiftPiece> {
    let far = shift.unsigned_abs();
    if circular {
        let left = far.checked_rem(n).unwrap_or(0);
        let s = if shift < 0 && left > 0 { n - left } else { left };
        let whole = ShiftPiece { from: s..n, to: 0..n - s };
        return if s == 0 { vec![whole] } else { vec![whole, ShiftPiece { from: 0..s, to: n - s..n }] };
    }
    let far = far.min(n);
    vec![match shift < 0 {
        true => ShiftPiece { from: 0..n - far, to: far..n },
        false => ShiftPiece { from: far..n, to: 0..n - far },
    }]
}

/// Returns the positions `part` of a range, as a range.
pub fn within(range: &Range, part: &Span<u64>) -> Range {
    if part.is_empty() {
        return Range { lower: 1, upper: 0, stride: 1 };
    }
    let at = |i: u64| {
        let index = i128::from(range.lower) + i128::from(range.stride) * i128::from(i);
        i64::try_from(index).expect("an index of the section")
    };
    Range { lower: at(part.start), upper: at(part.end - 1), stride: range.stride }
}

/// Returns the parts of `whole` outside `part`: at most one section for each axis k, with the indices outside `part`
/// along axis k, the indices of `part` along earlier axes, and all indices along later axes. `part` must have the first
/// or the last indices along each axis.
pub fn sections_outside(part: &[Range], whole: &[Range]) -> Vec<Vec<Range>> {
    let mut sections = Vec::new();
    for (k, (moved, all)) in part.iter().zip(whole).enumerate() {
        let (n, left) = (all.extent(), moved.extent());
        let rest = match left > 0 && moved.lower == all.lower {
            true => left..n,
            false => 0..n - left,
        };
        if !rest.is_empty() {
            sections.push([&part[..k], &[within(all, &rest)], &whole[k + 1..]].concat());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes each index of the target by Fortran's definition.
    #[test]
    fn indices_come_from_where_fortran_says() {
        for n in 0..7u64 {
            for shift in (-15..16).chain([i64::MIN, i64::MAX]) {
                for circular in [false, true] {
                    let mut got = vec![None; n as usize];
                    for ShiftPiece { from, to } in shift_pieces(n, shift, circular) {
                        assert_eq!(from.end - from.start, to.end - to.start);
                        for (i, j) in to.zip(from) {
                            assert_eq!(got[i as usize].replace(j), None, "{n} {shift} {circular}: {i} twice");
                        }
                    }
                    let want = |i: u64| {
                        let at = i128::from(i) + i128::from(shift);
                        let at = if circular { at.rem_euclid(i128::from(n)) } else { at };
                        u64::try_from(at).ok().filter(|&at| at < n)
                    };
                    assert_eq!(got, (0..n).map(want).collect::<Vec<_>>(), "{n} {shift} {circular}");
                }
            }
        }
    }

    #[test]
    fn the_boundary_fills_the_rest() {
        let whole = [Range { lower: 9, upper: 0, stride: -3 }, Range { lower: 2, upper: 6, stride: 2 }];
        let indices = |section: &[Range]| -> Vec<(i64, i64)> {
            let along =
                |r: &Range| (0..r.extent() as i64).map(|i| r.lower + i * r.stride).collect::<Vec<_>>();
            let (rows, cols) = (along(&section[0]), along(&section[1]));
            cols.iter().flat_map(|&j| rows.iter().map(move |&i| (i, j))).collect()
        };
        for (a, b) in (0..=4u64).flat_map(|a| (0..=3u64).map(move |b| (a, b))) {
            for (first, second) in [(0..a, 0..b), (4 - a..4, 0..b), (0..a, 3 - b..3), (4 - a..4, 3 - b..3)] {
                let part = [within(&whole[0], &first), within(&whole[1], &second)];
                let mut all = indices(&part);
                sections_outside(&part, &whole).iter().for_each(|rest| all.extend(indices(rest)));
                all.sort_unstable();
                let mut want = indices(&whole);
                want.sort_unstable();
                assert_eq!(all, want, "{part:?}");
            }
        }
    }
}
