//! Decides whether two strided sets of elements in memory share a byte, by arithmetic on strides and extents.
//!
//! Two elements share a byte if their addresses differ by less than the size of the element at the lower address. The
//! difference is a constant plus a sum, over all dimensions of both sets, of stride times index. So the sets share a
//! byte exactly if the sum can lie in a short interval. The search tries multiples of the longest stride first: if
//! strides nest, as in an array, only few multiples can reach the interval.

use crate::layout::strides::ArrayDim;
use num_integer::gcd;
use std::ops::Range;

/// Maximum number of partial sums to try; after these, the answer is "may share". Nested strides need a few sums per
/// dimension.
const MAX_SUMS: u32 = 1 << 14;

/// Elements in memory: an origin and strided dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StridedElements {
    /// Address of the element with index 0 in all dimensions.
    pub first: i128,
    /// Size of an element in bytes.
    pub element: u64,
    /// Extents in elements, strides in bytes.
    pub dims: Vec<ArrayDim>,
}

impl StridedElements {
    /// Returns the range of addresses from the lowest byte to one past the highest, clamped to 64 bits. No extent may
    /// be 0.
    pub fn span(&self) -> Range<u64> {
        let (mut first, mut end) = (self.first, self.first + i128::from(self.element));
        for dim in &self.dims {
            let length = i128::from(dim.stride).saturating_mul(i128::from(dim.extent) - 1);
            first = first.saturating_add(length.min(0));
            end = end.saturating_add(length.max(0));
        }
        let address = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX);
        address(first)..address(end)
    }
}

/// One stride, and its largest factor in a sum.
struct Term {
    stride: i128,
    max_factor: i128,
    /// Maximum sum of the terms after this term; `unit` is the greatest common divisor of their strides (0 without
    /// terms).
    rest_sum: i128,
    unit: i128,
    /// Whether every multiple of `unit` from 0 to `rest_sum` is a sum of the terms after this term.
    dense: bool,
}

/// Returns whether `a` and `b` may share a byte. `false` is always exact; `true` is exact unless the search ended after
/// `MAX_SUMS` sums.
pub fn may_share_bytes(a: &StridedElements, b: &StridedElements) -> bool {
    if a.dims.iter().chain(&b.dims).any(|dim| dim.extent == 0) {
        return false;
    }
    let mut apart = a.first - b.first;
    let mut strides: Vec<(i128, i128)> = Vec::new();
    for (dims, sign) in [(&a.dims, 1), (&b.dims, -1)] {
        for dim in dims {
            let (stride, max_factor) = (sign * i128::from(dim.stride), i128::from(dim.extent) - 1);
            // Reverses a descending dimension, so that it ascends from its last element.
            if stride < 0 {
                apart = apart.saturating_add(stride.saturating_mul(max_factor));
            }
            strides.push((stride.abs(), max_factor));
        }
    }
    let terms = terms(strides);
    // Two elements overlap if their addresses differ by less than the size of the element at the lower address.
    let (low, high) = (1 - i128::from(a.element) - apart, i128::from(b.element) - 1 - apart);
    has_sum_in(&terms, (low, high), &mut { MAX_SUMS })
}

/// Builds the terms, the longest stride first. Equal strides become one term.
fn terms(mut strides: Vec<(i128, i128)>) -> Vec<Term> {
    strides.retain(|&(stride, max_factor)| stride > 0 && max_factor > 0);
    strides.sort_unstable();
    let mut terms: Vec<Term> = Vec::new();
    for (stride, max_factor) in strides {
        let Some(last) = terms.last_mut() else {
            terms.push(Term { stride, max_factor, rest_sum: 0, unit: 0, dense: true });
            continue;
        };
        if last.stride == stride {
            last.max_factor = last.max_factor.saturating_add(max_factor);
            continue;
        }
        let (rest_sum, unit, dense) = last.with_rest();
        terms.push(Term { stride, max_factor, rest_sum, unit, dense });
    }
    terms.reverse();
    terms
}

impl Term {
    /// Returns `rest_sum`, `unit` and `dense` for a term before this term.
    fn with_rest(&self) -> (i128, i128, bool) {
        let reach = self.rest_sum.saturating_add(self.stride.saturating_mul(self.max_factor));
        let unit = gcd(self.unit, self.stride);
        let closed = self.unit == 0 || (unit == self.unit && self.stride <= self.rest_sum + unit);
        (reach, unit, self.dense && closed)
    }
}

