//! Positions of local arrays in a process's storage.

use crate::collective::failure::Failure;
use crate::layout::mapping::{ArrayAxes, LocalArray, LocalAxis};
use crate::layout::strides::{ArrayDim, Shape, reach};

/// Position of a local array in a process's storage.
#[derive(Clone, PartialEq, Debug)]
pub struct Seat {
    /// Shape of the process's own elements.
    pub shape: Shape,
    /// Bytes from the element at place 0 of each axis to the first of the process's own elements.
    pub origin: i64,
    /// Bytes of the storage before the element at place 0 (reached by negative strides), and from there on.
    pub reach: (u64, u64),
}

impl Seat {
    /// Returns the position of `local`, with elements of `element` bytes and its axes in the order of the plan's
    /// dimensions. An error if it has more than 2^63 bytes.
    pub(super) fn new(axes: &ArrayAxes, local: &LocalArray, element: usize) -> Result<Self, Failure> {
        let large = || Failure::argument("the local array has more than 2^63 bytes");
        let (shape, origin) = axes.shape(local).ok_or_else(large)?;
        let bytes = i64::try_from(element).map_err(|_| large())?;
        let dim = |axis: &LocalAxis| {
            Some(ArrayDim { extent: axis.extent(), stride: axis.stride.checked_mul(bytes)? })
        };
        let dims: Option<Vec<ArrayDim>> = local.axes.iter().map(dim).collect();
        let reach = dims.and_then(|dims| reach(element as u64, dims.into_iter())).ok_or_else(large)?;
        Ok(Self { shape, origin, reach })
    }

    /// Returns the bytes from the start of a storage to the first own element; meaningless without own elements.
    pub fn first(&self) -> u64 {
        self.reach.0.saturating_add_signed(self.origin)
    }

    /// Returns the address of the first own element; `base` is the address of the element at place 0 of each axis.
    pub fn begin(&self, base: *mut u8) -> *mut u8 {
        // The origin is within the storage, whose size fits an isize.
        base.wrapping_offset(isize::try_from(self.origin).unwrap_or(0))
    }
}
