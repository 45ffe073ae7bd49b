//! The local array of one rank, as source or destination of a copy.

use super::ahead::{FAR, PAST, STREAMED};
use super::block::STREAM;
use super::column::index;
use super::nest::Nest;
use super::rectangle::{self, CopyHow, Instructions};
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

impl Shape {
    /// The best way for arrays at such a distance.
    fn how(&self, distance: Distance) -> CopyHow {
        let instructions = Instructions::for_copy(self.bytes());
        CopyHow { element: self.element(), distance, instructions }
    }

    /// Panics unless `dims` are indices of this array in coordinate `d`.
    pub(super) fn assert_holds<const D: usize>(&self, d: usize, dims: &[Slice<D>]) {
        let inside = self.dims().iter().zip(dims).all(|(dim, slice)| slice.end(d) <= dim.extent);
        assert!(inside && dims.len() == self.dims().len(), "indices outside a local array {self:?}");
    }
}

/// Who reads a buffer next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferReader {
    /// The core that fills it, or one that fetches lines fast out of its cache.
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
    /// What keeps the memory, if it is somebody's who may be gone.
    pub(super) keeper: Option<Arc<dyn Any + Send + Sync>>,
}

/// A local array that is written, by one thread at a time; its portions are for several.
#[derive(Debug)]
pub struct Destination<'a> {
    pub(super) base: *mut u8,
    pub(super) shape: Shape,
    pub(super) memory: PhantomData<&'a mut [u8]>,
    /// Whether it is known that it is large and that nobody has written to it yet.
    pub(super) untouched: bool,
    /// What becomes of an element that is written, where it is not just copied.
    pub(super) update: Option<Update>,
    /// The same.
    pub(super) keeper: Option<Arc<dyn Any + Send + Sync>>,
}

// SAFETY: what is behind it is only read, and by the promise of `new` nobody writes it meanwhile.
unsafe impl Send for Source<'_> {}
// SAFETY: as for Send.
unsafe impl Sync for Source<'_> {}
// SAFETY: what is behind it is written through this value only, by the promise of `new`.
unsafe impl Send for Destination<'_> {}
// SAFETY: as for Send; to write, the value is needed mutably.
unsafe impl Sync for Destination<'_> {}

impl Source<'_> {
    /// # Safety
    /// For as long as the value is used, each element of the array whose first one is at `base` is readable and nobody
    /// writes it, except through a [`Destination`] that was made for the same memory.
    pub unsafe fn new(base: *const u8, shape: Shape) -> Self {
        Self { base, shape, memory: PhantomData, keeper: None }
    }

    /// The same, with what keeps the memory.
    pub fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Bytes an element.
    pub fn element(&self) -> usize {
        self.shape.element()
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The address of its first element, to compare.
    pub fn address(&self) -> usize {
        self.base.addr()
    }

    /// Whether there is no memory behind it, so that no element may be named.
    pub fn is_null(&self) -> bool {
        self.base.is_null()
    }

    /// The address of its first element.
    pub(super) fn base(&self) -> *const u8 {
        self.base
    }

    /// Writes the elements that `dims` name, an index set a dimension, to the front of `out`, which `reader` reads next:
    /// the first dimension varies fastest. Returns the bytes written.
    pub fn pack(&self, dims: &[Slice<1>], out: &mut [u8], reader: BufferReader) -> usize {
        self.shape.assert_holds(0, dims);
        let bytes = bytes(dims, self.element());
        assert!(bytes <= out.len(), "{bytes} bytes do not fit in {}", out.len());
        let out = out.as_mut_ptr();
        let past = reader == BufferReader::FarCore && bytes >= PAST;
        let mut nest = Nest::new();
        nest.pack(self.element(), dimensions(&self.shape, dims));
        // SAFETY: the families lie within the array (asserted) and, as positions, within `out` (asserted) or the stage.
        unsafe {
            if past && bytes / index(nest.runs(self.element())).max(1) < STREAM {
                stage::through(out, bytes, |stage| self.pack_dense(&nest, stage, false));
            } else {
                self.pack_dense(&nest, out, past);
            }
        }
        bytes
    }

    /// # Safety
    /// What `nest` names is in the array, and there is room for it at `out`.
    unsafe fn pack_dense(&self, nest: &Nest, out: *mut u8, stream: bool) {
        let distance = Distance { ahead: self.shape.bytes() >= FAR, stream };
        // SAFETY: this fn's contract.
        unsafe { rectangle::copy(self.base, out, nest, self.shape.how(distance)) };
    }
}

