//! Calls of NVIDIA's driver, `libcuda.so.1`, if the program has loaded it: attributes of pointers, memory, streams and
//! kernels.
//!
//! reblock never loads the driver: a process that has not loaded it has no device pointers. The functions are found by
//! name, so no header and no library of CUDA is needed. This code has not run on hardware yet; docs/research/gpu.md has
//! measurements of the driver's functions.
//!
//! | file | contents |
//! |---|---|
//! | this file | the driver; contexts |
//! | `functions`, `error` | types and addresses of the driver's functions; their failures |
//! | `pointer` | the kind of memory that an address belongs to |
//! | `registered` | memory of the host for kernels |
//! | `ipc` | memory of a device that another process has allocated |
//! | `memory`, `stream`, `module` | memory and copies; streams and events; kernels |
#![allow(unsafe_code)]

mod error;
mod functions;
mod ipc;
mod memory;
mod module;
mod pointer;
mod registered;
mod stream;

pub use error::{DriverError, Result};
pub use functions::IpcHandle;
pub use ipc::OpenedMemory;
pub use memory::DeviceBuffer;
pub use module::Module;
pub use pointer::{DeviceMemory, Memory, is_readable};
pub use registered::RegistrableMemory;
pub use stream::{Event, ProgramStream, Stream};

use functions::Functions;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The driver of this process.
#[derive(Debug)]
pub struct Driver {
    functions: Functions,
    /// Addresses of the primary contexts retained so far, by the device's number; 0: none.
    primary: [AtomicUsize; MAX_DEVICES],
}

/// Mode of a thread that may allocate memory and load kernels while other streams are being captured into graphs.
const RELAXED: c_int = 2;

/// Number of devices whose primary contexts are kept; those of further devices are retained in each call.
const MAX_DEVICES: usize = 64;

/// A context of the driver: the state of a program on one device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Context(usize);

impl Context {
    fn raw(self) -> *mut c_void {
        std::ptr::without_provenance_mut(self.0)
    }
}

