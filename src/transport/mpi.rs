//! Point-to-point messages of MPI: a window of sends and a window of receives in flight.
//!
//! The next large message begins when all but the last 64 KiB of the one before have been received. If more of two
//! steps were in flight at once, messages would share a port, and the delay would spread from rank to rank
//! (docs/design.md, Between nodes). With less, the port would wait until the acknowledgement is back and the sender has
//! a core. Pieces of one message overlap, and so do small messages, whose cost is mostly start-up.
//!
//! For the same reason pieces are sent in synchronous mode: a standard send may complete while the message is still in
//! a buffer. Pieces whose flight takes less time than a start-up (at most 16 KiB) use standard mode, because waiting
//! for the receiver would take longer than the flight. With [`Pace::AtOnce`] all messages overlap, and all use standard
//! mode.

use super::{Length, Pace, Slot};
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, MpiError, Requests, accepts_device_memory};
use crate::pack::MessageMemory;
use crate::pack::place::DeviceArray;
use crate::transport::error::Error;

/// Maximum bytes in flight when a message to another rank begins. Prices of schedules assume 16 KiB
/// (`planner/src/machine.rs`): with 64 KiB they are too low, since the simulation leaves out that acknowledgements wait
/// behind data.
const MAX_OVERLAP_BYTES: usize = 64 << 10;

/// The messages of one kind in a call, sent by MPI. Later calls reuse this value.
pub struct PointToPoint {
    tag: i32,
    sends: Requests,
    receives: Requests,
    /// Bytes in flight from each send slot.
    in_flight: Vec<usize>,
    /// Receiver of the last send.
    latest: Option<Rank>,
    /// Bytes expected in each receive slot; `None` if the slot is free.
    expected: Vec<Option<usize>>,
    /// Memory of devices in which messages arrive, in place of the receive slots' buffers.
    on_device: Vec<Option<MessageMemory>>,
    pace: Pace,
}

/// The operations of [`Transport`](super::Transport). The communicator must carry reblock's messages only.
impl PointToPoint {
    /// Creates a transport with `window` slots in each direction.
    pub fn new(window: usize) -> Self {
        let slots = || Requests::new(window);
        let (in_flight, expected) = (vec![0; window], vec![None; window]);
        Self {
            tag: 0,
            sends: slots(),
            receives: slots(),
            in_flight,
            latest: None,
            expected,
            on_device: vec![None; window],
            pace: Pace::AtOnce,
        }
    }

    /// Begins a call: sets the tag (unique among calls in progress), the maximum message size in bytes, and the pace.
    pub fn open(&mut self, tag: i32, capacity: usize, pace: Pace) {
        (self.tag, self.pace, self.latest) = (tag, pace, None);
        self.sends.fit(capacity);
        self.receives.fit(capacity);
    }

    /// Allocates one send buffer if this rank `sends`, and one receive buffer if it `receives`. With these the call can
    /// complete even if memory becomes scarce.
    pub fn provide(&mut self, sends: bool, receives: bool) -> Result<(), Error> {
        if sends {
            allocate_free_slot(&mut self.sends, Requests::is_idle)?;
        }
        if receives {
            allocate_free_slot(&mut self.receives, Requests::is_idle)?;
        }
        Ok(())
    }

    /// Returns the buffers to the pool.
    pub fn close(&mut self) {
        self.sends.give_back();
        self.receives.give_back();
    }

    pub fn is_idle(&self) -> bool {
        self.sends.all_idle() && self.receives.all_idle()
    }

    fn retire_sends(&mut self) -> Result<(), MpiError> {
        while let Some((slot, _)) = self.sends.completed()? {
            self.in_flight[slot] = 0;
        }
        Ok(())
    }

    pub fn slots(&self) -> usize {
        self.sends.count()
    }

    pub fn capacity(&self) -> usize {
        self.sends.capacity()
    }

    /// Returns a free slot for a message to `to`; `None` if there is none, or if earlier messages must complete first.
    pub fn free_slot(&mut self, to: Rank) -> Result<Option<Slot>, Error> {
        self.retire_sends()?;
        let overlaps = self.pace == Pace::AtOnce || self.latest == Some(to);
        if !overlaps && self.in_flight.iter().sum::<usize>() > MAX_OVERLAP_BYTES {
            return Ok(None);
        }
        Ok(allocate_free_slot(&mut self.sends, Requests::is_idle)?.map(Slot))
    }

