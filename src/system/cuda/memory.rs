//! Memory of devices, and copies to and from it.

use super::{Context, Driver, Entered, Result, Stream};

/// Memory that reblock has allocated in a device; dropping this value frees it.
#[derive(Debug)]
pub struct DeviceBuffer<'d> {
    driver: &'d Driver,
    context: Context,
    address: u64,
    bytes: usize,
    /// The driver's number of the allocation, unique in the process; `None` if the driver gives none.
    number: Option<u64>,
}

impl DeviceBuffer<'_> {
    /// Returns the address of the first byte, in the device's memory.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns whether the memory still exists. If the program destroys the context or resets the device, the driver
    /// frees the memory, and may reuse the address. `None` if the driver does not say.
    pub fn exists(&self) -> Option<bool> {
        let number = self.number?;
        Some(self.driver.allocation_number(self.address).ok()? == Some(number))
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the context of the memory.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Makes the memory's context the current one of this thread until the result is dropped.
    pub fn enter(&self) -> Result<Entered<'_>> {
        self.driver.enter(self.context)
    }
}

impl Drop for DeviceBuffer<'_> {
    fn drop(&mut self) {
        if self.number.is_some() && self.exists() != Some(true) {
            return;
        }
        let Ok(_entered) = self.driver.enter(self.context) else { return };
        if let Some(free) = self.driver.functions.cuMemFree_v2 {
            // SAFETY: the memory was allocated by `allocate`. The call waits until the device no longer uses it.
            unsafe { free(self.address) };
        }
    }
}

impl Driver {
    /// Allocates `bytes` bytes, at least 1, in the device of `context`.
    pub fn allocate(&self, context: Context, bytes: usize) -> Result<DeviceBuffer<'_>> {
        let _entered = self.enter(context)?;
        let mut address = 0;
        self.check("cuMemAlloc", self.functions.cuMemAlloc_v2, |f| {
            // SAFETY: the call writes one address.
            unsafe { f(&raw mut address, bytes.max(1)) }
        })?;
        let number = self.allocation_number(address).ok().flatten();
        Ok(DeviceBuffer { driver: self, context, address, bytes, number })
    }

    /// Starts to copy `bytes` bytes from the host's memory `from` to the device's address `to`. If the host's memory is
    /// not registered, the copy may already be complete when the call returns. Needs a current context.
    ///
    /// # Safety
    /// Both ranges are valid until `stream` has completed the copy. Until then nobody writes to `from`, and nobody
    /// reads or writes `to`.
    pub unsafe fn copy_to_device(
        &self,
        to: u64,
        from: *const u8,
        bytes: usize,
        stream: &Stream<'_>,
    ) -> Result<()> {
        self.check("cuMemcpyHtoDAsync", self.functions.cuMemcpyHtoDAsync_v2, |f| {
            // SAFETY: this fn's contract.
            unsafe { f(to, from.cast(), bytes, stream.raw()) }
        })
    }

    /// Starts to copy `bytes` bytes from the device's address `from` to the host's memory `to`. Needs a current
    /// context.
    ///
    /// # Safety
    /// As for [`Driver::copy_to_device`].
    pub unsafe fn copy_to_host(
        &self,
        to: *mut u8,
        from: u64,
        bytes: usize,
        stream: &Stream<'_>,
    ) -> Result<()> {
        self.check("cuMemcpyDtoHAsync", self.functions.cuMemcpyDtoHAsync_v2, |f| {
            // SAFETY: this fn's contract.
            unsafe { f(to.cast(), from, bytes, stream.raw()) }
        })
    }
}
