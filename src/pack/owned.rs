//! Arrays that reblock allocates for its own use, such as the intermediate arrays between two phases of a plan.

use super::array::{Destination, Source};
use super::backend::copy;
use super::uses::Uses;
use crate::layout::intersect::{Family, Slice};
use crate::layout::strides::Shape;
use crate::system::buffer_memory::Memory;
use std::ops::Range;
use std::sync::Arc;

/// A local array that reblock has allocated. It has one writer or several readers at a time.
#[derive(Debug)]
pub struct OwnedArray {
    base: *mut u8,
    shape: Shape,
    memory: Arc<Memory>,
    uses: Uses,
}

// SAFETY: `base` is the address of `memory`, which may be sent.
unsafe impl Send for OwnedArray {}

impl OwnedArray {
    /// Allocates an array of zeros; `None` if memory is short.
    pub fn new(shape: Shape) -> Option<Self> {
        let (before, behind) = shape.reach()?;
        assert_eq!(before, 0, "the strides of an owned array are not negative");
        let mut memory = Memory::new(usize::try_from(behind).ok()?)?;
        let base = memory.words_mut().as_mut_ptr().cast();
        Some(Self { base, shape, memory: Arc::new(memory), uses: Uses::default() })
    }

    /// Copies the elements of `original` at the indices `part` (a range per dimension) to a source that nothing writes
    /// afterwards. They keep their indices. `None` if memory is short.
    pub(crate) fn copy_of(original: &Source<'_>, part: &[Range<u64>]) -> Option<Source<'static>> {
        let lens: Vec<u64> = part.iter().map(|range| range.end - range.start).collect();
        let mut array = Self::new(Shape::dense(original.element(), &lens))?;
        let run = |range: &Range<u64>| {
            Slice::from(vec![Family::one_run([range.start, 0], range.end - range.start)])
        };
        if !lens.contains(&0) {
            let dims: Vec<Slice<2>> = part.iter().map(run).collect();
            copy(original, &mut array.destination(), &dims);
        }
        let starts = part.iter().map(|range| range.start);
        Some(array.source().counted_from(starts))
    }

    /// Returns the array's extents, strides and element size.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the array's bytes as they lie in memory. Panics if the array has a writer.
    pub fn bytes(&mut self) -> &[u8] {
        assert!(self.uses.none_writes(), "the array has a writer");
        // SAFETY: the memory was allocated with this many bytes, all initialized. It has no writer now (asserted). A
        // new writer needs `&mut self`, which stays borrowed as long as the result lives.
        unsafe { std::slice::from_raw_parts(self.base, self.length()) }
    }

    /// Returns the array's bytes for writing. Panics if the array has another user.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.uses.are_none(), "the array has another user");
        // SAFETY: as in `bytes`; the memory has no other user (asserted).
        unsafe { std::slice::from_raw_parts_mut(self.base, self.length()) }
    }

    fn length(&self) -> usize {
        self.shape
            .reach()
            .and_then(|(_, behind)| usize::try_from(behind).ok())
            .expect("checked when it was allocated")
    }

    /// Returns the array as a source. Panics if it has a writer.
    pub fn source(&mut self) -> Source<'static> {
        let keeper = Arc::new((self.memory.clone(), self.uses.read().expect("the array has a writer")));
        // SAFETY: the memory was allocated for the array and lives as long as the keeper; `uses` excludes a writer.
        unsafe { Source::new(self.base, self.shape.clone()) }.kept_by(keeper)
    }

    /// Returns the array as a destination. Panics if it has another user.
    pub fn destination(&mut self) -> Destination<'static> {
        let keeper = self.uses.write().expect("the array has another user");
        let keeper = Arc::new((self.memory.clone(), keeper));
        // SAFETY: as in `source`; `uses` excludes other users.
        let mut destination = unsafe { Destination::new(self.base, self.shape.clone()) }.kept_by(keeper);
        destination.announce_write(self.shape.bytes() as u64);
        destination
    }
}
