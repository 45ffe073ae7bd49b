//! Copies of local arrays in the memory of NVIDIA GPUs, by kernels.
//!
//! ```text
//! pack to a buffer that kernels can access:   one launch writes into it
//! pack to another buffer:                     one launch packs in the device's memory; the driver copies to the host
//! unpack:                                     likewise, in the other direction
//! copy within a context:                      one launch
//! copy between host and device, or contexts:  pack into memory of the host, unpack from there (`backend`)
//! ```
//! Each copy begins after all work that the program had started on its stream when the call began (`program`), and
//! returns when it is complete.
//!
//! A copy that fails may have written a part of its target. The array keeps the first failure ([`DeviceArray::fault`]), and
//! later copies of the array do nothing. Callers check for a failure before they send elements or return.
//!
//! | file | contents |
//! |---|---|
//! | this file | arrays in a device's memory, and their copies |
//! | `tables` | the description of a copy for the kernels |
//! | `program` | the program's work on an array |
//! | `shared` | allocations that other processes open |
//! | `machine` | a context: its stream, tables, buffers and kernels |
//! | `kernels`, `kernels.ptx` | the source of the kernels; their PTX, made by NVIDIA's compiler (`build/ptx`) |

mod machine;
mod program;
mod shared;
mod tables;
#[cfg(test)]
mod tests;

use crate::pack::block::CopyRun;
use crate::pack::nest::Nest;
use crate::pack::update::Update;
use crate::system::cuda::{DeviceMemory, Driver, DriverError, Memory, ProgramStream};

pub use program::Unusable;
pub use shared::{ImportedMemory, SharableAllocation};

use machine::{Machine, with_machine};
use program::ProgramWork;
use std::sync::OnceLock;
use tables::{RowOf, Tables};

/// The device that has a local array in its memory, and the first failure of the array's copies.
#[derive(Debug)]
pub struct DeviceArray {
    driver: &'static Driver,
    /// The allocation that contains the array.
    memory: DeviceMemory,
    fault: OnceLock<DriverError>,
    /// The driver's number of the allocation if other processes can open it; asked for once.
    number: OnceLock<Option<u64>>,
    /// The program's work on the array when the call began.
    work: ProgramWork,
}

/// The elements of a copy.
#[derive(Clone, Copy)]
pub enum Selected<'a> {
    /// A nest of loops over elements of this many bytes.
    Nest(&'a Nest<'a>, usize),
    Runs(&'a [CopyRun]),
}

