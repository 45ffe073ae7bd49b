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

use super::{MessageMemory, PackRoom, Packed};
use crate::pack::block::CopyRun;
use crate::pack::nest::Nest;
use crate::pack::update::Update;
use crate::system::cuda::{DeviceMemory, Driver, DriverError, Memory, ProgramStream};

pub use program::Unusable;
pub use shared::{ImportedMemory, SharableAllocation};

use context_state::{ContextState, state_of, with_state};
use program::ProgramWork;
use std::sync::{OnceLock, PoisonError};
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
    /// Whether MPI may send messages from memory of the device, and receive them there.
    by_mpi: bool,
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
    /// The array at this address, and for each piece memory of its packed elements, which is written.
    Pack(usize, &'a mut [PackRoom<'b>]),
    /// For each piece its packed elements, and the array at this address, which is written.
    Unpack(&'a [Packed<'b>], usize),
}

/// Where kernels find packed elements.
#[derive(Clone, Copy)]
enum KernelAddress {
    /// At this address, where the elements are.
    Direct(usize),
    /// At this address in the device's memory; the driver copies them from or to the host.
    Staged(usize),
}

impl KernelAddress {
    fn address(self) -> usize {
        let (Self::Direct(address) | Self::Staged(address)) = self;
        address
    }
}

/// Function that adds elements of a piece to copies that are made together. Its arguments are the number of the piece,
/// the elements, and the offset of their first byte among the piece's packed elements.
pub type AddElements<'f> = dyn FnMut(usize, Selected<'_>, usize) + 'f;

impl DeviceArray {
    /// Describes an array in `memory`; copies wait for no work of the program.
    pub fn new(driver: &'static Driver, memory: DeviceMemory) -> Self {
        let (fault, number, work) = (OnceLock::new(), OnceLock::new(), ProgramWork::default());
        Self { driver, memory, fault, number, work, by_mpi: false }
    }

    /// Sets whether MPI may send messages from memory of the device, and receive them there.
    pub fn sent_by_mpi(mut self, is: bool) -> Self {
        self.by_mpi = is;
        self
    }

    /// Returns memory of the device for a message of `bytes` bytes. `None` if MPI may not use it, if a copy of the
    /// array has failed, or if the device has no memory.
    pub fn message_memory(&self, bytes: usize) -> Option<MessageMemory> {
        if !self.by_mpi || self.fault.get().is_some() {
            return None;
        }
        let state = state_of(self.driver, self.memory.context).ok()?;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.message_memory(bytes)
    }

    /// Makes the array's copies wait for all work that the program has started on `stream`. Prepares copies in the
    /// array's context, so that an unusable stream, context, device or driver is an error before anything moves.
    /// Loads one kernel; the others are loaded when they are first used.
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
    pub fn shares_context_with(&self, other: &Self) -> bool {
        self.memory.context == other.memory.context
    }

    /// Packs the selected elements of the array at `from` into `out`, which has exactly their size.
    pub(super) fn pack(&self, from: usize, selected: Selected<'_>, out: &mut [u8]) {
        let ends = Ends::Pack(from, &mut [PackRoom::Host(out)]);
        self.copy_together(ends, None, &[], &mut |add| add(0, selected, 0));
    }

    /// Unpacks `input`, which has exactly the size of the selected elements, to the array at `to`.
    pub(super) fn unpack(&self, to: usize, selected: Selected<'_>, input: &[u8], update: Option<&Update>) {
        let ends = Ends::Unpack(&[Packed::Host(input)], to);
        self.copy_together(ends, update, &[], &mut |add| add(0, selected, 0));
    }

    /// Copies the selected elements from the first of the arrays at `ends`, `source`, which is in this array's context,
    /// to this one, the second. `source` may be `None`, at address 0, if `update` ignores its source.
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
                let places = self.kernel_addresses(state, outs.iter().map(PackRoom::as_packed))?;
                launch(state, |k, at| [from, places[k].address() + at], update, elements)?;
                for (out, place) in outs.iter_mut().zip(places) {
                    if let (PackRoom::Host(out), KernelAddress::Staged(place)) = (out, place) {
                        // SAFETY: the buffer has room for all pieces; they are borrowed until `with_state` returns or
                        // panics.
                        unsafe { state.unstage(place, out)? };
                    }
                }
                Ok(())
            }
            Ends::Unpack(inputs, to) => {
                let places = self.kernel_addresses(state, inputs.iter().copied())?;
                for (input, place) in inputs.iter().zip(&places) {
                    if let (Packed::Host(input), KernelAddress::Staged(place)) = (input, place) {
                        // SAFETY: as above.
                        unsafe { state.stage(*place, input)? };
                    }
                }
                launch(state, |k, at| [places[k].address() + at, to], update, elements)
            }
        }
    }

    /// Returns where kernels find the packed elements of each piece. Needs the array's context as the current one.
    fn kernel_addresses<'b>(
        &self,
        state: &mut ContextState,
        pieces: impl Iterator<Item = Packed<'b>>,
    ) -> Result<Vec<KernelAddress>, DriverError> {
        let mut staged_bytes = 0;
        let mut places = Vec::new();
        for piece in pieces {
            places.push(match piece {
                Packed::Device(part) => {
                    assert_eq!(part.memory().context(), self.memory.context, "memory of another context");
                    KernelAddress::Direct(part.address())
                }
                Packed::Host(buffer) if self.can_access(buffer)? => {
                    KernelAddress::Direct(buffer.as_ptr().addr())
                }
                Packed::Host(buffer) => {
                    let at = staged_bytes;
                    staged_bytes += buffer.len().next_multiple_of(STAGED_ALIGNMENT);
                    KernelAddress::Staged(at)
                }
            });
        }
        if staged_bytes > 0 {
            let base = state.staging(staged_bytes)?;
            for place in &mut places {
                if let KernelAddress::Staged(at) = place {
                    *at += base;
                }
            }
        }
        Ok(places)
    }

    /// Returns whether kernels can access `buffer` at its address. Registers memory that the ranks of a node share, as
    /// a whole. Only the ends of other buffers are checked, because each is within one registration. Needs the array's
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
/// offset among its packed elements.
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
    // SAFETY: `backend` has checked that the elements lie within the arrays and the pieces. Nobody else uses the
    // written elements during this call, by the contracts of `Source` and `Destination`.
    unsafe { state.launch(&Tables::joined(all), update) }
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        let Some(event) = self.work.take() else { return };
        if event.context() != self.memory.context || !self.driver.is_allocated(&self.memory) {
            // If the program has reset the event's device, the driver has freed the event and may have reused its
            // handle. Only for the array's own context does its memory prove that this has not happened.
            std::mem::forget(event);
        }
    }
}
