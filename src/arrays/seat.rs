//! Where does a local array lie in a process's storage?

use crate::collective::failure::Failure;
use crate::layout::mapping::{ArrayAxes, Local, LocalAxis};
use crate::layout::strides::{ArrayDim, Shape, reach};

/// Where a local array lies in a process's storage.
#[derive(Clone, PartialEq, Debug)]
pub struct Seat {
    /// The process's own elements.
    pub shape: Shape,
    /// Bytes from the storage's element at place 0 of each axis to the first of its own elements.
    pub origin: i64,
    /// Bytes that the storage has before that element at place 0, which strides that are negative reach, and from it on.
    pub reach: (u64, u64),
}

impl Seat {
    /// That of a local array, seen so, with elements of `element` bytes; or why it is too large.
    pub(super) fn of(axes: &ArrayAxes, local: &Local, element: usize) -> Result<Self, Failure> {
        let large = || Failure::argument("a local array of more than 2^63 bytes");
        let (shape, origin) = axes.shape(local).ok_or_else(large)?;
        let bytes = i64::try_from(element).map_err(|_| large())?;
        let dim = |axis: &LocalAxis| {
            Some(ArrayDim { extent: axis.extent(), stride: axis.stride.checked_mul(bytes)? })
        };
        let dims: Option<Vec<ArrayDim>> = local.axes.iter().map(dim).collect();
        let reach = dims.and_then(|dims| reach(element as u64, dims.into_iter())).ok_or_else(large)?;
        Ok(Self { shape, origin, reach })
    }

    /// Bytes from the start of a storage to the first of the process's own elements. Where there is none it does not matter.
    pub fn first(&self) -> u64 {
        self.reach.0.saturating_add_signed(self.origin)
    }

    /// The address of the first of the process's own elements, in a storage whose element at place 0 of each axis is at `base`.
    pub fn begin(&self, base: *mut u8) -> *mut u8 {
        // The storage has that many bytes, which an isize holds.
        base.wrapping_offset(isize::try_from(self.origin).unwrap_or(0))
    }
}
