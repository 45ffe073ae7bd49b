//! Finds whether an array of the program is in the host's memory or in a device's.

use super::array::Footprint;
use crate::layout::strides::Shape;
use crate::system::cuda::{DeviceMemory, Driver, Memory, ProgramStream, is_readable};
use crate::system::settings::Settings;
use std::cell::Cell;
use std::sync::Arc;

#[cfg(test)]
pub(crate) use super::backend::device_tests;
pub(crate) use super::backend::{DeviceArray, ImportedMemory, SharableAllocation};

/// Minimum size of a page of memory, in bytes.
const MIN_PAGE_BYTES: usize = 4096;

thread_local! {
    /// The program's stream for the arrays of this thread's calls.
    static STREAM: Cell<ProgramStream> = const { Cell::new(ProgramStream::LEGACY) };
}

/// Sets the program's stream for the arrays of this thread's later calls.
pub(crate) fn set_stream(stream: ProgramStream) {
    STREAM.set(stream);
}

/// Returns the device whose memory has the program's array with its first element at `base`; `None` if the host can
/// access the array, or if it has no element. An array in a device's memory without the setting `REBLOCK_DEVICE` is an
/// error. The error text continues a sentence that begins with the array's name.
pub(crate) fn device_of(base: *const u8, shape: &Shape) -> Result<Option<Arc<DeviceArray>>, String> {
    // A null pointer is an error only if an element is read or written; the caller checks that.
    let is_array = !base.is_null() && shape.bytes() > 0;
    let Some(driver) = Driver::loaded().filter(|_| is_array) else { return Ok(None) };
    let array = Footprint { address: base.addr(), shape }.span();
    let memory = match describe_memory(driver, base.addr())? {
        Memory::Device(memory) => memory,
        Memory::Host if !is_readable(array.start) => {
            return Err(
                "lies where the host cannot read, for instance in memory of a GPU that has been freed".into(),
            );
        }
        Memory::Host | Memory::Pinned | Memory::Managed => return Ok(None),
    };
    let settings = Settings::of_process().ok().filter(|settings| settings.device);
    let Some(settings) = settings else {
        return Err(refusal(&memory, ", or the setting REBLOCK_DEVICE=1"));
    };
    let end = memory.base.saturating_add(memory.bytes);
    if (array.start as u64) < memory.base || array.end as u64 > end {
        return Err(format!(
            "takes {} bytes in the memory of GPU {}, but its allocation of {} bytes does not contain them",
            array.len(),
            memory.ordinal,
            memory.bytes
        ));
    }
    let device = DeviceArray::new(driver, memory)
        .shared_by_ipc(settings.device_ipc)
        .sent_by_mpi(settings.device_mpi)
        .after(STREAM.get());
    let unusable = |why| format!("lies in the memory of GPU {}, {why}", memory.ordinal);
    device.map(|device| Some(Arc::new(device))).map_err(unusable)
}

/// Checks that the host can access the memory at `address`, for arguments that no kernel reads. The error text is as
/// for [`device_of`].
pub(crate) fn check_host(address: *const u8) -> Result<(), String> {
    let Some(driver) = Driver::loaded() else { return Ok(()) };
    match describe_memory(driver, address.addr())? {
        Memory::Device(memory) => Err(refusal(&memory, "")),
        Memory::Host | Memory::Pinned | Memory::Managed => Ok(()),
    }
}

/// Checks that the host can access all `arguments`, each with its name. The error is a sentence.
#[inline]
pub(crate) fn check_all_on_host<'n>(
    arguments: impl IntoIterator<Item = (&'n str, *const u8)>,
) -> Result<(), String> {
    if Driver::loaded().is_none() {
        return Ok(());
    }
    // Host and device share no page, so one question for each page is enough: the variables of a caller are often in
    // one.
    let mut known = usize::MAX;
    for (name, address) in arguments {
        let page = address.addr() / MIN_PAGE_BYTES;
        if page != known {
            check_host(address).map_err(|why| format!("{name} {why}"))?;
        }
        known = page;
    }
    Ok(())
}

fn describe_memory(driver: &'static Driver, address: usize) -> Result<Memory, String> {
    let unknown =
        |why| format!("lies where the host cannot read, and NVIDIA's driver does not say where: {why}");
    driver.describe(address).map_err(unknown)
}

fn refusal(memory: &DeviceMemory, or: &str) -> String {
    format!("lies in the memory of GPU {}, expected memory of the host{or}", memory.ordinal)
}
