//! DO two maps mean the same? For programs that keep plans, or whatever else they have made of a map, and look it up by value.

use super::map::Map;
use crate::collective::failure::Failure;
use crate::layout::mapping::LocalBoxes;
use crate::system::digest::digest;
use std::sync::Arc;

/// Lower bound, own elements and stride of a local array's axis.
type StorageAxis = (i64, u64, i64);

impl Map {
    /// Whether the elements of both arrays have the same indices, and each of them is in the same place of the storage of the same
    /// processes. The calling process finds it out from bounds, distributions and storage, without asking others. Maps on
    /// communicators that do not have the same processes in the same order are different. So are formats of different kinds
    /// (`BLOCK` and `CYCLIC`, `GEN_BLOCK`, `INDIRECT`, boxes), although they may deal indices out alike.
    pub fn is_same(&self, other: &Self) -> Result<bool, Failure> {
        let alike = self.places() == other.places()
            && (self.map().boxes(), self.storage()) == (other.map().boxes(), other.storage());
        Ok(alike && self.procs().is_among(other.procs())?)
    }

    /// A number that is the same on all processes that have this map, and of all maps that mean the same. Maps that are different have
    /// different numbers, but for a chance of one in 2^63, and but for two exceptions. Strides that a process gave do not count, as
    /// each process may give others. Of a communicator whose processes are not all in one `MPI_COMM_WORLD` only the number of
    /// processes counts.
    pub fn key(&self) -> Result<i64, Failure> {
        Ok(digest(&(self.places(), self.map().boxes(), self.procs().group_digest()?)))
    }

    /// Bounds, where elements are, and how local arrays are laid out, but for strides that the program gave.
    fn places(&self) -> impl std::hash::Hash + PartialEq + '_ {
        let (map, layout) = (self.map(), self.layout());
        let bounds: Vec<_> = map.axes().iter().map(|axis| (axis.lower, axis.upper, axis.shadow)).collect();
        // The place of an axis with a single element in the order does not matter.
        let several = |k: &usize| map.axes()[*k].extent() > 1 || map.axes()[*k].shadow != (0, 0);
        let order: Vec<usize> = map.order().iter().copied().filter(several).collect();
        (bounds, order, layout.axes(), layout.whole_grid())
    }

    /// The local array: axes with the strides that matter, which are those of axes with several elements, and boxes.
    fn storage(&self) -> (Vec<StorageAxis>, Option<&Arc<LocalBoxes>>) {
        let local = self.local();
        let is_empty = local.axes.iter().any(|axis| axis.extent() == 0);
        let axes = local.axes.iter().map(|axis| {
            let stride = if is_empty || axis.extent() == 1 { 0 } else { axis.stride };
            (axis.lower, axis.len, stride)
        });
        (axes.collect(), local.boxes.as_ref())
    }
}
