//! Equality and keys of maps, for programs that cache data derived from a map, such as plans.

use super::map::Map;
use crate::collective::failure::Failure;
use crate::layout::mapping::LocalBoxes;
use crate::system::digest::digest;
use std::sync::Arc;

/// Lower bound, own elements and stride of a local array's axis.
type StorageAxis = (i64, u64, i64);

impl Map {
    /// Returns whether both maps have equal indices and put each element at the same place of the storage of the same
    /// processes. Local: compares bounds, distributions and storage. Maps differ if their communicators do not have the
    /// same processes in the same order, or if their formats are of different kinds (`BLOCK` and `CYCLIC`, `GEN_BLOCK`,
    /// `INDIRECT`, boxes), even if they distribute indices alike.
    pub fn is_same(&self, other: &Self) -> Result<bool, Failure> {
        let alike = self.places() == other.places()
            && (self.map().boxes(), self.storage()) == (other.map().boxes(), other.storage());
        Ok(alike && self.procs().has_same_processes(other.procs())?)
    }

    /// Returns a key of the map: equal on all its processes, and equal for maps that are the same by
    /// [`Map::is_same`]. Different maps have different keys, except with a chance of one in 2^63, and in two cases.
    /// Strides set by a process do not count, since each process may set its own. If the processes of a communicator
    /// are not all in one `MPI_COMM_WORLD`, only their number counts.
    pub fn key(&self) -> Result<i64, Failure> {
        Ok(digest(&(self.places(), self.map().boxes(), self.procs().group_digest()?)))
    }

    /// Returns bounds, distribution and the layout of local arrays, without strides that the program set.
    fn places(&self) -> impl std::hash::Hash + PartialEq + '_ {
        let (map, layout) = (self.map(), self.layout());
        let bounds: Vec<_> = map.axes().iter().map(|axis| (axis.lower, axis.upper, axis.shadow)).collect();
        // An axis with a single element may be anywhere in the order.
        let several = |k: &usize| map.axes()[*k].extent() > 1 || map.axes()[*k].shadow != (0, 0);
        let order: Vec<usize> = map.order().iter().copied().filter(several).collect();
        (bounds, order, layout.axes(), layout.whole_grid())
    }

    /// Returns the boxes and the axes of the local array, with stride 0 for an axis of one element.
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