/// Returns true if some sum of the terms is in `low..=high`, or if no sums are left to try.
fn has_sum_in(terms: &[Term], (low, high): (i128, i128), sums_left: &mut u32) -> bool {
    let Some((term, rest)) = terms.split_first() else { return low <= 0 && high >= 0 };
    let (reach, unit, dense) = term.with_rest();
    let (low, high) = (low.max(0), high.min(reach));
    let least = (low + unit - 1) / unit * unit;
    if low > high || least > high {
        return false;
    }
    if dense {
        return true;
    }
    let times = (low - term.rest_sum + term.stride - 1).max(0) / term.stride
        ..=(high / term.stride).min(term.max_factor);
    for n in times {
        *sums_left = sums_left.saturating_sub(1);
        if *sums_left == 0 || has_sum_in(rest, (low - n * term.stride, high - n * term.stride), sums_left) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Oracle: all bytes of a set, to be compared one by one.
    fn bytes(box_: &StridedElements) -> HashSet<i128> {
        let mut all: Vec<i128> = vec![box_.first];
        for dim in &box_.dims {
            let step = |k: u64| i128::from(k) * i128::from(dim.stride);
            all = all.iter().flat_map(|at| (0..dim.extent).map(move |k| at + step(k))).collect();
        }
        all.iter().flat_map(|at| (0..i128::from(box_.element)).map(move |k| at + k)).collect()
    }

    fn random(rng: &mut fastrand::Rng, nested: bool) -> StridedElements {
        let element = [1, 2, 4, 8][rng.usize(0..4)];
        let mut stride = element as i64;
        let dims = (0..rng.usize(0..5)).map(|_| {
            let extent = if rng.u8(0..20) == 0 { 0 } else { rng.u64(1..6) };
            stride *= rng.i64(1..4);
            let own = if nested { stride } else { rng.i64(-40..40) };
            stride *= extent.max(1) as i64;
            ArrayDim { extent, stride: if rng.u8(0..4) == 0 { -own } else { own } }
        });
        let dims = dims.collect();
        StridedElements { first: rng.i64(-100..100).into(), element, dims }
    }

    #[test]
    fn boxes_intersect_if_they_share_a_byte() {
        let mut rng = fastrand::Rng::with_seed(17);
        let mut seen = [0; 2];
        for k in 0..40_000 {
            let (a, b) = (random(&mut rng, k % 2 == 0), random(&mut rng, k % 2 == 0));
            let want = !bytes(&a).is_disjoint(&bytes(&b));
            assert_eq!(may_share_bytes(&a, &b), want, "{a:?} {b:?}");
            assert_eq!(may_share_bytes(&b, &a), want, "{b:?} {a:?}");
            let span = StridedElements { first: a.first + (1 << 40), ..a.clone() };
            let all = bytes(&span);
            if let Some((first, last)) = all.iter().min().zip(all.iter().max()) {
                let wide = |at: i128| u64::try_from(at).unwrap();
                assert_eq!(span.span(), wide(*first)..wide(*last) + 1, "{span:?}");
            }
            seen[usize::from(want)] += 1;
        }
        assert!(seen.iter().all(|&n| n > 4_000), "{seen:?}");
    }

    #[test]
    fn the_largest_arrays_take_no_time() {
        // Even and odd rows of 2^40 columns; then a row and a column of one matrix.
        let half = |first: i128, rows: u64| StridedElements {
            first,
            element: 8,
            dims: vec![ArrayDim { extent: rows, stride: 16 }, ArrayDim { extent: 1 << 40, stride: 8001 * 8 }],
        };
        assert!(!may_share_bytes(&half(0, 4000), &half(8, 4000)));
        assert!(
            may_share_bytes(&half(0, 4001), &half(8, 4001)),
            "the last of a column is the first of the next one"
        );
        let row = StridedElements {
            first: 8,
            element: 8,
            dims: vec![ArrayDim { extent: 1 << 40, stride: 1 << 20 }],
        };
        let column = StridedElements {
            first: 1 << 20,
            element: 8,
            dims: vec![ArrayDim { extent: 1 << 17, stride: 8 }],
        };
        assert!(may_share_bytes(&row, &column));
        let column = StridedElements { dims: vec![ArrayDim { extent: 1, stride: 8 }], ..column };
        assert!(!may_share_bytes(&row, &column));
    }
}
