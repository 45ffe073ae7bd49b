//! WHERE does data lie between two phases? In an array of reblock's own, which has one writer or several readers at a time.

use super::array::{Destination, Source, copy};
use super::uses::Uses;
use crate::layout::intersect::{Family, Slice};
use crate::layout::strides::Shape;
use crate::system::held::Memory;
use std::ops::Range;
use std::sync::Arc;

/// A local array of reblock's own, between two phases.
#[derive(Debug)]
pub struct OwnedArray {
    base: *mut u8,
    shape: Shape,
    memory: Arc<Memory>,
    uses: Uses,
}

// SAFETY: the address is that of `memory`, which may be sent.
unsafe impl Send for OwnedArray {}

impl OwnedArray {
    /// An array of zeros; `None` if there is no memory for it.
    pub fn new(shape: Shape) -> Option<Self> {
        let (before, behind) = shape.reach()?;
        assert_eq!(before, 0, "an array of one's own starts at its first element");
        let mut memory = Memory::new(usize::try_from(behind).ok()?)?;
        let base = memory.words_mut().as_mut_ptr().cast();
        Some(Self { base, shape, memory: Arc::new(memory), uses: Uses::default() })
    }

    /// What `of` has at the indices `part`, a range a dimension, to read at the same indices: a copy, which nobody writes. `None` if
    /// there is no memory for it.
    pub(crate) fn copy_of(of: &Source<'_>, part: &[Range<u64>]) -> Option<Source<'static>> {
        let lens: Vec<u64> = part.iter().map(|range| range.end - range.start).collect();
        let mut array = Self::new(Shape::dense(of.element(), &lens))?;
        let run =
            |range: &Range<u64>| Slice::from(vec![Family::run([range.start, 0], range.end - range.start)]);
        if !lens.contains(&0) {
            let dims: Vec<Slice<2>> = part.iter().map(run).collect();
            copy(of, &mut array.destination(), &dims);
        }
        let starts = part.iter().map(|range| range.start);
        Some(array.source().counted_from(starts))
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its bytes, as they are in memory, when nobody writes it.
    pub fn bytes(&mut self) -> &[u8] {
        assert!(self.uses.none_writes(), "somebody writes the array");
        // SAFETY: the memory was made for that many bytes, all of them initialized; nobody else writes them now (asserted), and
        // a later writer needs this value mutably.
        unsafe { std::slice::from_raw_parts(self.base, self.length()) }
    }

    /// Its bytes, to write, when nobody else reads or writes it.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.uses.are_none(), "somebody reads or writes the array");
        // SAFETY: as in `bytes`; nobody else reads or writes the memory (asserted).
        unsafe { std::slice::from_raw_parts_mut(self.base, self.length()) }
    }

    /// Bytes from its first element to behind the last.
    fn length(&self) -> usize {
        self.shape.reach().and_then(|(_, behind)| usize::try_from(behind).ok()).expect("it was allocated so")
    }

    /// The array to read, when nobody writes it.
    pub fn source(&mut self) -> Source<'static> {
        let keeper = Arc::new((self.memory.clone(), self.uses.read().expect("somebody writes the array")));
        // SAFETY: the memory was made for the array and lives as long as the keeper; who writes it is counted.
        unsafe { Source::new(self.base, self.shape.clone()) }.kept_by(keeper)
    }

    /// The array to write, when nobody else reads or writes it.
    pub fn destination(&mut self) -> Destination<'static> {
        let keeper = self.uses.write().expect("somebody reads or writes the array");
        let keeper = Arc::new((self.memory.clone(), keeper));
        // SAFETY: the same.
        let mut destination = unsafe { Destination::new(self.base, self.shape.clone()) }.kept_by(keeper);
        destination.expect(self.shape.bytes() as u64);
        destination
    }
}
