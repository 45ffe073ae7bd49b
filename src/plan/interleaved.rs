//! Decides whether two lists of strided boxes in memory share a byte. In long lists, only boxes with overlapping
//! address ranges are compared.

use crate::layout::intersect::{Boxes, each_pair};
use crate::layout::shared_bytes::{StridedElements, may_share_bytes};
use std::ops::ControlFlow;

/// Maximum number of pairs that are all compared, without a search for overlapping address ranges.
const EXHAUSTIVE_THRESHOLD: usize = 1 << 12;

/// Maximum number of pairs with overlapping address ranges that are compared; beyond it the lists count as aliasing.
const MAX_COMPARISONS: u32 = 1 << 20;

/// Returns whether a box of `own` shares a byte with a box of `others`. No box may be empty.
pub fn any_alias(own: &[StridedElements], others: &[StridedElements]) -> bool {
    if own.len().saturating_mul(others.len()) <= EXHAUSTIVE_THRESHOLD {
        return own.iter().any(|a| others.iter().any(|b| may_share_bytes(a, b)));
    }
    let spans = |all: &[StridedElements]| {
        let mut spans = Boxes::new(1);
        all.iter().for_each(|each| spans.push([each.span()]));
        spans
    };
    let (mut found, mut compared) = (false, 0);
    each_pair(&spans(own), &spans(others), |i, j| {
        compared += 1;
        found = compared > MAX_COMPARISONS || may_share_bytes(&own[i], &others[j]);
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::strides::ArrayDim;

    /// Returns `count` boxes of 8-byte elements, some with negative strides, in every other place from address `first`
    /// on.
    fn boxes(rng: &mut fastrand::Rng, count: usize, first: i128) -> Vec<StridedElements> {
        let one = |k: usize| {
            let (extent, at) = (rng.u64(1..5), first + 80 * k as i128);
            let dims = vec![ArrayDim { extent, stride: 16 }];
            match rng.bool() {
                true => StridedElements { first: at, element: 8, dims },
                false => StridedElements {
                    first: at + 16 * (i128::from(extent) - 1),
                    element: 8,
                    dims: vec![ArrayDim { extent, stride: -16 }],
                },
            }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn many_interleaved_boxes_alias_only_if_two_of_them_do() {
        let mut rng = fastrand::Rng::with_seed(29);
        for case in 0..50 {
            let mut own = boxes(&mut rng, 200, 1 << 40);
            let mut others = boxes(&mut rng, 150, (1 << 40) + 8);
            rng.shuffle(&mut own);
            rng.shuffle(&mut others);
            assert!(!any_alias(&own, &others), "case {case}");
            let (k, moved) = (rng.usize(0..150), if rng.bool() { 8 } else { -8 });
            others[k].first += moved;
            let want = own.iter().any(|a| may_share_bytes(a, &others[k]));
            assert_eq!(any_alias(&own, &others), want, "case {case}");
            assert_eq!(any_alias(&others, &own), want, "case {case}");
        }
    }

    #[test]
    fn boxes_whose_spans_all_overlap_count_as_aliases() {
        let rows = |first: i128, count: i128| -> Vec<StridedElements> {
            let dims = || vec![ArrayDim { extent: 1000, stride: 1 << 20 }];
            (0..count).map(|k| StridedElements { first: first + 16 * k, element: 8, dims: dims() }).collect()
        };
        assert!(!any_alias(&rows(0, 100), &rows(8, 100)));
        assert!(any_alias(&rows(0, 2000), &rows(8, 2000)));
    }
}
