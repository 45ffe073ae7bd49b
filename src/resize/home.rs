//! Traits between a job and the program's memory. A resize reads arrays and values from the program's variables,
//! and writes new storage of the program's allocator to them.

use super::apart::Span;
use crate::arrays::{Seat, Template};
use crate::collective::failure::Failure;
use crate::mpi::blacs::Int;
use crate::pack::{Destination, Source};
use std::sync::Arc;

/// Allocates storage of that many bytes.
pub type Allocate<M> = dyn Fn(usize) -> Option<M> + Send;

/// Storage for one rank's part of an array.
pub trait Allocation: Send + 'static {
    /// Returns the array in the storage as a target; `None` if it does not fit. The storage exists until the result
    /// is dropped, or the result keeps it.
    fn destination(&mut self, seat: &Seat) -> Option<Destination<'static>>;

    /// Fills the storage with zeros.
    fn clear(&mut self);
}

/// The program's variables for an array.
pub trait Home<M>: Send {
    /// Returns the program's current descriptor, if the array is a matrix.
    fn descriptor(&self) -> Option<[Int; 9]>;

    /// Returns the program's current array as a source. The program keeps it until the result is dropped.
    fn source(&self, seat: &Seat) -> Option<Source<'static>>;

    /// Sets the first storage of the array, if the rank has a part. Previous values of the variables are ignored.
    fn settle(&mut self, memory: Option<M>, descriptor: Option<[Int; 9]>);

    /// Replaces the storage, or removes it if the rank has no part; frees the previous one.
    fn put(&mut self, memory: Option<M>, descriptor: Option<[Int; 9]>);

    /// Returns whether the program has passed storage.
    fn has_storage(&self) -> bool;

    /// Returns the bytes of that storage, if known.
    fn room(&self) -> Option<u64>;

    /// Returns the program's memory that is used, if the storage has `bytes` bytes.
    fn spans(&self, bytes: u64) -> Vec<Span>;
}

/// The program's variable for a value that is equal on all ranks.
pub trait ValueHome: Send {
    /// Returns the bytes of the value.
    fn read(&self) -> Vec<u8>;

    /// Sets the value; the length does not change.
    fn write(&mut self, bytes: &[u8]);

    /// Returns the program's memory that is used.
    fn span(&self) -> Option<Span>;
}

/// A program's choice of distribution formats for another number of ranks.
pub trait Formats: Send {
    /// Describes the axes of `template`; none is distributed yet. Must not communicate.
    fn describe(&self, template: &Arc<Template>) -> Result<(), Failure>;
}
