//! Checks where the memory lies that a program passes: in the host or in a device.

use crate::collective::failure::Failure;
use crate::pack::Shape;
use crate::pack::place::{DeviceArray, check_host, device_of};
use std::sync::Arc;

/// Checks that the host can access the memory `name` that the program passes, `bytes` bytes at `base`.
pub fn on_host(name: &str, base: *const u8, bytes: usize) -> Result<(), Failure> {
    if bytes == 0 {
        return Ok(());
    }
    check_host(base).map_err(|why| Failure::argument(format!("{name} {why}")))
}

/// Returns the device that has the local array `name` of the program; `None`: the host has it.
pub fn device(name: &str, base: *const u8, shape: &Shape) -> Result<Option<Arc<DeviceArray>>, Failure> {
    device_of(base, shape).map_err(|why| Failure::argument(format!("{name} {why}")))
}