impl Driver {
    /// Returns the driver if the process has loaded it. Until then this takes some 100 instructions: only a new number
    /// of libraries ever loaded leads to another search.
    pub fn loaded() -> Option<&'static Self> {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        static LOOKED: AtomicU64 = AtomicU64::new(u64::MAX);
        if let Some(driver) = DRIVER.get() {
            return Some(driver);
        }
        let loads = library_loads();
        if loads == LOOKED.load(Ordering::Relaxed) {
            return None;
        }
        let found = Functions::of_process().map(Self::new);
        LOOKED.store(loads, Ordering::Relaxed);
        found.map(|driver| DRIVER.get_or_init(|| driver))
    }

    fn new(functions: Functions) -> Self {
        Self { functions, primary: [const { AtomicUsize::new(0) }; MAX_DEVICES] }
    }

    /// Makes `context` the calling thread's current context until the result is dropped. Meanwhile calls of this thread
    /// do not invalidate the captures of other streams. This is safe because reblock uses only its own streams and
    /// streams that are not being captured.
    pub fn enter(&self, context: Context) -> Result<Entered<'_>> {
        // SAFETY: the driver has returned the context. One that the program has destroyed since is an error, as far as
        // the driver detects it.
        self.check("cuCtxPushCurrent", self.functions.cuCtxPushCurrent_v2, |f| unsafe { f(context.raw()) })?;
        Ok(Entered { driver: self, mode: self.exchange_capture_mode(RELAXED), thread: PhantomData })
    }

    /// Sets this thread's mode for captures of streams; returns the mode before. `None` if the driver has no modes.
    fn exchange_capture_mode(&self, mut mode: c_int) -> Option<c_int> {
        let exchange = self.functions.cuThreadExchangeStreamCaptureMode?;
        // SAFETY: the call reads and writes one integer.
        (unsafe { exchange(&raw mut mode) } == 0).then_some(mode)
    }

    /// Returns the primary context of a device, which programs of the CUDA runtime use. Kept until the process ends, or
    /// until [`Driver::forget`].
    pub fn primary_context(&self, ordinal: i32) -> Result<Context> {
        let kept = usize::try_from(ordinal).ok().and_then(|place| self.primary.get(place));
        if let Some(context) = kept.map(|kept| kept.load(Ordering::Relaxed)).filter(|&context| context != 0) {
            return Ok(Context(context));
        }
        let (device, mut context) = (self.device(ordinal)?, null_mut());
        self.check("cuDevicePrimaryCtxRetain", self.functions.cuDevicePrimaryCtxRetain, |f| {
            // SAFETY: the call writes one pointer.
            unsafe { f(&raw mut context, device) }
        })?;
        kept.iter().for_each(|kept| kept.store(context.addr(), Ordering::Relaxed));
        Ok(Context(context.addr()))
    }

    /// Forgets a context that has failed. If it is a primary one, the next use retains it again.
    pub fn forget(&self, context: Context) {
        for kept in &self.primary {
            // Another value is another context, which stays.
            let _ = kept.compare_exchange(context.0, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Returns the driver's handle of a device.
    fn device(&self, ordinal: i32) -> Result<c_int> {
        let mut device = 0;
        // SAFETY: the call writes one integer.
        self.check("cuDeviceGet", self.functions.cuDeviceGet, |f| unsafe { f(&raw mut device, ordinal) })?;
        Ok(device)
    }

    /// Calls the function `name` by `call`; an error if the driver lacks it, or if it fails.
    fn check<F>(&self, name: &'static str, function: Option<F>, call: impl FnOnce(F) -> c_int) -> Result<()> {
        let Some(function) = function else { return Err(DriverError::missing(name)) };
        match call(function) {
            0 => Ok(()),
            code => Err(self.error(name, code)),
        }
    }
}

/// The current context of this thread; dropping this value restores the previous one.
#[must_use]
#[derive(Debug)]
pub struct Entered<'d> {
    driver: &'d Driver,
    /// The thread's mode for captures before.
    mode: Option<c_int>,
    /// A context is current on one thread.
    thread: PhantomData<*const ()>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.mode.map(|mode| self.driver.exchange_capture_mode(mode));
        let mut context = null_mut();
        if let Some(pop) = self.driver.functions.cuCtxPopCurrent_v2 {
            // SAFETY: the call writes one pointer. Its failure cannot be returned from here; the context then stays
            // current on this thread.
            unsafe { pop(&raw mut context) };
        }
    }
}

/// Returns the number of libraries that the process has loaded since its start.
fn library_loads() -> u64 {
    unsafe extern "C" fn read(info: *mut libc::dl_phdr_info, size: usize, loads: *mut c_void) -> c_int {
        // Old systems report no number; then it is always 0, and a driver that is loaded late is not found.
        if size >= std::mem::offset_of!(libc::dl_phdr_info, dlpi_adds) + size_of::<u64>() {
            // SAFETY: the system passes a valid `info` of `size` bytes, and `loads` is the number below.
            unsafe { *loads.cast() = (*info).dlpi_adds };
        }
        1
    }
    let mut loads = 0u64;
    // SAFETY: `read` has the expected type, and `loads` outlives the call. It ends after the first library.
    unsafe { libc::dl_iterate_phdr(Some(read), (&raw mut loads).cast()) };
    loads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_the_driver_has_none() {
        assert!(library_loads() > 0);
        assert!(Driver::loaded().is_none() && Driver::loaded().is_none());
    }

    #[test]
    fn a_driver_that_lacks_a_function_says_so() {
        let driver = Driver::new(Functions::default());
        let error = driver.enter(Context(1)).unwrap_err();
        assert_eq!(error.to_string(), "cuCtxPushCurrent: the driver lacks this function");
        assert!(driver.primary_context(0).is_err() && driver.allocate(Context(1), 1).is_err());
    }
}
