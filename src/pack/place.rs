//! Where an array of the program lies: in the host's memory or in a device's.

pub(crate) use super::backend::DeviceArray;
use crate::layout::strides::Shape;
use crate::system::cuda::{DeviceMemory, Driver, Memory};
use std::sync::Arc;

/// Returns the device that has a local array of the program, whose first element is at `base`; `None`: the host can
/// access the array, or it has no element. The error says what is wrong, as the end of a sentence that begins with the
/// array's name. Arrays in a device's memory are refused as long as no copies for them are written.
pub(crate) fn device_of(base: *const u8, shape: &Shape) -> Result<Option<Arc<DeviceArray>>, String> {
    if shape.bytes() > 0 { check_host(base).map(|()| None) } else { Ok(None) }
}

/// Checks that the host can access the memory at `address`, where no device can. The error is as for [`device_of`].
pub(crate) fn check_host(address: *const u8) -> Result<(), String> {
    let Some(driver) = Driver::loaded() else { return Ok(()) };
    device_memory(driver, address.addr())?.map_or(Ok(()), |memory| Err(refusal(&memory)))
}

fn device_memory(driver: &'static Driver, address: usize) -> Result<Option<DeviceMemory>, String> {
    match driver.describe(address) {
        Ok(Memory::Host | Memory::Pinned | Memory::Managed) => Ok(None),
        Ok(Memory::Device(memory)) => Ok(Some(memory)),
        Err(why) => {
            Err(format!("lies where the host cannot read, and NVIDIA's driver does not say where: {why}"))
        }
    }
}

fn refusal(memory: &DeviceMemory) -> String {
    format!("lies in the memory of GPU {}, expected memory of the host", memory.ordinal)
}