    pub fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.sends.buffer(slot.0)
    }

    pub fn send(&mut self, comm: Comm, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        let synchronous = self.begin_send(slot, to, bytes);
        Ok(self.sends.send(slot.0, comm, to.0, self.tag, bytes, synchronous)?)
    }

    /// As [`Self::send`], from memory of a device.
    pub fn send_from_device(
        &mut self,
        comm: Comm,
        slot: Slot,
        to: Rank,
        bytes: usize,
        memory: MessageMemory,
    ) -> Result<(), Error> {
        let synchronous = self.begin_send(slot, to, bytes);
        Ok(self.sends.send_from_device(slot.0, (comm, to.0, self.tag), (memory, bytes), synchronous)?)
    }

    /// Notes a send, and returns whether its mode is synchronous.
    fn begin_send(&mut self, slot: Slot, to: Rank, bytes: usize) -> bool {
        (self.in_flight[slot.0], self.latest) = (bytes, Some(to));
        matches!(self.pace, Pace::InSteps { max_unacknowledged } if bytes > max_unacknowledged)
    }

    /// Returns memory of the device of `array` for a message of maximum size; `None` if MPI accepts no addresses of
    /// devices, or if there is no memory.
    pub fn device_memory(&self, array: &DeviceArray) -> Option<MessageMemory> {
        if accepts_device_memory() { array.message_memory(self.sends.capacity()) } else { None }
    }

    /// Expects the next message from `from`, which has `bytes` bytes. If `array` is given, the message arrives in memory
    /// of its device if possible. Returns the slot of the message; `None` if no slot is free.
    pub fn expect(
        &mut self,
        comm: Comm,
        from: Rank,
        bytes: usize,
        array: Option<&DeviceArray>,
    ) -> Result<Option<Slot>, Error> {
        let Self { receives, expected, .. } = self;
        let free = allocate_free_slot(receives, |_, slot| expected[slot].is_none())?;
        let Some(slot) = free else { return Ok(None) };
        let memory = array.and_then(|array| self.device_memory(array));
        // Room for the maximum size: a wrong length is then an error of `arrived`, not a truncation error of MPI.
        match memory.as_ref().and_then(|memory| Some((memory, memory.enter().ok()?))) {
            Some((memory, _entered)) => {
                self.receives.receive_on_device(slot, (comm, from.0, self.tag), memory.clone())?;
                self.on_device[slot] = Some(memory.clone());
            }
            None => self.receives.receive(slot, comm, from.0, self.tag, self.receives.capacity())?,
        }
        self.expected[slot] = Some(bytes);
        Ok(Some(Slot(slot)))
    }

    pub fn received_on_device(&self, slot: Slot) -> Option<&MessageMemory> {
        self.on_device[slot.0].as_ref()
    }

    pub fn arrived(&mut self) -> Result<Option<Slot>, Error> {
        let Some((slot, came)) = self.receives.completed()? else { return Ok(None) };
        match self.expected[slot] {
            Some(expected) if came != expected => Err(Length { came, expected }.into()),
            _ => Ok(Some(Slot(slot))),
        }
    }

    pub fn received(&self, slot: Slot) -> &[u8] {
        self.receives.filled(slot.0)
    }

    pub fn release(&mut self, slot: Slot) {
        (self.expected[slot.0], self.on_device[slot.0]) = (None, None);
    }

    pub fn all_sent(&mut self) -> Result<bool, Error> {
        self.retire_sends()?;
        Ok(self.sends.all_idle())
    }
}

/// Returns a free slot with a buffer; `None` if there is none now. If memory is short, fewer messages are in flight;
/// fails if no slot is in use that could become free.
fn allocate_free_slot(
    slots: &mut Requests,
    is_free: impl Fn(&Requests, usize) -> bool,
) -> Result<Option<usize>, Error> {
    let all = 0..slots.count();
    let Some(first) = all.clone().find(|&slot| is_free(slots, slot)) else { return Ok(None) };
    if slots.allocate(first) {
        return Ok(Some(first));
    }
    let (free, used): (Vec<usize>, Vec<usize>) = all.partition(|&slot| is_free(slots, slot));
    match free.into_iter().find(|&slot| slots.has_memory(slot)) {
        None if used.is_empty() => {
            Err(Error::Memory(format!("no memory for a message buffer of {} bytes", slots.capacity())))
        }
        found => Ok(found),
    }
}
