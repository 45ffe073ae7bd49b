//! WHICH dimensions has what moves, where the indices of one of them are listed?

use crate::arrays::end::KnownEnd;
use crate::arrays::seat::Seat;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Axis, Grid};
use crate::layout::intersect::Overlap;
use crate::layout::mapping::{ArrayAxes, Local, LocalAxis};
use crate::layout::problem::Problem;
use crate::layout::strides::{ArrayDim, Shape, reach};

/// One dimension of what moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// The parts of an element.
    Parts,
    /// What the list names: indices of an axis, or elements of the whole array.
    Listed,
    /// An axis that is whole.
    Axis(usize),
}

/// The dimensions of what moves, the one that varies fastest first.
pub(super) struct ListedDims {
    all: Vec<Along>,
    /// Of each, the axis of the array; none where elements are listed.
    axes: Option<ArrayAxes>,
    axis: Option<usize>,
    element: u64,
}

impl ListedDims {
    /// Of an array whose axes vary in that order, with lists along `axis` or of elements.
    pub fn new(order: &[usize], axis: Option<usize>, element: usize) -> Self {
        let element = element as u64;
        // Elements of an array with one axis are indices of it.
        let axis = axis.or_else(|| (order.len() == 1).then_some(0));
        let axes = axis.map(|_| ArrayAxes::of(order, element));
        let parts = (ArrayAxes::of(&[], element).parts() > 1).then_some(Along::Parts);
        let of = |&k: &usize| if Some(k) == axis { Along::Listed } else { Along::Axis(k) };
        let listed = || axis.map_or(vec![Along::Listed], |_| order.iter().map(of).collect());
        let all = parts.into_iter().chain(listed()).collect();
        Self { all, axes, axis, element }
    }

    /// All of them.
    pub fn all(&self) -> &[Along] {
        &self.all
    }

    /// The axis of the array that is listed; none if elements are.
    pub fn axis(&self) -> Option<usize> {
        self.axis
    }

    /// Whether all that moves is listed along one axis: no other axis is there.
    pub fn is_one_axis(&self) -> bool {
        self.axis.is_some() && !self.all.iter().any(|along| matches!(along, Along::Axis(_)))
    }

    /// Which of the dimensions is listed.
    pub fn listed(&self) -> usize {
        self.all.iter().position(|&along| along == Along::Listed).expect("one is listed")
    }

    /// Bytes of a part of an element.
    pub fn unit(&self) -> usize {
        ArrayAxes::of(&[], self.element).unit()
    }

    /// Bytes of an element.
    pub fn element(&self) -> u64 {
        self.element
    }

    /// Parts of an element.
    pub fn parts(&self) -> u64 {
        ArrayAxes::of(&[], self.element).parts()
    }

    /// An array without gaps of so many listed indices, and of `other` along each other axis.
    pub fn dense(&self, listed: u64, other: impl Fn(usize) -> u64) -> Shape {
        let extent = |along: &Along| match *along {
            Along::Parts => self.parts(),
            Along::Listed => listed,
            Along::Axis(k) => other(k),
        };
        Shape::dense(self.unit(), &self.all.iter().map(extent).collect::<Vec<_>>())
    }

    /// What moves, with `total` indices in the lists of all of so many ranks.
    pub fn problem(&self, known: &KnownEnd, total: u64, ranks: u32) -> Problem {
        let extents = known.end().layout.extents();
        let dim = |along: &Along| {
            let len = match *along {
                Along::Parts => self.parts(),
                Along::Listed => total,
                Along::Axis(k) => extents[k],
            };
            Overlap { from: Axis::alone(), to: Axis::alone(), len }
        };
        let grid = || Grid::row_major(&[ranks]);
        let dims = self.all.iter().map(dim).collect();
        Problem { boxes: [true; 2], ..Problem::whole(dims, grid(), grid()) }
    }

    /// Where the local array of a process lies in its storage.
    pub fn seat(&self, local: &Local) -> Result<Seat, Failure> {
        let element = usize::try_from(self.element).expect("it was a usize");
        if let Some(axes) = &self.axes {
            return Seat::of(axes, local, element);
        }
        self.storage_seat(local)
    }

    /// The same of an array whose elements are listed one by one: all of its storage.
    pub fn storage_seat(&self, local: &Local) -> Result<Seat, Failure> {
        let large = || Failure::argument("a local array of more than 2^63 bytes");
        let bytes = |n: u64| n.checked_mul(self.element).filter(|&n| i64::try_from(n).is_ok());
        let (before, behind) = storage(local).ok_or_else(large)?;
        let reach = bytes(before).zip(bytes(behind)).ok_or_else(large)?;
        let origin = -i64::try_from(reach.0).map_err(|_| large())?;
        Ok(Seat { shape: self.dense(before + behind, |_| 1), origin, reach })
    }

    /// Where the program's array lies that has `count` listed indices.
    pub fn local_seat(&self, known: &KnownEnd, count: u64) -> Result<Seat, Failure> {
        let shape = self.dense(count, |k| known.end().layout.extents()[k]);
        let large =
            || Failure::argument("a local array of more than 2^63 bytes for the elements that are named");
        let reach = shape.reach().ok_or_else(large)?;
        Ok(Seat { shape, origin: 0, reach })
    }
}

/// Elements of a storage before that at place 0, and from it on; `None` if 63 bits do not hold them.
pub(super) fn storage(local: &Local) -> Option<(u64, u64)> {
    let dim = |axis: &LocalAxis| ArrayDim { extent: axis.extent(), stride: axis.stride };
    reach(1, local.axes.iter().map(dim))
}
