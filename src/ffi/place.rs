//! Checks whether memory that the program passes belongs to the host or to a device.

use crate::collective::failure::Failure;
use crate::pack::Shape;
use crate::pack::place::{DeviceArray, check_host, device_of};
use std::sync::Arc;

/// Checks that the host can access the first of the `bytes` bytes at `base` that the program passes as `name`.
pub fn on_host(name: &str, base: *const u8, bytes: usize) -> Result<(), Failure> {
    if bytes == 0 {
        return Ok(());
    }
    check_host(base).map_err(|why| Failure::argument(format!("{name} {why}")))
}

/// Returns the device whose memory has the program's local array `name`; `None` for memory of the host.
pub fn device(name: &str, base: *const u8, shape: &Shape) -> Result<Option<Arc<DeviceArray>>, Failure> {
    device_of(base, shape).map_err(|why| Failure::argument(format!("{name} {why}")))
}
