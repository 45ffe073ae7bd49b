//! WHERE does a program keep what moves? Its variables and its allocator, which registered things are read from and put back into. It
//! knows no layout, and never which ranks join or leave.

use super::apart::Span;
use crate::arrays::{Seat, Template};
use crate::collective::failure::Failure;
use crate::mpi::blacs::Int;
use crate::pack::{Destination, Source};
use std::sync::Arc;

/// Storage for one rank's part of an array.
pub trait Allocation: Send + 'static {
    /// The array in it, to write; `None` unless it lies within. It is there until the value is gone, or is kept by it.
    fn destination(&mut self, seat: &Seat) -> Option<Destination<'static>>;

    /// From now on it is all zeros.
    fn clear(&mut self);
}

/// Where a program keeps an array: its variables.
pub trait Home<M>: Send {
    /// The descriptor of a matrix, as the program has it now.
    fn descriptor(&self) -> Option<[Int; 9]>;

    /// The array as the program has it now, to read. The program leaves it there until the value is gone.
    fn source(&self, seat: &Seat) -> Option<Source<'static>>;

    /// The array gets its first storage, if the rank has any. What the variables held before does not matter.
    fn settle(&mut self, memory: Option<M>, descriptor: Option<[Int; 9]>);

    /// From now on the array is in other storage, or the rank has none; what was there before is given back.
    fn put(&mut self, memory: Option<M>, descriptor: Option<[Int; 9]>);

    /// Whether the program has given storage.
    fn has_storage(&self) -> bool;

    /// Bytes of that storage, where they are known.
    fn room(&self) -> Option<u64>;

    /// Memory of the program that it uses, with a storage of so many bytes.
    fn spans(&self, bytes: u64) -> Vec<Span>;
}

/// Where a program keeps a value that all ranks have alike.
pub trait ValueHome: Send {
    /// Its bytes.
    fn read(&self) -> Vec<u8>;

    /// It gets these bytes, which are as many.
    fn write(&mut self, bytes: &[u8]);

    /// Memory of the program that it uses.
    fn span(&self) -> Option<Span>;
}

/// How a program deals an array out to another number of ranks.
pub trait Formats: Send {
    /// Describes the axes of `template`, of which none is distributed yet. It asks no other rank.
    fn describe(&self, template: &Arc<Template>) -> Result<(), Failure>;
}
