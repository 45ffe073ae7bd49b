//! Copies of local arrays in the memory of NVIDIA GPUs.
//!
//! ```text
//! pack to buffers that kernels can access:    one launch writes into them
//! pack to other buffers:                      one launch packs in the device's memory; the driver copies to the host
//! unpack:                                     likewise, in the other direction
//! copy within a context:                      one launch
//! copy between host and device, or contexts:  pack into memory of the host, unpack from there (`backend`)
//! ```
//! Each copy begins after all work that the program had started on its stream when the call began (`program`), and
//! returns when it is complete.
//!
//! A failed copy may have written a part of its target. The array keeps the first failure ([`DeviceArray::fault`]), and
//! later copies of the array do nothing. Callers check for a failure before they send elements or return.
//!
//! | file | contents |
//! |---|---|
//! | this file | arrays in a device's memory, and their copies |
//! | `tables` | the description of a copy for the kernels |
//! | `program` | the program's work on an array |
//! | `shared` | allocations that other processes open |
//! | `context_state` | a context: its stream, tables, buffers and kernels |
//! | `kernels`, `kernels.ptx` | the source of the kernels; their PTX, made by NVIDIA's compiler (`build/ptx`) |

mod context_state;
mod program;
mod shared;
mod tables;
#[cfg(test)]
pub mod tests;

use crate::pack::block::CopyRun;
use crate::pack::nest::Nest;
use crate::pack::update::Update;
use crate::system::cuda::{DeviceMemory, Driver, DriverError, Memory, ProgramStream};

pub use program::Unusable;
pub use shared::{ImportedMemory, SharableAllocation};

use context_state::{ContextState, with_state};
use program::ProgramWork;
use std::sync::OnceLock;
use tables::{RowUnit, Tables};

/// Alignment in bytes of pieces in a buffer in the device's memory: the largest unit of the kernels.
const STAGED_ALIGNMENT: usize = 16;

/// Device memory of a local array, and the first failure of the array's copies.
#[derive(Debug)]
pub struct DeviceArray {
    driver: &'static Driver,
    /// The allocation that contains the array.
    memory: DeviceMemory,
    fault: OnceLock<DriverError>,
    /// The driver's number of the allocation, queried once; `None` if other processes cannot open it.
    number: OnceLock<Option<u64>>,
    /// The program's work on the array when the call began.
    work: ProgramWork,
}

/// Elements of a copy, as loops or as a list of runs.
#[derive(Clone, Copy)]
pub enum Selected<'a> {
    /// A nest of loops over elements of this many bytes.
    Nest(&'a Nest<'a>, usize),
    Runs(&'a [CopyRun]),
}

/// Ends of copies that are made together: pieces of one array, numbered from 0.
pub enum Ends<'a, 'b> {
    /// Pairs of addresses in memory that the kernels can access; the second of each lies in the array.
    Arrays(&'a [[usize; 2]]),
    /// The array at this address, and for each piece memory of the host that is written.
    Pack(usize, &'a mut [&'b mut [u8]]),
    /// For each piece memory of the host, and the array at this address, which is written.
    Unpack(&'a [&'b [u8]], usize),
}

/// Function that adds elements of a piece to copies that are made together. Its arguments are the number of the piece, the
/// elements, and the offset of their first byte in the piece's memory of the host.
pub type AddElements<'f> = dyn FnMut(usize, Selected<'_>, usize) + 'f;

impl DeviceArray {
    /// Describes an array in `memory`; copies wait for no work of the program.
    pub fn new(driver: &'static Driver, memory: DeviceMemory) -> Self {
        Self { driver, memory, fault: OnceLock::new(), number: OnceLock::new(), work: ProgramWork::default() }
    }

