//! Device memory that processes share: allocations of this process, and memory of another process that this one has
//! opened.

use super::DeviceArray;
use super::context_state::with_state;
use crate::layout::strides::Shape;
use crate::pack::array::{Destination, Source};
use crate::system::cuda::{DeviceMemory, Driver, DriverError, IpcHandle, OpenedMemory};
use std::ptr::without_provenance;
use std::sync::{Arc, OnceLock};

/// An allocation of this process that other processes can open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharableAllocation {
    /// The driver's number of the allocation, which is never given to another allocation of this process.
    pub number: u64,
    /// Device address of the allocation's first byte.
    pub base: u64,
    /// Size of the allocation in bytes.
    pub bytes: u64,
}

impl SharableAllocation {
    /// Returns false once the program has freed the allocation.
    pub fn exists(&self) -> bool {
        let number = Driver::loaded().map(|driver| driver.sharable_allocation(self.base));
        number == Some(Ok(Some(self.number)))
    }
}

impl DeviceArray {
    /// Sets whether other processes may open the array's allocation.
    pub fn shared_by_ipc(mut self, is: bool) -> Self {
        self.number = if is { OnceLock::new() } else { OnceLock::from(None) };
        self
    }

    /// Returns the allocation of the array; `None` if other processes cannot open it.
    pub fn sharable(&self) -> Option<SharableAllocation> {
        let DeviceMemory { base, bytes, .. } = self.memory;
        let ask = || self.driver.sharable_allocation(base).ok().flatten();
        (*self.number.get_or_init(ask)).map(|number| SharableAllocation { number, base, bytes })
    }

    /// Returns the handle of the allocation for other processes; `None` if the driver refuses.
    pub fn handle(&self) -> Option<IpcHandle> {
        self.driver.ipc_handle(self.memory.context, self.memory.base).ok()
    }

    /// Waits for the program's work on the array, so that other processes may read it. Returns false if that fails; the
    /// array then keeps the failure.
    pub fn await_program(&self) -> bool {
        if self.fault().is_none() && !self.work.is_done() {
            let done = with_state(self.driver, self.memory.context, &[&self.work], |_| Ok(()));
            done.unwrap_or_else(|error| self.fail(error));
        }
        self.fault().is_none()
    }

    /// Stores a failure, unless another thread has stored one.
    pub fn fail(&self, error: DriverError) {
        let _ = self.fault.set(error);
    }
}

/// Device memory of another process that this process has opened, in one context.
#[derive(Debug)]
pub struct ImportedMemory {
    driver: &'static Driver,
    opened: Arc<OpenedMemory>,
    ordinal: i32,
    bytes: u64,
}

impl ImportedMemory {
    /// Opens another process's allocation number `allocation` of `bytes` bytes, for copies to `destination`. `None` if
    /// the driver refuses, or if the destination is in the host's memory.
    pub fn open(
        handle: &IpcHandle,
        (allocation, bytes): (u64, u64),
        destination: &Destination<'_>,
    ) -> Option<Self> {
        let DeviceArray { driver, memory, .. } = &**destination.device()?;
        let opened = Arc::new(driver.open(memory.context, handle, allocation)?);
        Some(Self { driver, opened, ordinal: memory.ordinal, bytes })
    }

    /// Returns the same allocation, opened in the primary context of the same device, for copies to the host.
    pub fn opened_again(&self, handle: &IpcHandle, allocation: u64) -> Option<Self> {
        let (driver, ordinal, bytes) = (self.driver, self.ordinal, self.bytes);
        // A context that fails, for instance after a reset, is retained again.
        let open = || {
            let context = driver.primary_context(ordinal).ok()?;
            let opened = driver.open(context, handle, allocation);
            opened.or_else(|| {
                driver.forget(context);
                None
            })
        };
        let opened = Arc::new(open().or_else(open)?);
        Some(Self { driver, opened, ordinal, bytes })
    }

    /// Returns whether the memory is still open.
    pub fn exists(&self) -> bool {
        self.opened.exists()
    }

    /// Returns whether one kernel can copy from this memory to `destination`.
    pub fn serves(&self, destination: &Destination<'_>) -> bool {
        let context = destination.device().map(|device| device.memory.context);
        context == Some(self.opened.context()) && self.opened.exists()
    }

    /// Returns the array of this `shape` with its first element `offset` bytes behind the start of the memory. If the
    /// memory is no longer open, the result's device has a failure.
    ///
    /// # Safety
    /// Nobody writes the array's elements as long as the result is used.
    pub unsafe fn source(&self, offset: u64, shape: Shape) -> Source<'static> {
        let size = usize::try_from(self.bytes).expect("addresses have 64 bits");
        assert!(shape.within(offset, size).is_some(), "an exposed array lies within its allocation");
        let (base, bytes) = (self.opened.address(), self.bytes);
        let context = self.opened.context();
        let device = DeviceArray::new(
            self.driver,
            DeviceMemory { context, ordinal: self.ordinal, base, bytes, number: 0 },
        );
        if !self.opened.exists() {
            device.fail(DriverError::closed());
        }
        let first = without_provenance(usize::try_from(base + offset).expect("addresses have 64 bits"));
        // SAFETY: this fn's contract; the elements lie within the memory, which the result keeps open.
        unsafe { Source::new(first, shape) }.on(Some(Arc::new(device))).kept_by(self.opened.clone())
    }
}
