//! Memory of reblock on the host that is registered with the driver, so that kernels can access it at its own address.
//!
//! To register 64 MiB took 2 to 5 ms (docs/research/gpu.md). So memory is only offered first, and is registered when a
//! kernel is to use it. If the driver refuses, copies go through a buffer in the device's memory.

use super::{Context, Driver};
use std::ffi::c_uint;
use std::ops::Range;
use std::ptr::without_provenance_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Flag of a registration that is valid in all contexts.
const PORTABLE: c_uint = 1;

/// Memory of the host that may be registered. Dropping this value ends the registration.
#[derive(Debug)]
pub struct HostMemory(Range<usize>);

struct Offered {
    addresses: Range<usize>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unused,
    /// Registered with the driver, in this context.
    Registered(Context),
    /// The driver has refused to register the memory.
    Refused,
}

/// Returns the memory that is offered.
fn offered() -> MutexGuard<'static, Vec<Offered>> {
    static OFFERED: Mutex<Vec<Offered>> = Mutex::new(Vec::new());
    OFFERED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostMemory {
    /// Offers memory to be registered.
    ///
    /// # Safety
    /// The memory stays mapped as long as the result.
    pub unsafe fn offer(addresses: Range<usize>) -> Self {
        offered().push(Offered { addresses: addresses.clone(), state: State::Unused });
        Self(addresses)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        let mut all = offered();
        let Some(at) = all.iter().position(|offered| offered.addresses == self.0) else { return };
        let State::Registered(context) = all.swap_remove(at).state else { return };
        // If the context is gone, so is the registration.
        let Some(driver) = Driver::loaded() else { return };
        let Ok(_entered) = driver.enter(context) else { return };
        if let Some(unregister) = driver.functions.cuMemHostUnregister {
            // SAFETY: the memory was registered by `register`; no kernel uses it any more.
            unsafe { unregister(without_provenance_mut(self.0.start)) };
        }
    }
}

impl Driver {
    /// Registers the offered memory that contains `addresses`, in the current context, which is `context`. Returns false if
    /// there is none, or if the driver refuses.
    pub fn register(&self, context: Context, addresses: &Range<usize>) -> bool {
        let mut all = offered();
        let contains = |offered: &&mut Offered| {
            offered.addresses.start <= addresses.start && addresses.end <= offered.addresses.end
        };
        let Some(found) = all.iter_mut().find(contains).filter(|found| found.state != State::Refused) else {
            return false;
        };
        let registered = self.check("cuMemHostRegister", self.functions.cuMemHostRegister_v2, |f| {
            // SAFETY: the memory is mapped until `HostMemory` is dropped.
            unsafe { f(without_provenance_mut(found.addresses.start), found.addresses.len(), PORTABLE) }
        });
        found.state = if registered.is_ok() { State::Registered(context) } else { State::Refused };
        registered.is_ok()
    }
}
