//! Kind of memory that an address belongs to, as the driver says.
//!
//! One call of the plural function returns all attributes. It succeeds for any memory, in 60 to 80 ns if the driver
//! knows it, otherwise in 150 ns. For other memory the singular function fails, and takes 540 ns
//! (docs/research/gpu.md).

use super::{Context, Driver, DriverError, Result};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, null_mut, without_provenance};

/// The kind of memory at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Memory of the host that the driver does not know.
    Host,
    /// Memory of the host that is registered with the driver: kernels can access it at the same address.
    Pinned,
    /// Memory that the driver moves between host and device; the host may read and write it.
    Managed,
    /// Memory of a device; the host must not access it.
    Device(DeviceMemory),
}

/// An allocation in a device's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceMemory {
    /// A context that can use the memory.
    pub context: Context,
    /// Number of the device in this process.
    pub ordinal: i32,
    /// Address of the allocation's first byte.
    pub base: u64,
    /// Size of the allocation in bytes.
    pub bytes: u64,
    /// The driver's number of the allocation, unique in the process; 0 if the driver gives none.
    pub number: u64,
}

/// Attributes of a pointer, by their numbers in `cuda.h`: the context, the type, the address for kernels, the number of
/// the allocation, whether the memory is managed, the device, start and size of the allocation.
const ATTRIBUTES: [c_int; 8] = [1, 2, 3, ALLOCATION_NUMBER, 8, 9, 11, 12];
/// The attribute that numbers allocations.
const ALLOCATION_NUMBER: c_int = 7;
/// The attribute that says whether other processes can open the allocation.
const IPC_CAPABLE: c_int = 10;
const COUNT: c_uint = 8;
/// Type of memory in a device.
const DEVICE: c_uint = 2;
/// Type of memory that the driver does not know.
const UNKNOWN: c_uint = 0;

impl Driver {
    /// Returns the kind of memory at `address`. Needs no current context.
    ///
    /// If the driver returns an error, for instance after a kernel has failed, memory that the host can read counts as
    /// the host's; otherwise the driver's error is returned.
    pub fn describe(&self, address: usize) -> Result<Memory> {
        if address == 0 {
            return Ok(Memory::Host);
        }
        self.ask(address).or_else(|error| match error {
            error if DriverError::IDLE.contains(&error.code) => Ok(Memory::Host),
            _ if is_readable(address) => Ok(Memory::Host),
            error => Err(error),
        })
    }

    /// Returns the number of the allocation at `address` if other processes can open the allocation; otherwise `None`.
    pub fn sharable_allocation(&self, address: u64) -> Result<Option<u64>> {
        let (mut number, mut sharable) = (0u64, 0);
        let sharable_at: *mut c_uint = &raw mut sharable;
        let mut attributes = [ALLOCATION_NUMBER, IPC_CAPABLE];
        let mut values = [(&raw mut number).cast(), sharable_at.cast()];
        self.check("cuPointerGetAttributes", self.functions.cuPointerGetAttributes, |f| {
            // SAFETY: each value has room for its attribute. The address is not followed.
            unsafe { f(2, attributes.as_mut_ptr(), values.as_mut_ptr(), address) }
        })?;
        // A type of one or four bytes, as in `ask`.
        Ok(Some(number).filter(|&number| number != 0 && sharable & 0xff == 1))
    }

    /// Returns whether the program has not freed `memory`; true if the driver does not number it.
    pub fn is_allocated(&self, memory: &DeviceMemory) -> bool {
        memory.number == 0 || self.allocation_number(memory.base) == Ok(Some(memory.number))
    }

    /// Returns the number of the allocation at `address`; `None` if the driver knows none there. No other allocation of
    /// the process gets the number.
    pub(super) fn allocation_number(&self, address: u64) -> Result<Option<u64>> {
        let mut number = 0u64;
        let (mut attribute, mut value) = (ALLOCATION_NUMBER, (&raw mut number).cast());
        self.check("cuPointerGetAttributes", self.functions.cuPointerGetAttributes, |f| {
            // SAFETY: the value has room for its attribute. The address is not followed.
            unsafe { f(1, &raw mut attribute, &raw mut value, address) }
        })?;
        Ok(Some(number).filter(|&number| number != 0))
    }

    fn ask(&self, address: usize) -> Result<Memory> {
        let (mut context, mut kind, mut managed, mut ordinal) = (null_mut::<c_void>(), 0, 0, 0);
        let (mut there, mut number, mut base, mut bytes) = (0u64, 0u64, 0u64, 0u64);
        let (kind_at, managed_at): (*mut c_uint, *mut c_uint) = (&raw mut kind, &raw mut managed);
        let ordinal_at: *mut c_int = &raw mut ordinal;
        let mut attributes = ATTRIBUTES;
        let mut values: [*mut c_void; ATTRIBUTES.len()] = [
            (&raw mut context).cast(),
            kind_at.cast(),
            (&raw mut there).cast(),
            (&raw mut number).cast(),
            managed_at.cast(),
            ordinal_at.cast(),
            (&raw mut base).cast(),
            (&raw mut bytes).cast(),
        ];
        self.check("cuPointerGetAttributes", self.functions.cuPointerGetAttributes, |f| {
            // SAFETY: each value has room for its attribute, by its type in `cuda.h`. The address is not followed.
            unsafe { f(COUNT, attributes.as_mut_ptr(), values.as_mut_ptr(), address as u64) }
        })?;
        // A type of one or four bytes: 1 is true in both.
        Ok(match (kind, managed & 0xff) {
            (UNKNOWN, _) => Memory::Host,
            (_, 1) => Memory::Managed,
            (DEVICE, _) => {
                // Memory of a pool belongs to no context.
                let context = match context.addr() {
                    0 => self.primary_context(ordinal)?,
                    context => Context(context),
                };
                Memory::Device(DeviceMemory { context, ordinal, base, bytes, number })
            }
            _ if there == address as u64 => Memory::Pinned,
            _ => Memory::Host,
        })
    }
}

