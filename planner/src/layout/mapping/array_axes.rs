//! Views of local arrays with the dimensions of a problem: axes in another order, some reversed. An element consists of
//! parts of 1, 2, 4, 8 or 16 bytes; several parts form one more dimension.

use super::{LocalArray, LocalAxis};
use crate::layout::strides::ArrayView;
use crate::layout::strides::{ArrayDim, Shape};

/// View of one of the two arrays of a redistribution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayAxes {
    /// For each dimension of the problem, the axis of the array that it stands for, if any.
    pub(super) axes: Vec<Option<usize>>,
    /// For each dimension, whether its axis is reversed.
    pub(super) reversed: Vec<bool>,
    /// Number of parts of an element; `unit` is the size of a part in bytes.
    pub(super) parts: u64,
    pub(super) unit: usize,
}

impl ArrayAxes {
    /// Creates the view with axes in the order `order`. If elements of `element` bytes have several parts, dimension 0
    /// is the parts. A scalar gets one dimension, too.
    pub fn of(order: &[usize], element: u64) -> Self {
        let (unit, parts) = split_element(element);
        let mut axes: Vec<Option<usize>> = order.iter().copied().map(Some).collect();
        if parts > 1 || axes.is_empty() {
            axes.insert(0, None);
        }
        let reversed = vec![false; axes.len()];
        Self { axes, reversed, parts, unit: usize::try_from(unit).expect("at most 16") }
    }

    /// Returns the size of a part of an element in bytes: 1, 2, 4, 8 or 16.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// Returns the number of parts of an element.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// Returns the shape of a local array in this view, and the offset in bytes of the view's first element from the
    /// array's first element, shadow included. `None` if they exceed 63 bits.
    pub fn shape(&self, local: &LocalArray) -> Option<(Shape, i64)> {
        if let Some(boxes) = &local.boxes {
            // Returns the shape of the whole storage. Each box is an array in it ([`ArrayAxes::view`]).
            let shape = Shape::dense(self.unit, &[boxes.elements().checked_mul(self.parts)?]);
            return shape.reach().map(|_| (shape, 0));
        }
        self.array(&local.axes, local.origin())
    }

    /// Returns the view of a box that begins at `offset` (in elements) in a storage with the shape that
    /// [`ArrayAxes::shape`] returns. `axes` are the box's axes.
    pub fn view(&self, offset: u64, axes: &[LocalAxis]) -> Option<ArrayView> {
        let (shape, first) = self.array(axes, i64::try_from(offset).ok()?)?;
        Some(ArrayView { offset: u64::try_from(first).ok()?, shape })
    }

    /// Returns true if dimension `d` of the problem is a reversed axis.
    pub fn is_reversed(&self, d: usize) -> bool {
        self.reversed[d]
    }

    /// Returns the array's axis for dimension `d` of the problem, if any.
    pub fn axis(&self, d: usize) -> Option<usize> {
        self.axes[d]
    }

    fn array(&self, axes: &[LocalAxis], origin: i64) -> Option<(Shape, i64)> {
        let element = i64::try_from(self.parts.checked_mul(self.unit as u64)?).ok()?;
        let unit = i64::try_from(self.unit).ok()?;
        let mut dims = Vec::with_capacity(self.axes.len());
        let mut first = origin.checked_mul(element)?;
        for (d, axis) in self.axes.iter().enumerate() {
            dims.push(match axis {
                Some(k) if self.reversed[d] => {
                    let LocalAxis { len, stride, .. } = axes[*k];
                    let stride = stride.checked_mul(element)?;
                    let last = i64::try_from(len.saturating_sub(1)).ok()?;
                    first = first.checked_add(last.checked_mul(stride)?)?;
                    ArrayDim { extent: len, stride: stride.checked_neg()? }
                }
                Some(k) => ArrayDim { extent: axes[*k].len, stride: axes[*k].stride.checked_mul(element)? },
                // Dimension 0 may be the parts of an element; other dimensions without an axis have one index.
                None if d == 0 && self.parts > 1 => ArrayDim { extent: self.parts, stride: unit },
                None => ArrayDim { extent: 1, stride: unit },
            });
        }
        let shape = Shape::new(self.unit, &dims);
        shape.reach()?;
        Some((shape, first))
    }
}

/// Splits an element into the largest units of at most 16 bytes. Returns the bytes of a unit and the number of units.
pub(super) fn split_element(element: u64) -> (u64, u64) {
    let unit = [16, 8, 4, 2].into_iter().find(|unit| element % unit == 0).unwrap_or(1);
    (unit, element / unit)
}