impl Destination<'_> {
    /// # Safety
    /// For as long as the value is used, each element of the array whose first one is at `base` is writable and nobody
    /// else reads or writes it, except through a [`Source`] of the same thread. The bytes between elements are the same
    /// allocation's; those that a `Line` names for [`Destination::gather`] are writable, too.
    pub unsafe fn new(base: *mut u8, shape: Shape) -> Self {
        Self { base, shape, memory: PhantomData, untouched: false, update: None, keeper: None }
    }

    /// So many bytes are to be written: the system is asked whether it is new memory where that takes no time beside them.
    pub fn expect(&mut self, bytes: u64) {
        let large = bytes >= FAR as u64 && self.shape.bytes() >= FAR;
        self.untouched = large && self.shape.behind().is_some_and(|bytes| is_untouched(self.base, bytes));
    }

    /// # Safety
    /// As for [`Destination::new`], of an array in this one's memory, which is updated and written alike.
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

    /// The same, with what keeps the memory.
    pub fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// The same; what is written to it from now on becomes part of an update, unless that is a copy. Its numbers have as many
    /// bytes as the array's elements.
    #[must_use]
    pub fn updated_by(self, update: Update) -> Self {
        assert_eq!(update.number().bytes(), self.element(), "an update of other elements");
        Self { update: (!update.is_copy()).then_some(update), ..self }
    }

    /// What becomes of an element that is written, where it is not just copied.
    pub fn update(&self) -> Option<&Update> {
        self.update.as_ref()
    }

    /// Bytes an element.
    pub fn element(&self) -> usize {
        self.shape.element()
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The address of its first element, to compare.
    pub fn address(&self) -> usize {
        self.base.addr()
    }

    /// Whether there is no memory behind it, so that no element may be named.
    pub fn is_null(&self) -> bool {
        self.base.is_null()
    }

    /// The address of its first element.
    pub(super) fn base(&self) -> *mut u8 {
        self.base
    }

    /// Whether it is so large that it is written past the caches, and not known to be new memory.
    pub fn is_streamed(&self) -> bool {
        self.shape.bytes() >= STREAMED && !self.untouched
    }

    /// Whether it is known to be large and new memory, none of whose pages were there.
    pub fn is_untouched(&self) -> bool {
        self.untouched
    }

    /// Writes the front of `input` to the elements that `dims` name, an index set a dimension: the first dimension varies
    /// fastest. Returns the bytes read.
    pub fn unpack(&mut self, dims: &[Slice<1>], input: &[u8]) -> usize {
        self.shape.assert_holds(0, dims);
        let bytes = bytes(dims, self.element());
        assert!(bytes <= input.len(), "{bytes} bytes are not in {}", input.len());
        let distance = Distance { ahead: false, stream: self.is_streamed() };
        let mut nest = Nest::new();
        nest.unpack(self.element(), dimensions(&self.shape, dims));
        // SAFETY: the families lie within the array (asserted) and, as positions, within `input` (asserted).
        unsafe {
            match &self.update {
                None => rectangle::copy(input.as_ptr(), self.base, &nest, self.shape.how(distance)),
                Some(update) => {
                    turned::update(input.as_ptr(), self.base, &nest, self.shape.how(distance), update)
                }
            }
        }
        bytes
    }
}

impl Destination<'_> {
    /// Updates the elements that `dims` name, an index set a dimension, where that needs no source.
    pub fn update_alone(&mut self, dims: &[Slice<1>]) {
        self.shape.assert_holds(0, dims);
        let update = self.update.filter(Update::ignores_source).expect("an update that needs no source");
        let mut nest = Nest::new();
        nest.unpack(self.element(), dimensions(&self.shape, dims));
        let distance = Distance { ahead: false, stream: self.is_streamed() };
        // SAFETY: the families lie within the array (asserted); nothing else is read.
        unsafe { turned::update(std::ptr::null(), self.base, &nest, self.shape.how(distance), &update) };
    }
}

/// Copies the elements that `dims` name straight from one array to the other; coordinate 0 is `from`'s, coordinate 1 is
/// `to`'s.
///
/// Where source and destination are the same elements of the same array, there is nothing to do.
pub fn copy(from: &Source, to: &mut Destination, dims: &[Slice<2>]) {
    from.shape.assert_holds(0, dims);
    to.shape.assert_holds(1, dims);
    assert_eq!(from.element(), to.element(), "one element size in a copy");
    let in_place = |slice: &Slice<2>| slice.each().all(|family| family.is_in_place());
    let pairs = || from.shape.dims().iter().zip(to.shape.dims());
    let same_strides = pairs().all(|(a, b)| a.stride == b.stride);
    let in_place = from.address() == to.address() && same_strides && dims.iter().all(in_place);
    if in_place && to.update.is_none() {
        return;
    }
    let distance = Distance { ahead: from.shape.bytes() >= FAR, stream: to.is_streamed() };
    let strides = pairs().map(|(a, b)| [a.stride, b.stride]);
    let mut nest = Nest::new();
    nest.both(strides.zip(dims));
    // SAFETY: the families lie within both arrays (asserted).
    unsafe {
        match &to.update {
            None => rectangle::copy(from.base, to.base, &nest, from.shape.how(distance)),
            Some(update) => turned::update(from.base, to.base, &nest, from.shape.how(distance), update),
        }
    }
}

/// (bytes between neighbours, index sets) of each dimension.
pub(super) fn dimensions<'a>(
    shape: &Shape,
    dims: &'a [Slice<1>],
) -> impl Iterator<Item = (i64, &'a Slice<1>)> {
    shape.dims().iter().map(|dim| dim.stride).zip(dims)
}

/// Bytes of all elements that `dims` name.
fn bytes(dims: &[Slice<1>], element: usize) -> usize {
    let bytes = dims.iter().map(Slice::total).fold(element as u64, u64::saturating_mul);
    usize::try_from(bytes).expect("a piece fits in memory")
}

#[cfg(test)]
mod tests;
