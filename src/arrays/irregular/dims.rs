//! Dimensions of a plan by lists: parts of an element, listed indices, and whole axes.

use crate::arrays::end::ResolvedEnd;
use crate::arrays::seat::Seat;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Axis, Grid};
use crate::layout::intersect::Overlap;
use crate::layout::mapping::{ArrayAxes, LocalArray, LocalAxis};
use crate::layout::problem::Problem;
use crate::layout::strides::{ArrayDim, Shape, reach};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// The parts of an element, of 1, 2, 4, 8 or 16 bytes each.
    Parts,
    /// The entries of the list: indices of an axis, or elements of the whole array.
    Listed,
    /// A whole axis of the array.
    Axis(usize),
}

/// The dimensions of a plan by lists, the fastest first.
pub(super) struct ListedDims {
    all: Vec<Along>,
    /// The axis of the array for each dimension; `None` if elements are listed.
    axes: Option<ArrayAxes>,
    axis: Option<usize>,
    element: u64,
}

impl ListedDims {
    /// Returns the dimensions for an array whose axes vary in this order. Lists are along `axis`; if `axis` is `None`,
    /// they name elements.
    pub fn new(order: &[usize], axis: Option<usize>, element: usize) -> Self {
        let element = element as u64;
        // Elements of an array with one axis are indices of this axis.
        let axis = axis.or_else(|| (order.len() == 1).then_some(0));
        let axes = axis.map(|_| ArrayAxes::of(order, element));
        let parts = (ArrayAxes::of(&[], element).parts() > 1).then_some(Along::Parts);
        let of = |&k: &usize| if Some(k) == axis { Along::Listed } else { Along::Axis(k) };
        let listed = || axis.map_or(vec![Along::Listed], |_| order.iter().map(of).collect());
        let all = parts.into_iter().chain(listed()).collect();
        Self { all, axes, axis, element }
    }

    pub fn all(&self) -> &[Along] {
        &self.all
    }

    pub fn axis(&self) -> Option<usize> {
        self.axis
    }

    pub fn is_one_axis(&self) -> bool {
        self.axis.is_some() && !self.all.iter().any(|along| matches!(along, Along::Axis(_)))
    }

    pub fn listed(&self) -> usize {
        self.all.iter().position(|&along| along == Along::Listed).expect("one is listed")
    }

    pub fn unit(&self) -> usize {
        ArrayAxes::of(&[], self.element).unit()
    }

    pub fn element(&self) -> u64 {
        self.element
    }

    pub fn parts(&self) -> u64 {
        ArrayAxes::of(&[], self.element).parts()
    }

    /// Returns the shape of an array without gaps, with `listed` listed indices and `other` indices along each other
    /// axis.
    pub fn dense(&self, listed: u64, other: impl Fn(usize) -> u64) -> Shape {
        let extent = |along: &Along| match *along {
            Along::Parts => self.parts(),
            Along::Listed => listed,
            Along::Axis(k) => other(k),
        };
        Shape::dense(self.unit(), &self.all.iter().map(extent).collect::<Vec<_>>())
    }

    /// Returns the problem for `ranks` ranks, whose lists have `total` entries together.
    pub fn problem(&self, known: &ResolvedEnd, total: u64, ranks: u32) -> Problem {
        let extents = known.layout().extents();
        let dim = |along: &Along| {
            let len = match *along {
                Along::Parts => self.parts(),
                Along::Listed => total,
                Along::Axis(k) => extents[k],
            };
            Overlap { from: Axis::collapsed(), to: Axis::collapsed(), len }
        };
        let grid = || Grid::row_major(&[ranks]);
        let dims = self.all.iter().map(dim).collect();
        Problem { boxes: [true; 2], ..Problem::whole(dims, grid(), grid()) }
    }

    pub fn seat(&self, local: &LocalArray) -> Result<Seat, Failure> {
        let element = usize::try_from(self.element).expect("it was a usize");
        if let Some(axes) = &self.axes {
            return Seat::new(axes, local, element);
        }
        self.storage_seat(local)
    }

    /// Returns the position of all of a process's storage, as a list of elements.
    pub fn storage_seat(&self, local: &LocalArray) -> Result<Seat, Failure> {
        let large = || Failure::argument("the local array has more than 2^63 bytes");
        let bytes = |n: u64| n.checked_mul(self.element).filter(|&n| i64::try_from(n).is_ok());
        let (before, behind) = storage(local).ok_or_else(large)?;
        let reach = bytes(before).zip(bytes(behind)).ok_or_else(large)?;
        let origin = -i64::try_from(reach.0).map_err(|_| large())?;
        Ok(Seat { shape: self.dense(before + behind, |_| 1), origin, reach })
    }

    pub fn local_seat(&self, known: &ResolvedEnd, count: u64) -> Result<Seat, Failure> {
        let shape = self.dense(count, |k| known.layout().extents()[k]);
        let large = || Failure::argument("the local array for the listed elements has more than 2^63 bytes");
        let reach = shape.reach().ok_or_else(large)?;
        Ok(Seat { shape, origin: 0, reach })
    }
}

/// Returns the numbers of a storage's elements before place 0, and from there on. `None` if they exceed 63 bits.
pub(super) fn storage(local: &LocalArray) -> Option<(u64, u64)> {
    let dim = |axis: &LocalAxis| ArrayDim { extent: axis.extent(), stride: axis.stride };
    reach(1, local.axes.iter().map(dim))
}
