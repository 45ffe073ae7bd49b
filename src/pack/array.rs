//! The local array of one rank, as source or destination of a copy: its [`Shape`] and its bytes ([`ArrayMemory`]).

use super::backend::DeviceArray;
use super::backend::memory::ArrayMemory;
use super::prefetch::{MIN_FAR_ARRAY, MIN_STREAMED_ARRAY};
use super::update::Update;
use crate::layout::strides::Shape;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// A local array that is read.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    pub(super) shape: Shape,
    pub(super) memory: ArrayMemory<'a>,
}

/// A local array that is written, by one thread at a time; `portions` divides an array among threads.
#[derive(Debug)]
pub struct Destination<'a> {
    pub(super) shape: Shape,
    pub(super) memory: ArrayMemory<'a>,
    untouched: bool,
    /// Combination of written elements with old ones; `None` for plain copies.
    update: Option<Update>,
}

/// Addresses of the elements of a local array, for comparison only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint<'a> {
    /// Address of the first element.
    pub address: usize,
    /// Extents, strides and element size of the array.
    pub shape: &'a Shape,
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
        Self { shape, memory: ArrayMemory::at(base.cast_mut()) }
    }

    /// Attaches `keeper`, which keeps the memory alive.
    pub fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { memory: self.memory.kept_by(keeper), ..self }
    }

    /// Sets the device that has the array's memory; `None`: the host. Then elements are readable by the device.
    #[must_use]
    pub(crate) fn on(self, device: Option<Arc<DeviceArray>>) -> Self {
        Self { memory: self.memory.on(device), ..self }
    }

    /// Returns the device that has the array's memory; `None`: the host.
    pub(crate) fn device(&self) -> Option<&Arc<DeviceArray>> {
        self.memory.device()
    }

    /// Returns the array's device if a copy from the array has failed.
    pub(crate) fn failed_device(&self) -> Option<&Arc<DeviceArray>> {
        self.device().filter(|device| device.fault().is_some())
    }

    /// Returns the size of an element in bytes.
    pub fn element(&self) -> usize {
        self.shape.element()
    }

    /// Element size, extents and strides.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the position of the elements.
    pub fn footprint(&self) -> Footprint<'_> {
        Footprint { address: self.memory.address(), shape: &self.shape }
    }

    /// Returns whether the array has memory; otherwise no element may be accessed.
    pub fn has_memory(&self) -> bool {
        !self.memory.is_null()
    }

    /// Returns whether the first elements of both arrays have the same address.
    pub fn begins_with(&self, to: &Destination<'_>) -> bool {
        self.memory.address() == to.memory.address()
    }
}

impl<'a> Destination<'a> {
    /// Creates a destination whose first element is at `base`.
    ///
    /// # Safety
    /// As long as the value is used, each element of the array is writable, and nobody else reads or writes it, except
    /// through a [`Source`] of the same thread. The bytes between elements belong to the same allocation; those that a
    /// line of [`Destination::gather`] covers are also writable.
    pub unsafe fn new(base: *mut u8, shape: Shape) -> Self {
        Self { shape, memory: ArrayMemory::at(base), untouched: false, update: None }
    }

    /// Returns the array as a source and as a destination.
    ///
    /// # Safety
    /// As for [`Source::new`].
    pub(crate) unsafe fn with_source(self) -> (Source<'a>, Self) {
        (Source { shape: self.shape.clone(), memory: self.memory.clone() }, self)
    }

    /// Announces a write of `bytes` bytes. If these and the array are large, queries whether the memory is fresh.
    pub fn announce_write(&mut self, bytes: u64) {
        let large = bytes >= MIN_FAR_ARRAY as u64 && self.shape.bytes() >= MIN_FAR_ARRAY;
        self.untouched = large && self.shape.behind().is_some_and(|bytes| self.memory.is_untouched(bytes));
    }

    /// Creates a destination in this array's memory, with the same update and its first element `bytes` bytes behind
    /// this array's.
    ///
    /// # Safety
    /// As for [`Destination::new`]; the array lies in this array's memory.
    pub(super) unsafe fn part(&self, bytes: isize, shape: Shape) -> Self {
        Self { shape, memory: self.memory.offset(bytes), untouched: self.untouched, update: self.update }
    }

    /// Borrows the array as a destination with another update.
    pub(super) fn with_update(&mut self, update: Option<Update>) -> Destination<'_> {
        Destination {
            shape: self.shape.clone(),
            memory: self.memory.clone(),
            untouched: self.untouched,
            update: update.filter(|update| !update.is_copy()),
        }
    }

    /// Attaches `keeper`, which keeps the memory alive.
    pub fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { memory: self.memory.kept_by(keeper), ..self }
    }

    /// Sets the device that has the array's memory; `None`: the host. Then elements are writable by the device.
    #[must_use]
    pub(crate) fn on(self, device: Option<Arc<DeviceArray>>) -> Self {
        Self { memory: self.memory.on(device), ..self }
    }

    /// Returns the device that has the array's memory; `None`: the host.
    pub(crate) fn device(&self) -> Option<&Arc<DeviceArray>> {
        self.memory.device()
    }

    /// Combines all elements written from now on with the old ones by `update`, unless it is a copy. Panics unless its
    /// numbers have the array's element size.
    #[must_use]
    pub fn updated_by(self, update: Update) -> Self {
        assert_eq!(update.number().bytes(), self.element(), "an update of other elements");
        Self { update: (!update.is_copy()).then_some(update), ..self }
    }

    /// Returns the update of written elements; `None` for plain copies.
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

    /// Returns the position of the elements.
    pub fn footprint(&self) -> Footprint<'_> {
        Footprint { address: self.memory.address(), shape: &self.shape }
    }

    /// Returns whether the array has memory; otherwise no element may be accessed.
    pub fn has_memory(&self) -> bool {
        !self.memory.is_null()
    }

    /// Returns the number of bytes from the first element of `from` to that of this array (wrapping).
    pub fn distance_from(&self, from: &Source<'_>) -> usize {
        self.memory.address().wrapping_sub(from.memory.address())
    }

    /// Returns whether the array is large enough for streaming stores, and not known to be in fresh memory.
    pub fn is_streamed(&self) -> bool {
        self.shape.bytes() >= MIN_STREAMED_ARRAY && !self.untouched
    }

    /// Returns whether the array is known to be large and in fresh memory: none of the sampled pages was mapped.
    pub fn is_untouched(&self) -> bool {
        self.untouched
    }
}

impl Footprint<'_> {
    /// Returns the addresses from the first to the last byte of the array (saturating).
    pub fn span(&self) -> Range<usize> {
        let (before, behind) = self.shape.reach().unwrap_or((0, u64::MAX));
        let [before, behind] = [before, behind].map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        self.address.saturating_sub(before)..self.address.saturating_add(behind)
    }

    /// Returns whether one array ends before the other one begins.
    pub fn is_disjoint_from(&self, other: &Self) -> bool {
        let (a, b) = (self.span(), other.span());
        a.end <= b.start || b.end <= a.start
    }
}
