//! A redistribution as a user describes it: an array and two layouts. Computes its traffic, and refuses arrays above
//! [`MAX_BYTES`].

use crate::layout::Layout;
use num_integer::Integer;
use reblock_plan::layout::distribution::{Dist, View};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::traffic::Traffic;

/// Maximum bytes of an array whose extents are rounded up to whole periods. Sums of such sizes fit in 64 bits.
const MAX_BYTES: u128 = 1 << 58;

#[derive(Clone, Debug)]
pub struct Redistribution {
    /// Extents of the source array.
    pub shape: Vec<u64>,
    pub element: u64,
    pub from: Layout,
    pub to: Layout,
    /// For each dimension of the source, its dimension of the target, from 0.
    pub axes: Vec<usize>,
}

impl Redistribution {
    /// Returns the traffic between the ranks of both layouts; the error says why it cannot be computed.
    pub fn traffic(&self) -> Result<Traffic, String> {
        let to = self.to.axes(&target_shape(&self.shape, &self.axes))?;
        let pairs = self.from.axes(&self.shape)?.into_iter().zip(&self.axes).zip(&self.shape);
        let dims: Vec<Overlap> =
            pairs.map(|((from, &k), &len)| Overlap { from, to: to[k].clone(), len }).collect();
        let (from, to) = (self.from.grid(), self.to.grid());
        let order = self.axes.iter().copied().chain(dims.len()..to.extents().len());
        let views: Vec<View> = order.map(|dim| View::Along { dim, reversed: false }).collect();
        let to = to.view(&views, &vec![0; to.extents().len()]);
        check_size(Traffic::new(dims, self.element, from, to))
    }

    pub fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.element, |n, &len| n.saturating_mul(len))
    }
}

/// Returns `traffic`, or an error if an array has more than [`MAX_BYTES`].
pub fn check_size(traffic: Traffic) -> Result<Traffic, String> {
    let dims = traffic.dims.iter().map(|dim| rounded_length(&dim.overlap));
    let bytes = dims.fold(u128::from(traffic.element), u128::saturating_mul);
    let copies = traffic.copies().0.max(traffic.copies().1);
    if bytes.saturating_mul(copies.into()) > MAX_BYTES {
        return Err(format!("the array has more than {MAX_BYTES} bytes"));
    }
    Ok(traffic)
}

/// Returns the extents of the target array. Dimension k of the source, of `shape[k]` elements, becomes dimension
/// `axes[k]`.
pub fn target_shape(shape: &[u64], axes: &[usize]) -> Vec<u64> {
    let mut target = vec![0; shape.len()];
    axes.iter().zip(shape).for_each(|(&k, &len)| target[k] = len);
    target
}

/// Returns the number of elements after which the owners of both sides repeat; `None` if a side is GEN_BLOCK or
/// INDIRECT.
pub fn period(dim: &Overlap) -> Option<u128> {
    let cycle = |dist: &Dist| match dist {
        Dist::Cyclic(dist) if dist.procs() == 1 => Some(1),
        Dist::Cyclic(dist) => Some(u128::from(dist.block()) * u128::from(dist.procs())),
        Dist::GenBlock(_) | Dist::Indirect(_) => None,
    };
    let (from, to) = (cycle(&dim.from.dist)?, cycle(&dim.to.dist)?);
    Some((from / from.gcd(&to)).saturating_mul(to))
}

/// Returns the number of elements that closed formulas count: the length rounded up to whole periods. A length below
/// one period is not rounded.
fn rounded_length(dim: &Overlap) -> u128 {
    let len = u128::from(dim.len);
    match period(dim) {
        Some(period) if period <= len => len.div_ceil(period) * period,
        _ => len,
    }
}
