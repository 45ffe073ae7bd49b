//! DO two maps mean the same? For programs that keep plans, or whatever else they have made of a map, and look it up by value.

use super::failure::Failure;
use super::map::Map;
use crate::digest::digest;

impl Map {
    /// Whether the elements of both arrays have the same indices, and each of them is in the same place of the storage of the same
    /// processes, as far as the calling process sees that from bounds, distributions and storage: it is told without asking others.
    /// Arrays on communicators with different processes are different.
    pub fn is_same(&self, other: &Self) -> Result<bool, Failure> {
        let alike = self.places() == other.places()
            && (self.map().boxes(), self.local()) == (other.map().boxes(), other.local());
        Ok(alike && self.procs().is_among(other.procs())?)
    }

    /// A number that is the same on all processes that have this map, and of all maps that mean the same on the same communicator. Maps
    /// that are different have different numbers, but for a chance of one in 2^63. Strides that a process gave do not count, as each
    /// process may give others.
    pub fn key(&self) -> i64 {
        digest(&(self.places(), self.map().boxes()))
    }

    /// Bounds, where elements are, and how local arrays are laid out, but for strides that the program gave.
    fn places(&self) -> impl std::hash::Hash + PartialEq + '_ {
        let (map, layout) = (self.map(), self.layout());
        let bounds: Vec<_> = map.axes().iter().map(|axis| (axis.lower, axis.upper, axis.shadow)).collect();
        (bounds, map.order(), layout.axes(), layout.whole_grid())
    }
}