/// One end of a copy, or both.
enum Ends<'a> {
    /// Addresses of two arrays in memory that the kernels can access.
    Arrays([usize; 2]),
    /// An array, and memory of the host without gaps that is written.
    Pack(usize, &'a mut [u8]),
    /// Memory of the host without gaps, and an array that is written.
    Unpack(&'a [u8], usize),
}

impl DeviceArray {
    /// Describes an array in `memory` on which the program does not work.
    pub fn new(driver: &'static Driver, memory: DeviceMemory) -> Self {
        Self { driver, memory, fault: OnceLock::new(), number: OnceLock::new(), work: ProgramWork::default() }
    }

    /// Makes the array's copies wait for all work that the program has started on `stream`. Prepares copies in the
    /// array's context, so that a stream, context, device or driver that cannot be used is an error before anything moves.
    /// One kernel is loaded, the others when they are first used.
    pub fn after(mut self, stream: ProgramStream) -> Result<Self, Unusable> {
        let work = ProgramWork::record(self.driver, self.memory.context, stream)?;
        self.work = work;
        Ok(self)
    }

    /// Returns the number of the array's device in this process.
    pub fn ordinal(&self) -> i32 {
        self.memory.ordinal
    }

    /// Returns the first failure of a copy from or to the array.
    pub fn fault(&self) -> Option<&DriverError> {
        self.fault.get()
    }

    /// Returns whether one kernel can access both arrays.
    pub(super) fn reaches(&self, other: &Self) -> bool {
        self.memory.context == other.memory.context
    }

    /// Packs the selected elements of the array at `from` into `out`, which has exactly their size.
    pub(super) fn pack(&self, from: usize, selected: Selected<'_>, out: &mut [u8]) {
        self.copy_between(Ends::Pack(from, out), selected, None, None);
    }

    /// Unpacks `input`, which has exactly the size of the selected elements, to the array at `to`.
    pub(super) fn unpack(&self, to: usize, selected: Selected<'_>, input: &[u8], update: Option<&Update>) {
        self.copy_between(Ends::Unpack(input, to), selected, update, None);
    }

    /// Copies the selected elements between the arrays at `ends`. The first is on `source`, in this array's context, and
    /// the second is this one. The first may be `None`, at address 0, if `update` reads no source.
    pub(super) fn copy(
        &self,
        ends: [usize; 2],
        selected: Selected<'_>,
        update: Option<&Update>,
        source: Option<&Self>,
    ) {
        self.copy_between(Ends::Arrays(ends), selected, update, source);
    }

    fn copy_between(
        &self,
        ends: Ends<'_>,
        selected: Selected<'_>,
        update: Option<&Update>,
        source: Option<&Self>,
    ) {
        if self.fault.get().is_some() {
            return;
        }
        let work: Vec<_> = source.into_iter().chain([self]).map(|array| &array.work).collect();
        let done = with_machine(self.driver, self.memory.context, &work, |machine| {
            self.copy_on(machine, ends, selected, update)
        });
        if let Err(error) = done {
            self.fail(error);
        }
    }

    fn copy_on(
        &self,
        machine: &mut Machine,
        ends: Ends<'_>,
        selected: Selected<'_>,
        update: Option<&Update>,
    ) -> Result<(), DriverError> {
        let launch = |machine: &mut Machine, ends: [usize; 2]| {
            let ends = ends.map(|address| address as u64);
            let tables = match selected {
                Selected::Nest(nest, element) => {
                    let row = update.map_or(RowOf::Bytes(element), |_| RowOf::Number(element));
                    Tables::of_nest(nest, ends, row)
                }
                Selected::Runs(runs) => {
                    let row = update.map_or(RowOf::Bytes(1), |update| RowOf::Number(update.number().bytes()));
                    Tables::of_runs(runs, ends, row)
                }
            };
            // SAFETY: `backend` has checked that the elements lie within the arrays and the buffer. Nobody else uses
            // the written elements during this call, by the contracts of `Source` and `Destination`.
            tables.map_or(Ok(()), |tables| unsafe { machine.launch(tables, update) })
        };
        match ends {
            Ends::Arrays(ends) => launch(machine, ends),
            Ends::Pack(from, out) if self.sees(out)? => launch(machine, [from, out.as_mut_ptr().addr()]),
            Ends::Unpack(input, to) if self.sees(input)? => launch(machine, [input.as_ptr().addr(), to]),
            Ends::Pack(from, out) => {
                let staging = machine.staging(out.len())?;
                launch(machine, [from, staging])?;
                machine.unstage(out)
            }
            Ends::Unpack(input, to) => {
                let staging = machine.stage(input)?;
                launch(machine, [staging, to])
            }
        }
    }

    /// Returns whether kernels can access `buffer` at its address. Registers memory that the ranks of a node share. Only
    /// the buffer's ends are checked: each of the caller's buffers is within one registration. Needs the array's context as
    /// the current one.
    fn sees(&self, buffer: &[u8]) -> Result<bool, DriverError> {
        let (Some(first), Some(last)) = (buffer.first(), buffer.last()) else { return Ok(true) };
        let [first, last] = [first, last].map(|byte| std::ptr::from_ref(byte).addr());
        let sees = |address| self.driver.describe(address).map(|memory| memory == Memory::Pinned);
        if sees(first)? && sees(last)? {
            return Ok(true);
        }
        let registered = self.driver.register(self.memory.context, &(first..last + 1));
        Ok(registered && sees(first)? && sees(last)?)
    }
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        let Some(event) = self.work.take() else { return };
        if !self.driver.holds(&self.memory) {
            // The program may have reset the device: the driver has then freed the event, and may have reused its handle.
            std::mem::forget(event);
        }
    }
}
