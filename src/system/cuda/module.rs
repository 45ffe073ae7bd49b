//! Modules of kernels, and their launches.

use super::{Context, Driver, Result, Stream};
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::ptr::{null_mut, without_provenance_mut};

/// Kernels that the driver has loaded into a context; dropping this value unloads them.
#[derive(Debug)]
pub struct Module<'d> {
    driver: &'d Driver,
    context: Context,
    module: usize,
}

/// A kernel of a module.
#[derive(Clone, Copy, Debug)]
pub struct Function<'m> {
    function: usize,
    module: PhantomData<&'m Module<'m>>,
}

impl Driver {
    /// Loads kernels into `context`: the text of PTX, which the driver compiles.
    pub fn module(&self, context: Context, image: &CStr) -> Result<Module<'_>> {
        let _entered = self.enter(context)?;
        let mut module = null_mut();
        self.check("cuModuleLoadDataEx", self.functions.cuModuleLoadDataEx, |f| {
            // SAFETY: the call writes one pointer, and reads the image, a C string; there are no options.
            unsafe { f(&raw mut module, image.as_ptr().cast(), 0, null_mut(), null_mut()) }
        })?;
        Ok(Module { driver: self, context, module: module.addr() })
    }

    /// Starts a kernel on `stream`: `blocks` blocks of `threads` threads, each block with `shared` bytes of dynamic
    /// shared memory. `arguments` are the addresses of its arguments. Needs the module's context as the current one.
    ///
    /// # Safety
    /// The arguments have the kernel's types. Until `stream` has completed the kernel, all memory that it accesses is
    /// valid, and nobody else uses memory that it writes.
    pub unsafe fn launch(
        &self,
        function: Function<'_>,
        [blocks, threads, shared]: [u32; 3],
        stream: &Stream<'_>,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        self.check("cuLaunchKernel", self.functions.cuLaunchKernel, |f| {
            let (function, arguments) = (without_provenance_mut(function.function), arguments.as_mut_ptr());
            // SAFETY: this fn's contract; the module exists as long as `function` is borrowed.
            unsafe { f(function, blocks, 1, 1, threads, 1, 1, shared, stream.raw(), arguments, null_mut()) }
        })
    }
}

impl Module<'_> {
    pub fn function(&self, name: &CStr) -> Result<Function<'_>> {
        let (driver, mut function) = (self.driver, null_mut());
        let _entered = driver.enter(self.context)?;
        driver.check("cuModuleGetFunction", driver.functions.cuModuleGetFunction, |f| {
            // SAFETY: the call writes one pointer; the module exists as long as this value.
            unsafe { f(&raw mut function, without_provenance_mut(self.module), name.as_ptr()) }
        })?;
        Ok(Function { function: function.addr(), module: PhantomData })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // If the context is gone, so is its module.
        let Ok(_entered) = self.driver.enter(self.context) else { return };
        if let Some(unload) = self.driver.functions.cuModuleUnload {
            // SAFETY: no kernel of the module is used any more.
            unsafe { unload(without_provenance_mut(self.module)) };
        }
    }
}
