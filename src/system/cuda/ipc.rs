//! Memory of a device that another process has allocated (CUDA IPC). Its owner gets a handle from the driver; another
//! process opens the handle and gets an address. A process cannot open its own handles.
//!
//! A process opens each handle once in each context, whatever the number of users: old drivers refuse to open a handle
//! twice. The owner numbers its allocations. A handle that the driver has also given to an older allocation, still open
//! here, would lead to the older memory, so it is not opened.

use super::functions::IpcHandle;
use super::{Context, Driver, Result};
use std::ffi::c_uint;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Flag of an opening: devices may access each other's memory.
const PEER_ACCESS: c_uint = 1;
/// An allocation of another process that is open in this one. Dropping the last value for a handle closes it.
#[derive(Debug)]
pub struct OpenedMemory {
    driver: &'static Driver,
    context: Context,
    address: u64,
    /// Number of the opening in this process.
    opening: u64,
    /// This process's number of the allocation.
    known_as: Option<u64>,
}

/// A handle that is open.
struct Opening {
    number: u64,
    handle: IpcHandle,
    /// The owner's number of the allocation.
    allocation: u64,
    context: Context,
    address: u64,
    known_as: Option<u64>,
    users: usize,
}

/// Returns the handles that are open.
fn openings() -> MutexGuard<'static, (u64, Vec<Opening>)> {
    static OPENINGS: Mutex<(u64, Vec<Opening>)> = Mutex::new((0, Vec::new()));
    OPENINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// Returns the handle of the allocation that begins at `base`, in `context`.
    pub fn ipc_handle(&self, context: Context, base: u64) -> Result<IpcHandle> {
        let _entered = self.enter(context)?;
        let mut handle = IpcHandle::of_words([0; 8]);
        self.check("cuIpcGetMemHandle", self.functions.cuIpcGetMemHandle, |f| {
            // SAFETY: the call writes one handle.
            unsafe { f(&raw mut handle, base) }
        })?;
        Ok(handle)
    }

    /// Opens another process's allocation in `context`; `allocation` is its owner's number. `None` if that is
    /// impossible, for instance because the devices cannot access each other's memory.
    pub fn open(
        &'static self,
        context: Context,
        handle: &IpcHandle,
        allocation: u64,
    ) -> Option<OpenedMemory> {
        let mut all = openings();
        let (made, openings) = &mut *all;
        // If the program has reset the device, its openings are gone, and their users find that out.
        openings
            .retain(|opening| opening.context != context || self.is_open(opening.address, opening.known_as));
        let memory = |opening: &Opening| OpenedMemory {
            driver: self,
            context,
            address: opening.address,
            opening: opening.number,
            known_as: opening.known_as,
        };
        let mut same =
            openings.iter_mut().filter(|known| known.context == context && known.handle == *handle);
        if let Some(known) = same.next() {
            let known = Some(known).filter(|known| known.allocation == allocation)?;
            known.users += 1;
            return Some(memory(known));
        }
        let _entered = self.enter(context).ok()?;
        let mut address = 0;
        self.check("cuIpcOpenMemHandle", self.functions.cuIpcOpenMemHandle_v2, |f| {
            // SAFETY: the call writes one address.
            unsafe { f(&raw mut address, *handle, PEER_ACCESS) }
        })
        .ok()?;
        *made += 1;
        let known_as = self.allocation_number(address).ok().flatten();
        let opening =
            Opening { number: *made, handle: *handle, allocation, context, address, known_as, users: 1 };
        let opened = memory(&opening);
        openings.push(opening);
        Some(opened)
    }

    /// Returns whether an opened allocation still exists; true if the driver does not number it.
    fn is_open(&self, address: u64, known_as: Option<u64>) -> bool {
        known_as.is_none() || self.allocation_number(address).ok().flatten() == known_as
    }
}

impl OpenedMemory {
    /// Returns the address of the first byte in this process.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the context of the opening.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Returns whether the memory is still open: the driver closes it if the program resets the device.
    pub fn exists(&self) -> bool {
        self.driver.is_open(self.address, self.known_as)
    }
}

impl Drop for OpenedMemory {
    fn drop(&mut self) {
        let mut all = openings();
        let Some(at) = all.1.iter().position(|opening| opening.number == self.opening) else { return };
        all.1[at].users -= 1;
        if all.1[at].users > 0 {
            return;
        }
        all.1.swap_remove(at);
        if !self.exists() {
            return;
        }
        let Ok(_entered) = self.driver.enter(self.context) else { return };
        if let Some(close) = self.driver.functions.cuIpcCloseMemHandle {
            // SAFETY: the memory is open, and no kernel uses it any more.
            unsafe { close(self.address) };
        }
    }
}
