//! The local array of one rank, as source or destination of a copy.

use super::ahead::{MIN_FAR_ARRAY, MIN_STREAMED_ARRAY, MIN_STREAMED_BUFFER};
use super::block::MIN_STREAMED_RUN;
use super::column::index;
use super::instructions::{CopyHow, Instructions};
use super::nest::Nest;
use super::rectangle;
use super::runs::Distance;
use super::stage;
use super::turned;
use super::untouched::is_untouched;
use super::update::Update;
use crate::layout::intersect::Slice;
use crate::layout::strides::Shape;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// Returns the parameters of a copy from or to an array of this shape.
fn how(shape: &Shape, distance: Distance) -> CopyHow {
    let instructions = Instructions::for_copy(shape.bytes());
    CopyHow { element: shape.element(), distance, instructions }
}

/// Panics unless all indices of `dims`, in coordinate `d`, lie in an array of this shape.
pub(super) fn assert_holds<const D: usize>(shape: &Shape, d: usize, dims: &[Slice<D>]) {
    let inside = shape.dims().iter().zip(dims).all(|(dim, slice)| slice.end(d) <= dim.extent);
    assert!(inside && dims.len() == shape.dims().len(), "indices outside a local array {shape:?}");
}

/// The core that reads a buffer next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferReader {
    /// The core that fills it, or a core that fetches lines fast from the filling core's cache.
    NearCore,
    /// Another core, which fetches lines faster from memory.
    FarCore,
}

/// A local array that is read.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    pub(super) base: *const u8,
    pub(super) shape: Shape,
    pub(super) memory: PhantomData<&'a [u8]>,
    /// Keeps the memory alive, if its owner may drop it.
    pub(super) keeper: Option<Arc<dyn Any + Send + Sync>>,
}

/// A local array that is written. Only one thread at a time uses this value. For several threads, `portions` divides
/// the array into disjoint parts, one for each.
#[derive(Debug)]
pub struct Destination<'a> {
    pub(super) base: *mut u8,
    pub(super) shape: Shape,
    pub(super) memory: PhantomData<&'a mut [u8]>,
    /// Whether the array is known to be large and in fresh memory; see [`Destination::is_untouched`].
    pub(super) untouched: bool,
    /// Combination of written elements with old ones; `None` for plain copies.
    pub(super) update: Option<Update>,
    /// Keeps the memory alive, if its owner may drop it.
    pub(super) keeper: Option<Arc<dyn Any + Send + Sync>>,
}

// SAFETY: the memory is only read, and by the contract of `new` nobody writes it meanwhile.
unsafe impl Send for Source<'_> {}
// SAFETY: as for Send.
unsafe impl Sync for Source<'_> {}
// SAFETY: by the contract of `new` the memory is written through this value only.
unsafe impl Send for Destination<'_> {}
// SAFETY: as for Send; writing needs the value mutably.
unsafe impl Sync for Destination<'_> {}

impl Source<'_> {
    /// Creates a source whose first element is at `base`.
    ///
    /// # Safety
    /// As long as the value is used, each element of the array is readable, and nobody writes it except through a
    /// [`Destination`] of the same memory.
    pub unsafe fn new(base: *const u8, shape: Shape) -> Self {
        Self { base, shape, memory: PhantomData, keeper: None }
    }

    /// Attaches `keeper`, which keeps the memory alive.
    pub fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Returns the size of an element in bytes.
    pub fn element(&self) -> usize {
        self.shape.element()
    }

    /// Element size, extents and strides.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the address of the first element, for comparison only.
    pub fn address(&self) -> usize {
        self.base.addr()
    }

    /// Returns whether the array has no memory; then no element may be accessed.
    pub fn is_null(&self) -> bool {
        self.base.is_null()
    }

    pub(super) fn base(&self) -> *const u8 {
        self.base
    }

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
        unsafe { rectangle::copy(self.base, out, nest, how(&self.shape, distance)) };
    }
}

