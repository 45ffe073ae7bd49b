//! The copies of local arrays. A copy checks that its indices lie within the arrays, takes the addresses of their
//! memory, and calls a kernel, which gets addresses, strides and lengths only.
//!
//! Nothing outside this folder takes a pointer out of a [`Source`] or a [`Destination`]. Another kind of memory needs a
//! variant of [`ArrayMemory`](memory::ArrayMemory), and kernels for it that are called here.

mod gather;
pub(super) mod memory;
mod rows;

pub use gather::Feed;

use super::ahead::{MIN_FAR_ARRAY, MIN_STREAMED_BUFFER};
use super::array::{Destination, Source};
use super::block::MIN_STREAMED_RUN;
use super::column::index;
use super::flat::{Flat, FlatEnds};
use super::instructions::{CopyHow, Instructions};
use super::nest::{Nest, assert_holds, dimensions};
use super::rectangle;
use super::runs::Distance;
use super::stage;
use super::turned;
use crate::layout::intersect::Slice;
use crate::layout::strides::Shape;

/// Returns the parameters of a copy from or to an array of this shape.
fn how(shape: &Shape, distance: Distance) -> CopyHow {
    let instructions = Instructions::for_copy(shape.bytes());
    CopyHow { element: shape.element(), distance, instructions }
}

/// The core that reads a buffer next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferReader {
    /// The core that fills it, or a core that fetches lines fast from the filling core's cache.
    NearCore,
    /// Another core, which fetches lines faster from memory.
    FarCore,
}

impl Source<'_> {
    /// Packs the elements that `dims` selects (an index set per dimension) into the front of `out`, the first dimension
    /// fastest. `reader` reads `out` next. Returns the bytes written.
    pub fn pack(&self, dims: &[Slice<1>], out: &mut [u8], reader: BufferReader) -> usize {
        assert_holds(&self.shape, 0, dims);
        let bytes = bytes(dims, self.element());
        assert!(bytes <= out.len(), "{bytes} bytes do not fit in {}", out.len());
        let out = out.as_mut_ptr();
        let past = reader == BufferReader::FarCore && bytes >= MIN_STREAMED_BUFFER;
        let mut nest = Nest::new();
        nest.pack(self.element(), dimensions(&self.shape, dims));
        // SAFETY: the families lie within the array (asserted), and their positions within `out` (asserted) or the
        // stage.
        unsafe {
            if past && bytes / index(nest.runs(self.element())).max(1) < MIN_STREAMED_RUN {
                stage::through(out, bytes, |stage| self.pack_dense(&nest, stage, false));
            } else {
                self.pack_dense(&nest, out, past);
            }
        }
        bytes
    }

    /// # Safety
    /// The elements that `nest` selects lie in the array, and `out` has room for them.
    unsafe fn pack_dense(&self, nest: &Nest, out: *mut u8, stream: bool) {
        let distance = Distance { ahead: self.shape.bytes() >= MIN_FAR_ARRAY, stream };
        // SAFETY: this fn's contract.
        unsafe { rectangle::copy(self.memory.base(), out, nest, how(&self.shape, distance)) };
    }

    /// Packs the elements of `flat` into the front of `out`. Panics unless `flat` packs from an array of this shape.
    pub(crate) fn pack_flat(&self, flat: &Flat, out: &mut [u8]) {
        assert!(matches!(flat.ends(), FlatEnds::Pack(shape) if *shape == self.shape) && flat.is_whole());
        assert!(flat.bytes() <= out.len(), "{} bytes do not fit in {}", flat.bytes(), out.len());
        // SAFETY: the elements lie within an array of this shape (asserted); their packed positions are below `bytes`.
        unsafe { flat.run(self.memory.base(), out.as_mut_ptr(), None) };
    }
}

