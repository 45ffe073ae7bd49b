//! The local array of one rank, as the source or the destination of a copy.

use super::ahead::{FAR, PAST, STREAMED};
use super::block::STREAM;
use super::rectangle::{self, How, Instructions, Side};
use super::runs::Distance;
use super::stage;
use crate::held::Memory;
use crate::overlap::Family;
use std::marker::PhantomData;

/// Shape of a local array: column-major, `rows` x `cols` elements of `element` bytes, columns `ld` elements apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Local rows.
    pub rows: u64,
    /// Local columns.
    pub cols: u64,
    /// Leading dimension, in elements.
    pub ld: u64,
    /// Bytes an element: 4, 8 or 16.
    pub element: usize,
}

impl Shape {
    /// Bytes from the first element on to the last column's end.
    fn bytes(&self) -> usize {
        usize::try_from(self.ld.saturating_mul(self.cols)).unwrap_or(usize::MAX).saturating_mul(self.element)
    }

    /// The best way for arrays at such a distance.
    fn how(&self, distance: Distance) -> How {
        assert!(matches!(self.element, 4 | 8 | 16), "elements have 4, 8 or 16 bytes, not {}", self.element);
        How { element: self.element, distance, instructions: Instructions::best() }
    }

    fn assert_holds<const D: usize>(&self, d: usize, rows: &[Family<D>], cols: &[Family<D>]) {
        let end = |families: &[Family<D>]| families.iter().map(|f| f.end(d)).max().unwrap_or(0);
        assert!(end(rows) <= self.rows && end(cols) <= self.cols, "indices outside a local array {self:?}");
    }
}

/// Who reads a buffer next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// The core that fills it.
    ThisCore,
    /// Another core, whose cache may be far from this one's.
    AnotherCore,
}

/// A local array that is read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    base: *const u8,
    shape: Shape,
    memory: PhantomData<&'a [u8]>,
}

/// A local array that is written.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    base: *mut u8,
    shape: Shape,
    memory: PhantomData<&'a mut [u8]>,
}

/// A local array of reblock's own, between two phases.
#[derive(Debug)]
pub struct Owned {
    memory: Memory,
    shape: Shape,
}

impl Owned {
    /// An array of zeros; `None` if there is no memory for it.
    pub fn new(shape: Shape) -> Option<Self> {
        let bytes = usize::try_from(shape.ld.checked_mul(shape.cols)?).ok()?.checked_mul(shape.element)?;
        Some(Self { memory: Memory::new(bytes)?, shape })
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The array to read.
    pub fn source(&self) -> Source<'_> {
        Source { base: self.memory.words().as_ptr().cast(), shape: self.shape, memory: PhantomData }
    }

    /// The array to write.
    pub fn destination(&mut self) -> Destination<'_> {
        Destination {
            base: self.memory.words_mut().as_mut_ptr().cast(),
            shape: self.shape,
            memory: PhantomData,
        }
    }
}

// SAFETY: what is behind it is only read, and by the promise of `new` nobody writes it meanwhile.
unsafe impl Send for Source<'_> {}
// SAFETY: as for Send.
unsafe impl Sync for Source<'_> {}
// SAFETY: by the promise of `new`, threads that use it at the same time write different elements.
unsafe impl Send for Destination<'_> {}
// SAFETY: as for Send.
unsafe impl Sync for Destination<'_> {}

impl Source<'_> {
    /// # Safety
    /// For as long as the value is used, each of the `rows` x `cols` elements of the array at `base` is readable and
    /// nobody writes it, except through a [`Destination`] that was made for the same memory.
    pub unsafe fn new(base: *const u8, shape: Shape) -> Self {
        Self { base, shape, memory: PhantomData }
    }

    /// Bytes an element.
    pub fn element(&self) -> usize {
        self.shape.element
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its first byte's address, to compare.
    pub fn address(&self) -> usize {
        self.base.addr()
    }

    /// Whether there is no memory behind it, so that no element may be named.
    pub fn is_null(&self) -> bool {
        self.base.is_null()
    }

    fn side(&self) -> Side<*const u8> {
        Side { base: self.base, ld: self.shape.ld }
    }

    /// Writes the elements rows x cols, column by column, to the front of `out`, which `reader` reads next; returns the
    /// bytes written.
    pub fn pack(&self, rows: &[Family<1>], cols: &[Family<1>], out: &mut [u8], reader: Reader) -> usize {
        self.shape.assert_holds(0, rows, cols);
        let bytes = bytes(rows, cols, self.shape.element);
        assert!(bytes <= out.len(), "{bytes} bytes do not fit in {}", out.len());
        let out = out.as_mut_ptr();
        let past = reader == Reader::AnotherCore && bytes >= PAST;
        // SAFETY: the families lie within the array (asserted) and, as positions, within `out` (asserted) or the stage.
        unsafe {
            if past && bytes / element_runs(rows, cols) < STREAM {
                stage::through(out, bytes, |stage| self.pack_dense(rows, cols, stage, false));
            } else {
                self.pack_dense(rows, cols, out, past);
            }
        }
        bytes
    }

    /// # Safety
    /// The elements rows x cols are in the array, and there is room for them at `out`.
    unsafe fn pack_dense(&self, rows: &[Family<1>], cols: &[Family<1>], out: *mut u8, stream: bool) {
        let dense = Side { base: out, ld: total(rows) };
        let distance = Distance { ahead: self.shape.bytes() >= FAR, stream };
        let pair = |local, position| [local, position];
        let (rows, cols) = (paired(rows, pair), paired(cols, pair));
        // SAFETY: this fn's contract.
        unsafe { rectangle::copy(self.side(), dense, rows, cols, self.shape.how(distance)) };
    }
}

