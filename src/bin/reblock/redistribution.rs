//! An array and two layouts, as a user writes them, and the traffic between them. Arrays of more than [`MAX_BYTES`] are
//! refused.

use crate::layout::{Dim, Layout};
use num_integer::Integer;
use reblock_plan::layout::distribution::Dist;
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::traffic::Traffic;

/// Maximum bytes of an array, rounded up to whole periods: sums of them fit in 64 bits.
const MAX_BYTES: u128 = 1 << 58;

#[derive(Clone, Debug)]
pub struct Redistribution {
    pub shape: Vec<u64>,
    pub element: u64,
    pub from: Layout,
    pub to: Layout,
}

impl Redistribution {
    /// Returns the traffic between the ranks of both layouts; the error says why it cannot be computed.
    pub fn traffic(&self) -> Result<Traffic, String> {
        let mut dims = Vec::new();
        for ((from, to), &len) in self.from.dims.iter().zip(&self.to.dims).zip(&self.shape) {
            let axis = |dim: &Dim| dim.axis(len).ok_or_else(|| format!("{len} elements do not fit"));
            dims.push(Overlap { from: axis(from)?, to: axis(to)?, len });
        }
        let bytes = dims.iter().fold(u128::from(self.element), |n, dim| n.saturating_mul(rounded(dim)));
        if bytes > MAX_BYTES {
            return Err(format!("the array has more than {MAX_BYTES} bytes"));
        }
        Ok(Traffic::new(dims, self.element, self.from.grid(), self.to.grid()))
    }

    pub fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.element, |n, &len| n.saturating_mul(len))
    }
}

/// Returns the number of elements after which both sides repeat; `None` if a side is GEN_BLOCK or INDIRECT.
pub fn period(dim: &Overlap) -> Option<u128> {
    let cycle = |dist: &Dist| match dist {
        Dist::Cyclic(dist) if dist.procs() == 1 => Some(1),
        Dist::Cyclic(dist) => Some(u128::from(dist.block()) * u128::from(dist.procs())),
        Dist::GenBlock(_) | Dist::Indirect(_) => None,
    };
    let (from, to) = (cycle(&dim.from.dist)?, cycle(&dim.to.dist)?);
    Some((from / from.gcd(&to)).saturating_mul(to))
}

/// Returns the length rounded up to whole periods, as closed formulas count it. A length below one period stays.
fn rounded(dim: &Overlap) -> u128 {
    let len = u128::from(dim.len);
    match period(dim) {
        Some(period) if period <= len => len.div_ceil(period) * period,
        _ => len,
    }
}