impl Destination<'_> {
    /// Unpacks the front of `input` into the elements that `dims` selects (an index set per dimension), the first
    /// dimension fastest. Returns the bytes read.
    pub fn unpack(&mut self, dims: &[Slice<1>], input: &[u8]) -> usize {
        assert_holds(&self.shape, 0, dims);
        let bytes = bytes(dims, self.element());
        assert!(bytes <= input.len(), "{bytes} bytes are not in {}", input.len());
        let how = how(&self.shape, Distance { ahead: false, stream: self.is_streamed() });
        let mut nest = Nest::new();
        nest.unpack(self.element(), dimensions(&self.shape, dims));
        // SAFETY: the families lie within the array (asserted), and their positions within `input` (asserted).
        unsafe {
            match self.update() {
                None => rectangle::copy(input.as_ptr(), self.memory.base(), &nest, how),
                Some(update) => turned::update(input.as_ptr(), self.memory.base(), &nest, how, update),
            }
        }
        bytes
    }

    /// Unpacks the front of `input` into the elements of `flat`. Panics unless `flat` unpacks to an array of this
    /// shape.
    pub(crate) fn unpack_flat(&mut self, flat: &Flat, input: &[u8]) {
        assert!(matches!(flat.ends(), FlatEnds::Unpack(shape) if *shape == self.shape) && flat.is_whole());
        assert!(flat.bytes() <= input.len(), "{} bytes are not in {}", flat.bytes(), input.len());
        // SAFETY: as in `pack_flat`.
        unsafe { flat.run(input.as_ptr(), self.memory.base(), self.update()) };
    }

    /// Applies the update to the elements that `dims` selects. Panics unless the update ignores its source.
    pub fn update_alone(&mut self, dims: &[Slice<1>]) {
        assert_holds(&self.shape, 0, dims);
        let update = self.update().filter(|update| update.ignores_source());
        let update = update.expect("an update that needs no source");
        let mut nest = Nest::new();
        nest.unpack(self.element(), dimensions(&self.shape, dims));
        let how = how(&self.shape, Distance { ahead: false, stream: self.is_streamed() });
        // SAFETY: the families lie within the array (asserted); nothing else is read.
        unsafe { turned::update(std::ptr::null(), self.memory.base(), &nest, how, update) };
    }
}

/// Copies the elements that `dims` selects directly from `from` (coordinate 0) to `to` (coordinate 1).
///
/// Does nothing if source and destination are the same elements of the same array and there is no update.
pub fn copy(from: &Source, to: &mut Destination, dims: &[Slice<2>]) {
    assert_holds(&from.shape, 0, dims);
    assert_holds(&to.shape, 1, dims);
    assert_eq!(from.element(), to.element(), "one element size in a copy");
    let in_place = |slice: &Slice<2>| slice.each().all(|family| family.is_in_place());
    let pairs = || from.shape.dims().iter().zip(to.shape.dims());
    let same_strides = pairs().all(|(a, b)| a.stride == b.stride);
    let in_place = from.begins_with(to) && same_strides && dims.iter().all(in_place);
    if in_place && to.update().is_none() {
        return;
    }
    let distance = Distance { ahead: from.shape.bytes() >= MIN_FAR_ARRAY, stream: to.is_streamed() };
    let how = how(&from.shape, distance);
    let strides = pairs().map(|(a, b)| [a.stride, b.stride]);
    let mut nest = Nest::new();
    nest.both(strides.zip(dims));
    // SAFETY: the families lie within both arrays (asserted).
    unsafe {
        match to.update() {
            None => rectangle::copy(from.memory.base(), to.memory.base(), &nest, how),
            Some(update) => turned::update(from.memory.base(), to.memory.base(), &nest, how, update),
        }
    }
}

/// Copies the elements of `flat` between two arrays. Panics unless `flat` was made for their shapes. Does nothing if
/// both sides are the same elements and there is no update.
pub fn copy_flat(from: &Source, to: &mut Destination, flat: &Flat) {
    let fits = matches!(flat.ends(), FlatEnds::Copy(a, b) if *a == from.shape && *b == to.shape);
    assert!(fits && flat.is_whole());
    if flat.is_in_place() && from.begins_with(to) && to.update().is_none() {
        return;
    }
    // SAFETY: the elements lie within arrays of these shapes (asserted).
    unsafe { flat.run(from.memory.base(), to.memory.base(), to.update()) };
}

/// Returns the bytes of all elements that `dims` selects.
fn bytes(dims: &[Slice<1>], element: usize) -> usize {
    let bytes = dims.iter().map(Slice::total).fold(element as u64, u64::saturating_mul);
    usize::try_from(bytes).expect("a piece fits in memory")
}

#[cfg(test)]
mod tests;
