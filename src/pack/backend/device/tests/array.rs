//! Arrays in the memory of the host or of a device of the stand-in.

use super::super::{DeviceArray, Driver, Memory};
use super::stand_in::{enter, function, leave};
use crate::layout::strides::Shape;
use crate::pack::{Destination, Source};
use std::sync::Arc;

/// Memory of the host, or of a device of the stand-in.
pub struct Array {
    pub address: usize,
    bytes: usize,
    pub device: Option<(i32, Arc<DeviceArray>)>,
}

impl Array {
    pub fn new(ordinal: Option<i32>, contents: &[u8]) -> Self {
        let bytes = contents.len();
        let Some(ordinal) = ordinal else {
            let address = Box::leak(contents.to_vec().into_boxed_slice()).as_mut_ptr().expose_provenance();
            return Self { address, bytes, device: None };
        };
        let mut address = 0u64;
        enter(ordinal);
        assert_eq!(stand_in!(c"cuMemAlloc_v2", &raw mut address => *mut u64, bytes => usize), 0);
        let from = contents.as_ptr();
        assert_eq!(stand_in!(c"cuMemcpyHtoD_v2", address => u64, from => *const u8, bytes => usize), 0);
        leave();
        let (driver, address) = (Driver::loaded().unwrap(), usize::try_from(address).unwrap());
        let Ok(Memory::Device(memory)) = driver.describe(address) else { panic!("device memory") };
        Self { address, bytes, device: Some((ordinal, Arc::new(DeviceArray::new(driver, memory)))) }
    }

    pub fn contents(&self) -> Vec<u8> {
        let mut out = vec![0; self.bytes];
        match &self.device {
            None => {
                let from = std::ptr::with_exposed_provenance::<u8>(self.address);
                // SAFETY: `new` leaked these bytes.
                out.copy_from_slice(unsafe { std::slice::from_raw_parts(from, self.bytes) });
            }
            Some((ordinal, array)) => {
                assert_eq!(array.fault(), None);
                enter(*ordinal);
                let (to, from) = (out.as_mut_ptr(), self.address as u64);
                let bytes = self.bytes;
                assert_eq!(stand_in!(c"cuMemcpyDtoH_v2", to => *mut u8, from => u64, bytes => usize), 0);
                leave();
            }
        }
        out
    }

    pub fn device(&self) -> Option<Arc<DeviceArray>> {
        self.device.as_ref().map(|(_, device)| device.clone())
    }

    pub fn source(&self, at: usize, shape: &Shape) -> Source<'_> {
        let base = std::ptr::with_exposed_provenance(self.address + at);
        // SAFETY: `layout` made the array for the shape.
        unsafe { Source::new(base, shape.clone()) }.on(self.device())
    }

    pub fn destination(&self, at: usize, shape: &Shape) -> Destination<'_> {
        let base = std::ptr::with_exposed_provenance_mut(self.address + at);
        // SAFETY: as in `source`; the tests use one at a time.
        unsafe { Destination::new(base, shape.clone()) }.on(self.device())
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        match &self.device {
            None => {
                let base = std::ptr::with_exposed_provenance_mut::<u8>(self.address);
                // SAFETY: `new` leaked this box.
                drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(base, self.bytes)) });
            }
            Some((ordinal, _)) => {
                enter(*ordinal);
                assert_eq!(stand_in!(c"cuMemFree_v2", self.address as u64 => u64), 0);
                leave();
            }
        }
    }
}
