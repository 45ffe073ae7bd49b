//! Traits for the program's memory. A resize moves arrays from the program's variables into new storage of the
//! program's allocator, and hands this storage over to the variables.

use super::spans::Span;
use crate::arrays::{Seat, Template};
use crate::collective::failure::Failure;
use crate::mpi::blacs::Int;
use crate::pack::{Destination, Source};
use std::sync::Arc;

/// The program's allocator: returns storage of a size in bytes, or `None` without memory.
pub type Allocate<M> = dyn Fn(usize) -> Option<M> + Send;

/// Storage for one rank's part of an array.
pub trait Allocation: Send + 'static {
    /// Returns the storage as the target of a move, with the layout of `seat`; `None` if the array does not fit. The
    /// caller keeps the storage until the result is dropped, unless the result owns it.
    fn destination(&mut self, seat: &Seat) -> Option<Destination<'static>>;

    /// Fills the storage with zeros.
    fn clear(&mut self);

    /// Checks that the host can access the storage.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// The program's variables for an array.
pub trait ArrayVariables<M>: Send {
    /// Returns the program's current descriptor, if the array is a matrix.
    fn descriptor(&self) -> Option<[Int; 9]>;

    /// Returns the program's array as the source of a move, with the layout of `seat`. The program keeps the array
    /// until the result is dropped.
    fn source(&self, seat: &Seat) -> Option<Source<'static>>;

    /// Sets the variables for the first time: the storage, if the rank has a part, and the descriptor. Frees nothing,
    /// since the variables may have any values before.
    fn initialize(&mut self, memory: Option<M>, descriptor: Option<[Int; 9]>);

    /// Frees the previous storage, then sets the variables: the storage, if the rank has a part, and the descriptor.
    fn replace(&mut self, memory: Option<M>, descriptor: Option<[Int; 9]>);

    /// Checks that the host can access the storage that the program has passed.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns whether the program has passed storage.
    fn has_storage(&self) -> bool;

    /// Returns the size in bytes of the storage that the program has passed, if known.
    fn room(&self) -> Option<u64>;

    /// Returns the program's memory that the job uses: the variables, and the storage, of `bytes` bytes.
    fn spans(&self, bytes: u64) -> Vec<Span>;
}

/// The program's variable for a value that is equal on all ranks.
pub trait ValueVariable: Send {
    /// Returns the bytes of the value.
    fn read(&self) -> Vec<u8>;

    /// Sets the value; the length does not change.
    fn write(&mut self, bytes: &[u8]);

    /// Returns the program's memory that the job uses for the value.
    fn span(&self) -> Option<Span>;
}

/// A program's choice of distribution formats for another number of ranks.
pub trait Formats: Send {
    /// Sets the format of each axis of `template`, which has no formats yet. Must not communicate.
    fn describe(&self, template: &Arc<Template>) -> Result<(), Failure>;
}
