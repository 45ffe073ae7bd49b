//! Registration of reblock's memory on the host with the driver, so that kernels can access it at its address.
//!
//! Registering 64 MiB took 2 to 5 ms (docs/research/gpu.md). So memory is announced when it is mapped, and registered
//! when a kernel first uses it. If the driver refuses, copies go through a buffer in the device's memory.

use super::{Context, Driver, Memory};
use std::ffi::c_uint;
use std::ops::Range;
use std::ptr::without_provenance_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Flag of a registration that is valid in all contexts.
const PORTABLE: c_uint = 1;
/// The driver's error for memory that is registered already.
const ALREADY_REGISTERED: i32 = 712;

/// Memory of the host that may be registered. Dropping this value ends the registration.
#[derive(Debug)]
pub struct RegistrableMemory(Range<usize>);

struct Announced {
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

impl Announced {
    fn contains(&self, addresses: &Range<usize>) -> bool {
        self.addresses.start <= addresses.start && addresses.end <= self.addresses.end
    }
}

fn announced() -> MutexGuard<'static, Vec<Announced>> {
    static ANNOUNCED: Mutex<Vec<Announced>> = Mutex::new(Vec::new());
    ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RegistrableMemory {
    /// Announces memory that may be registered later.
    ///
    /// # Safety
    /// The memory stays mapped as long as the result.
    pub unsafe fn announce(addresses: Range<usize>) -> Self {
        announced().push(Announced { addresses: addresses.clone(), state: State::Unused });
        Self(addresses)
    }
}

impl Drop for RegistrableMemory {
    fn drop(&mut self) {
        let mut all = announced();
        let Some(at) = all.iter().position(|announced| announced.addresses == self.0) else { return };
        let State::Registered(context) = all.swap_remove(at).state else { return };
        let Some(driver) = Driver::loaded() else { return };
        // If the registration is gone, its context may be, too.
        if driver.describe(self.0.start) != Ok(Memory::Pinned) {
            return;
        }
        let Ok(_entered) = driver.enter(context) else { return };
        if let Some(unregister) = driver.functions.cuMemHostUnregister {
            // SAFETY: the memory was registered by `register`; no kernel uses it any more.
            unsafe { unregister(without_provenance_mut(self.0.start)) };
        }
    }
}

impl Driver {
    /// Returns whether `addresses` lie in announced memory, which is registered as a whole.
    pub fn is_announced(&self, addresses: &Range<usize>) -> bool {
        announced().iter().any(|announced| announced.contains(addresses))
    }

    /// Registers the announced memory that contains `addresses`, in the current context `context`. Returns false if
    /// there is none, or if the driver refuses.
    pub fn register(&self, context: Context, addresses: &Range<usize>) -> bool {
        let mut all = announced();
        let contains = |announced: &&mut Announced| announced.contains(addresses);
        let Some(found) = all.iter_mut().find(contains).filter(|found| found.state != State::Refused) else {
            return false;
        };
        let registered = self.check("cuMemHostRegister", self.functions.cuMemHostRegister_v2, |f| {
            // SAFETY: the memory is mapped until `RegistrableMemory` is dropped.
            unsafe { f(without_provenance_mut(found.addresses.start), found.addresses.len(), PORTABLE) }
        });
        match (registered, found.state) {
            (Ok(()), _) => found.state = State::Registered(context),
            // Another thread has registered it meanwhile.
            (Err(why), State::Registered(_)) => return why.code == ALREADY_REGISTERED,
            (Err(_), _) => found.state = State::Refused,
        }
        found.state != State::Refused
    }
}