impl Destination<'_> {
    /// Creates a destination whose first element is at `base`.
    ///
    /// # Safety
    /// As long as the value is used, each element of the array is writable, and nobody else reads or writes it, except
    /// through a [`Source`] of the same thread. The bytes between elements belong to the same allocation; those that a
    /// line of [`Destination::gather`] covers are also writable.
    pub unsafe fn new(base: *mut u8, shape: Shape) -> Self {
        Self { base, shape, memory: PhantomData, untouched: false, update: None, keeper: None }
    }

    /// Announces that `bytes` bytes will be written. If the array and `bytes` are large, queries whether the memory is
    /// fresh. A large copy takes much longer than the query.
    pub fn expect(&mut self, bytes: u64) {
        let large = bytes >= MIN_FAR_ARRAY as u64 && self.shape.bytes() >= MIN_FAR_ARRAY;
        self.untouched = large && self.shape.behind().is_some_and(|bytes| is_untouched(self.base, bytes));
    }

    /// Creates a destination that covers a part of this one, with the same update.
    ///
    /// # Safety
    /// As for [`Destination::new`]; the array lies in this array's memory.
    pub(super) unsafe fn part(&self, base: *mut u8, shape: Shape) -> Self {
        Self {
            base,
            shape,
            memory: PhantomData,
            untouched: self.untouched,
            update: self.update,
            keeper: self.keeper.clone(),
        }
    }

    /// Attaches `keeper`, which keeps the memory alive.
    pub fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Combines all elements written from now on with the old ones by `update`, unless it is a copy. Panics unless its
    /// numbers have the array's element size.
    #[must_use]
    pub fn updated_by(self, update: Update) -> Self {
        assert_eq!(update.number().bytes(), self.element(), "an update of other elements");
        Self { update: (!update.is_copy()).then_some(update), ..self }
    }

    /// The update of written elements; `None` for plain copies.
    pub fn update(&self) -> Option<&Update> {
        self.update.as_ref()
    }

    /// Returns the size of an element in bytes.
    pub fn element(&self) -> usize {
        self.shape.element()
    }

    /// Element size, extents and strides.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the address of the first element, for comparison only.
    pub fn address(&self) -> usize {
        self.base.addr()
    }

    /// Returns whether the array has no memory; then no element may be accessed.
    pub fn is_null(&self) -> bool {
        self.base.is_null()
    }

    pub(super) fn base(&self) -> *mut u8 {
        self.base
    }

    /// Returns whether the array is large enough for streaming stores, and not known to be in fresh memory.
    pub fn is_streamed(&self) -> bool {
        self.shape.bytes() >= MIN_STREAMED_ARRAY && !self.untouched
    }

    /// Returns whether the array is known to be large and in fresh memory: none of the sampled pages was mapped.
    pub fn is_untouched(&self) -> bool {
        self.untouched
    }

    /// Unpacks the front of `input` into the elements that `dims` selects (an index set per dimension), the first
    /// dimension fastest. Returns the bytes read.
    pub fn unpack(&mut self, dims: &[Slice<1>], input: &[u8]) -> usize {
        assert_holds(&self.shape, 0, dims);
        let bytes = bytes(dims, self.element());
        assert!(bytes <= input.len(), "{bytes} bytes are not in {}", input.len());
        let distance = Distance { ahead: false, stream: self.is_streamed() };
        let mut nest = Nest::new();
        nest.unpack(self.element(), dimensions(&self.shape, dims));
        // SAFETY: the families lie within the array (asserted), and their positions within `input` (asserted).
        unsafe {
            match &self.update {
                None => rectangle::copy(input.as_ptr(), self.base, &nest, how(&self.shape, distance)),
                Some(update) => {
                    turned::update(input.as_ptr(), self.base, &nest, how(&self.shape, distance), update)
                }
            }
        }
        bytes
    }
}

impl Destination<'_> {
    /// Applies the update to the elements that `dims` selects. Panics unless the update ignores its source.
    pub fn update_alone(&mut self, dims: &[Slice<1>]) {
        assert_holds(&self.shape, 0, dims);
        let update = self.update.filter(Update::ignores_source).expect("an update that needs no source");
        let mut nest = Nest::new();
        nest.unpack(self.element(), dimensions(&self.shape, dims));
        let distance = Distance { ahead: false, stream: self.is_streamed() };
        // SAFETY: the families lie within the array (asserted); nothing else is read.
        unsafe { turned::update(std::ptr::null(), self.base, &nest, how(&self.shape, distance), &update) };
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
    let in_place = from.address() == to.address() && same_strides && dims.iter().all(in_place);
    if in_place && to.update.is_none() {
        return;
    }
    let distance = Distance { ahead: from.shape.bytes() >= MIN_FAR_ARRAY, stream: to.is_streamed() };
    let strides = pairs().map(|(a, b)| [a.stride, b.stride]);
    let mut nest = Nest::new();
    nest.both(strides.zip(dims));
    // SAFETY: the families lie within both arrays (asserted).
    unsafe {
        match &to.update {
            None => rectangle::copy(from.base, to.base, &nest, how(&from.shape, distance)),
            Some(update) => turned::update(from.base, to.base, &nest, how(&from.shape, distance), update),
        }
    }
}

/// Returns (bytes between neighbours, index set) of each dimension.
pub(super) fn dimensions<'a>(
    shape: &Shape,
    dims: &'a [Slice<1>],
) -> impl Iterator<Item = (i64, &'a Slice<1>)> {
    shape.dims().iter().map(|dim| dim.stride).zip(dims)
}

/// Returns the bytes of all elements that `dims` selects.
fn bytes(dims: &[Slice<1>], element: usize) -> usize {
    let bytes = dims.iter().map(Slice::total).fold(element as u64, u64::saturating_mul);
    usize::try_from(bytes).expect("a piece fits in memory")
}

#[cfg(test)]
mod tests;
