//! Where does a local array lie in a process's storage?

use super::failure::Failure;
use crate::mapping::{Local, Side};
use crate::pack::Shape;

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
    pub(super) fn of(side: &Side, local: &Local, element: usize) -> Result<Self, Failure> {
        let large = || Failure::argument("a local array of more than 2^63 bytes");
        let (shape, origin) = side.shape(local).ok_or_else(large)?;
        let element = i64::try_from(element).map_err(|_| large())?;
        let (mut before, mut behind) = (0i64, element);
        for axis in &local.axes {
            let steps = i64::try_from(axis.extent().saturating_sub(1)).ok();
            let reach = steps
                .and_then(|steps| steps.checked_mul(axis.stride)?.checked_mul(element))
                .ok_or_else(large)?;
            before =
                reach.min(0).checked_neg().and_then(|reach| before.checked_add(reach)).ok_or_else(large)?;
            behind = behind.checked_add(reach.max(0)).ok_or_else(large)?;
        }
        let none = local.axes.iter().any(|axis| axis.extent() == 0);
        let reach = if none { (0, 0) } else { (before.unsigned_abs(), behind.unsigned_abs()) };
        Ok(Self { shape, origin, reach })
    }
}
