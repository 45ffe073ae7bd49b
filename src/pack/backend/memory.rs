//! Memory of a local array, on the host or on a device.
//!
//! Only this folder uses the address as a pointer, for kernels and queries of the system. For the rest of `pack` it is
//! a number, for comparisons and distances.

use super::device::DeviceArray;
use crate::pack::untouched::is_untouched;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// Address of an array's first element, and the owner of its memory. Extents and strides are in the array's `Shape`. A
/// clone refers to the same memory.
#[derive(Clone, Debug)]
pub struct ArrayMemory<'a> {
    base: *mut u8,
    lifetime: PhantomData<&'a mut [u8]>,
    /// Keeps the memory alive, if its owner may drop it.
    keeper: Option<Arc<dyn Any + Send + Sync>>,
    /// The device that has the memory; `None`: the host.
    device: Option<Arc<DeviceArray>>,
}

impl ArrayMemory<'_> {
    pub(in crate::pack) fn at(base: *mut u8) -> Self {
        Self { base, lifetime: PhantomData, keeper: None, device: None }
    }

    /// Attaches `keeper`, which keeps the memory alive.
    pub(in crate::pack) fn kept_by(self, keeper: Arc<dyn Any + Send + Sync>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// Sets the device that has the memory; `None`: the host.
    pub(in crate::pack) fn on(self, device: Option<Arc<DeviceArray>>) -> Self {
        Self { device, ..self }
    }

    #[inline]
    pub(in crate::pack) fn device(&self) -> Option<&Arc<DeviceArray>> {
        self.device.as_ref()
    }

    /// Returns the same memory for an array whose first element lies `bytes` bytes behind this one's.
    pub(in crate::pack) fn offset(&self, bytes: isize) -> Self {
        Self {
            base: self.base.wrapping_offset(bytes),
            lifetime: PhantomData,
            keeper: self.keeper.clone(),
            device: self.device.clone(),
        }
    }

    /// Returns the address of the first element as a number, for comparisons and distances.
    pub(in crate::pack) fn address(&self) -> usize {
        self.base.addr()
    }

    pub(in crate::pack) fn is_null(&self) -> bool {
        self.base.is_null()
    }

    /// Returns whether no sampled page of the `bytes` bytes from the first element on is mapped yet; false for memory
    /// of a device.
    pub(in crate::pack) fn is_untouched(&self, bytes: usize) -> bool {
        self.device.is_none() && is_untouched(self.base, bytes)
    }

    /// Returns the address of the first element, for the host's kernels. Panics if a device has the memory.
    pub(super) fn base(&self) -> *mut u8 {
        assert!(self.device.is_none(), "the host cannot access memory of a device");
        self.base
    }
}