    /// Makes the array's copies wait for all work that the program has started on `stream`. Prepares copies in the
    /// array's context, so that an unusable stream, context, device or driver is an error before anything moves.
    pub fn after(mut self, stream: ProgramStream) -> Result<Self, Unusable> {
        self.work = ProgramWork::record(self.driver, self.memory.context, stream)?;
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
    pub(super) fn shares_context_with(&self, other: &Self) -> bool {
        self.memory.context == other.memory.context
    }

    /// Packs the selected elements of the array at `from` into `out`, which has exactly their size.
    pub(super) fn pack(&self, from: usize, selected: Selected<'_>, out: &mut [u8]) {
        self.copy_together(Ends::Pack(from, &mut [out]), None, &[], &mut |add| add(0, selected, 0));
    }

    /// Unpacks `input`, which has exactly the size of the selected elements, to the array at `to`.
    pub(super) fn unpack(&self, to: usize, selected: Selected<'_>, input: &[u8], update: Option<&Update>) {
        self.copy_together(Ends::Unpack(&[input], to), update, &[], &mut |add| add(0, selected, 0));
    }

    /// Copies the selected elements from the first of the arrays at `ends`, `source`, which is in this array's context, to
    /// this one, the second. `source` may be `None`, at address 0, if `update` ignores its source.
    pub(super) fn copy(
        &self,
        ends: [usize; 2],
        selected: Selected<'_>,
        update: Option<&Update>,
        source: Option<&Self>,
    ) {
        let sources: Vec<&Self> = source.into_iter().collect();
        self.copy_together(Ends::Arrays(&[ends]), update, &sources, &mut |add| add(0, selected, 0));
    }

    /// Copies the elements that `elements` adds, by one launch if all are equally aligned. No element may be written
    /// twice. `sources` are the other arrays that are read.
    pub(super) fn copy_together(
        &self,
        ends: Ends<'_, '_>,
        update: Option<&Update>,
        sources: &[&Self],
        elements: &mut dyn FnMut(&mut AddElements<'_>),
    ) {
        if self.fault.get().is_some() {
            return;
        }
        let work: Vec<_> = sources.iter().copied().chain([self]).map(|array| &array.work).collect();
        let done = with_state(self.driver, self.memory.context, &work, |state| {
            self.copy_on(state, ends, update, elements)
        });
        if let Err(error) = done {
            self.fail(error);
        }
    }

    fn copy_on(
        &self,
        state: &mut ContextState,
        ends: Ends<'_, '_>,
        update: Option<&Update>,
        elements: &mut dyn FnMut(&mut AddElements<'_>),
    ) -> Result<(), DriverError> {
        match ends {
            Ends::Arrays(pairs) => launch(state, |k, _| pairs[k], update, elements),
            Ends::Pack(from, outs) => {
                if self.can_access_all(outs.iter().map(|out| &**out))? {
                    let places: Vec<usize> = outs.iter_mut().map(|out| out.as_mut_ptr().addr()).collect();
                    return launch(state, |k, at| [from, places[k] + at], update, elements);
                }
                let places = stage_addresses(state, outs.iter().map(|out| out.len()))?;
                launch(state, |k, at| [from, places[k] + at], update, elements)?;
                // SAFETY: the buffer has room for all pieces; they are borrowed until `with_state` returns or panics.
                outs.iter_mut().zip(places).try_for_each(|(out, place)| unsafe { state.unstage(place, out) })
            }
            Ends::Unpack(inputs, to) => {
                if self.can_access_all(inputs.iter().copied())? {
                    let place = |k: usize, at| [inputs[k].as_ptr().addr() + at, to];
                    return launch(state, place, update, elements);
                }
                let places = stage_addresses(state, inputs.iter().map(|input| input.len()))?;
                for (input, &place) in inputs.iter().zip(&places) {
                    // SAFETY: as above.
                    unsafe { state.stage(place, input)? };
                }
                launch(state, |k, at| [places[k] + at, to], update, elements)
            }
        }
    }

    /// Returns whether kernels can access all `buffers` at their addresses. Needs the array's context as the current one.
    fn can_access_all<'b>(&self, buffers: impl Iterator<Item = &'b [u8]>) -> Result<bool, DriverError> {
        for buffer in buffers {
            if !self.can_access(buffer)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether kernels can access `buffer` at its address. Registers memory that the ranks of a node share, as a
    /// whole. Only the ends of other buffers are checked, because each is within one registration. Needs the array's
    /// context as the current one.
    fn can_access(&self, buffer: &[u8]) -> Result<bool, DriverError> {
        let (Some(first), Some(last)) = (buffer.first(), buffer.last()) else { return Ok(true) };
        let [first, last] = [first, last].map(|byte| std::ptr::from_ref(byte).addr());
        let is_pinned = |address| self.driver.describe(address).map(|memory| memory == Memory::Pinned);
        let known = self.driver.is_announced(&(first..last + 1));
        if is_pinned(first)? && (known || is_pinned(last)?) {
            return Ok(true);
        }
        let registered = known && self.driver.register(self.memory.context, &(first..last + 1));
        Ok(registered && is_pinned(first)?)
    }
}

/// Starts the kernels for `elements`. `place` returns the addresses of both sides, from the number of a piece and an
/// offset in its memory of the host.
fn launch(
    state: &mut ContextState,
    place: impl Fn(usize, usize) -> [usize; 2],
    update: Option<&Update>,
    elements: &mut dyn FnMut(&mut AddElements<'_>),
) -> Result<(), DriverError> {
    let mut all = Vec::new();
    elements(&mut |k, selected, at| {
        let ends = place(k, at).map(|address| address as u64);
        all.extend(match selected {
            Selected::Nest(nest, element) => {
                let row = update.map_or(RowUnit::Bytes(element), |_| RowUnit::Number(element));
                Tables::of_nest(nest, ends, row)
            }
            Selected::Runs(runs) => {
                let row = update.map_or(RowUnit::Bytes(1), |update| RowUnit::Number(update.number().bytes()));
                Tables::of_runs(runs, ends, row)
            }
        });
    });
    if all.is_empty() {
        return Ok(());
    }
    // SAFETY: `backend` has checked that the elements lie within the arrays and the pieces. Nobody else uses the written
    // elements during this call, by the contracts of `Source` and `Destination`.
    unsafe { state.launch(&Tables::joined(all), update) }
}

/// Returns addresses for pieces of these sizes in the device's memory.
fn stage_addresses(
    state: &mut ContextState,
    sizes: impl Iterator<Item = usize>,
) -> Result<Vec<usize>, DriverError> {
    let mut bytes = 0;
    let offsets: Vec<usize> = sizes
        .map(|size| {
            let at = bytes;
            bytes += size.next_multiple_of(STAGED_ALIGNMENT);
            at
        })
        .collect();
    let base = state.staging(bytes)?;
    Ok(offsets.into_iter().map(|at| base + at).collect())
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        let Some(event) = self.work.take() else { return };
        if event.context() != self.memory.context || !self.driver.holds(&self.memory) {
            // If the program has reset the event's device, the driver has freed the event and may have reused its handle.
            // Only for the array's own context does its memory prove that this has not happened.
            std::mem::forget(event);
        }
    }
}
