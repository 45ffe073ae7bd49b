//! HOW is a mapped array seen by a problem? Its axes in the order of the problem's dimensions, some from the other end, and the parts of an
//! element as one more.

use super::{Local, LocalAxis};
use crate::layout::strides::ArrayView;
use crate::layout::strides::{ArrayDim, Shape};

/// How one of the two arrays of a redistribution is seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayAxes {
    /// The axis of the array that each dimension of the problem is, if it is one.
    pub(super) axes: Vec<Option<usize>>,
    /// Of each dimension, whether that axis is seen from the other end.
    pub(super) reversed: Vec<bool>,
    /// Parts of an element.
    pub(super) parts: u64,
    pub(super) unit: usize,
}

impl ArrayAxes {
    /// Axes in this order, and before them the parts of elements of `element` bytes, if these have several. A scalar has one
    /// dimension, too.
    pub fn of(order: &[usize], element: u64) -> Self {
        let (unit, parts) = parted(element);
        let mut axes: Vec<Option<usize>> = order.iter().copied().map(Some).collect();
        if parts > 1 || axes.is_empty() {
            axes.insert(0, None);
        }
        let reversed = vec![false; axes.len()];
        Self { axes, reversed, parts, unit: usize::try_from(unit).expect("at most 16") }
    }

    /// Bytes of a part of an element.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// Parts of an element.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// A local array as the problem sees it: its shape, and the bytes from the start of its storage to the first of the
    /// process's own elements. `None` if 63 bits do not hold that.
    pub fn shape(&self, local: &Local) -> Option<(Shape, i64)> {
        if let Some(boxes) = &local.boxes {
            // The storage; its boxes are arrays in it.
            let shape = Shape::dense(self.unit, &[boxes.elements().checked_mul(self.parts)?]);
            return shape.reach().map(|_| (shape, 0));
        }
        self.array(&local.axes, local.origin())
    }

    /// The array of a box in the storage of which [`ArrayAxes::shape`] is the shape; `axes` are the box's own.
    pub fn view(&self, offset: u64, axes: &[LocalAxis]) -> Option<ArrayView> {
        let (shape, first) = self.array(axes, i64::try_from(offset).ok()?)?;
        Some(ArrayView { offset: u64::try_from(first).ok()?, shape })
    }

    /// Whether dimension `d` of the problem is an axis that is seen from the other end.
    pub fn is_reversed(&self, d: usize) -> bool {
        self.reversed[d]
    }

    /// The axis of the array that dimension `d` of the problem is, if it is one.
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
                // The first dimension may be the parts of an element; others have one index.
                None if d == 0 && self.parts > 1 => ArrayDim { extent: self.parts, stride: unit },
                None => ArrayDim { extent: 1, stride: unit },
            });
        }
        let shape = Shape::new(self.unit, &dims);
        shape.reach()?;
        Some((shape, first))
    }
}

/// Bytes of a part of an element of so many bytes, and how many parts.
pub(super) fn parted(element: u64) -> (u64, u64) {
    let unit = [16, 8, 4, 2].into_iter().find(|unit| element % unit == 0).unwrap_or(1);
    (unit, element / unit)
}