/// Returns whether the host can read the byte at `address`; true also if the system does not allow the test.
pub fn is_readable(address: usize) -> bool {
    // The system copies a set of 8 bytes from the address before it refuses the first argument.
    let (invalid, bytes) = (-1, 8_usize);
    let set: *const c_void = without_provenance(address & !(bytes - 1));
    // SAFETY: the system checks the address. It changes nothing, since the first argument is invalid.
    let done = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, invalid, set, null::<c_void>(), bytes) };
    done == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

#[cfg(test)]
mod tests {
    use super::super::functions::Functions;
    use super::*;
    use std::ffi::c_char;
    use std::ptr::without_provenance_mut;

    /// A driver that knows four allocations: at 1 << 40 of a device, at 2 << 40 managed, at 3 << 40 registered, at
    /// 4 << 40 of a pool. It fails for addresses from 5 << 40 on, by error 700, and below 4096, by error 3.
    unsafe extern "C" fn attributes(n: c_uint, names: *mut c_int, at: *mut *mut c_void, p: u64) -> c_int {
        let kind = p >> 40;
        if kind >= 5 || p < 4096 {
            return if kind >= 5 { 700 } else { 3 };
        }
        for k in 0..n as usize {
            // SAFETY: `names` and `at` have `n` entries, and each value has room for its attribute.
            unsafe {
                match *names.add(k) {
                    1 => at.add(k).read().cast::<usize>().write(if kind == 1 { 77 } else { 0 }),
                    2 => at.add(k).read().cast::<c_uint>().write([0, 2, 2, 1, 2][kind as usize]),
                    3 => at.add(k).read().cast::<u64>().write(if p == (3 << 40) + 8 { 1 } else { p }),
                    7 => at.add(k).read().cast::<u64>().write(kind),
                    8 => at.add(k).read().cast::<u8>().write(u8::from(kind == 2)),
                    9 => at.add(k).read().cast::<c_int>().write(3),
                    11 => at.add(k).read().cast::<u64>().write(kind << 40),
                    12 => at.add(k).read().cast::<u64>().write(4096),
                    other => panic!("attribute {other}"),
                }
            }
        }
        0
    }
    unsafe extern "C" fn device(device: *mut c_int, ordinal: c_int) -> c_int {
        // SAFETY: the caller has room for an integer.
        unsafe { device.write(10 + ordinal) };
        0
    }
    unsafe extern "C" fn retain(context: *mut *mut c_void, device: c_int) -> c_int {
        // SAFETY: the caller has room for a pointer.
        unsafe { context.write(without_provenance_mut(1000 + device as usize)) };
        0
    }
    unsafe extern "C" fn name(code: c_int, text: *mut *const c_char) -> c_int {
        // SAFETY: the caller has room for a pointer.
        unsafe { text.write(c"CUDA_ERROR_ILLEGAL_ADDRESS".as_ptr()) };
        i32::from(code != 700)
    }

    fn driver() -> Driver {
        Driver::new(Functions {
            cuPointerGetAttributes: Some(attributes),
            cuDeviceGet: Some(device),
            cuDevicePrimaryCtxRetain: Some(retain),
            cuGetErrorName: Some(name),
            ..Functions::default()
        })
    }

    #[test]
    fn each_kind_of_memory_is_recognised() {
        let (driver, local) = (driver(), 0u8);
        assert_eq!(driver.describe(0), Ok(Memory::Host));
        assert_eq!(driver.describe(8192), Ok(Memory::Host), "no allocation");
        let device = |context, base| {
            let (context, number) = (Context(context), base >> 40);
            Ok(Memory::Device(DeviceMemory { context, ordinal: 3, base, bytes: 4096, number }))
        };
        assert_eq!(driver.describe((1 << 40) + 8), device(77, 1 << 40));
        assert_eq!(driver.describe(2 << 40), Ok(Memory::Managed));
        assert_eq!(driver.describe(3 << 40), Ok(Memory::Pinned));
        assert_eq!(driver.describe((3 << 40) + 8), Ok(Memory::Host), "kernels use another address");
        for _ in 0..2 {
            assert_eq!(driver.describe(4 << 40), device(1013, 4 << 40));
        }
        assert_eq!(driver.describe(1000), Ok(Memory::Host), "the driver is not initialized");
        assert_eq!(driver.describe((&raw const local).addr()), Ok(Memory::Host), "the driver fails");
        let error = driver.describe(5 << 40).unwrap_err();
        assert_eq!(error.to_string(), "cuPointerGetAttributes: CUDA_ERROR_ILLEGAL_ADDRESS");
    }

    #[test]
    fn the_system_says_what_can_be_read() {
        let local = 1u8;
        assert!(is_readable((&raw const local).addr()));
        assert!(!is_readable(8));
    }
}