impl Destination<'_> {
    /// # Safety
    /// For as long as the value is used, each of the `rows` x `cols` elements of the array at `base` is writable and
    /// nobody else reads or writes it; and where several threads use the value at the same time, they write different
    /// elements.
    pub unsafe fn new(base: *mut u8, shape: Shape) -> Self {
        Self { base, shape, memory: PhantomData }
    }

    /// Bytes an element.
    pub fn element(&self) -> usize {
        self.shape.element
    }

    /// Whether there is no memory behind it, so that no element may be named.
    pub fn is_null(&self) -> bool {
        self.base.is_null()
    }

    fn side(&self) -> Side<*mut u8> {
        Side { base: self.base, ld: self.shape.ld }
    }

    /// Writes the front of `input` to the elements rows x cols, column by column; returns the bytes read.
    pub fn unpack(&self, rows: &[Family<1>], cols: &[Family<1>], input: &[u8]) -> usize {
        self.shape.assert_holds(0, rows, cols);
        let bytes = bytes(rows, cols, self.shape.element);
        assert!(bytes <= input.len(), "{bytes} bytes are not in {}", input.len());
        let dense = Side { base: input.as_ptr(), ld: total(rows) };
        let distance = Distance { ahead: false, stream: self.shape.bytes() >= STREAMED };
        let pair = |local, position| [position, local];
        // SAFETY: the families lie within the array (asserted) and, as positions, within `input` (asserted).
        unsafe {
            rectangle::copy(
                dense,
                self.side(),
                paired(rows, pair),
                paired(cols, pair),
                self.shape.how(distance),
            )
        };
        bytes
    }
}

/// Copies rows x cols straight from one array to the other; coordinate 0 is `from`'s, coordinate 1 is `to`'s.
///
/// Where source and destination are the same elements of the same array, there is nothing to do.
pub fn copy(from: &Source, to: &Destination, rows: &[Family<2>], cols: &[Family<2>]) {
    from.shape.assert_holds(0, rows, cols);
    to.shape.assert_holds(1, rows, cols);
    assert_eq!(from.shape.element, to.shape.element, "one element size in a copy");
    let in_place = |families: &[Family<2>]| {
        families.iter().all(|f| f.start[0] == f.start[1] && f.stride[0] == f.stride[1])
    };
    if from.base == to.base.cast_const() && from.shape.ld == to.shape.ld && in_place(rows) && in_place(cols) {
        return;
    }
    let distance = Distance { ahead: from.shape.bytes() >= FAR, stream: to.shape.bytes() >= STREAMED };
    let (rows, cols) = (rows.iter().copied(), cols.iter().copied());
    // SAFETY: the families lie within both arrays (asserted).
    unsafe { rectangle::copy(from.side(), to.side(), rows, cols, from.shape.how(distance)) };
}

/// Runs of all columns together.
fn element_runs(rows: &[Family<1>], cols: &[Family<1>]) -> usize {
    let runs = rows.iter().map(|f| f.count).sum::<u64>().max(1) * total(cols).max(1);
    usize::try_from(runs).unwrap_or(usize::MAX)
}

fn total(families: &[Family<1>]) -> u64 {
    families.iter().map(Family::total).sum()
}

/// Bytes of rows x cols.
fn bytes(rows: &[Family<1>], cols: &[Family<1>], element: usize) -> usize {
    usize::try_from(total(rows) * total(cols)).expect("a piece fits in memory") * element
}

/// The same families with their positions as a second coordinate.
fn paired(families: &[Family<1>], pair: impl Fn(u64, u64) -> [u64; 2]) -> impl Iterator<Item = Family<2>> {
    let mut position = 0;
    families.iter().map(move |f| {
        let start = pair(f.start[0], position);
        position += f.total();
        Family { start, stride: pair(f.stride[0], f.len), len: f.len, count: f.count }
    })
}

#[cfg(test)]
mod tests;
