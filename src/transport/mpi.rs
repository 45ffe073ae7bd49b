//! Point-to-point messages of MPI: a window of sends and a window of receives in flight.
//!
//! The schedule gives each port one message at a time, and so does this transport: the next large message begins when
//! the one before has been received. Otherwise both would share the port with other ranks' messages of two steps, and
//! the delay would spread from rank to rank (docs/design.md, Between nodes). Pieces of one message overlap, and so do
//! small messages, whose cost is mostly start-up.
//!
//! For the same reason pieces are sent in synchronous mode. A standard send may complete while the message is still in
//! a buffer, so all small messages of a rank could be in flight at once, even those of the last step. Pieces whose
//! flight is shorter than a start-up ([`Pace`]; up to 16 KiB on fast networks) use standard mode: waiting for the
//! receipt would take longer than the flight.

use super::{Length, Pace, Slot};
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, MpiError, Requests};
use crate::system::machine::LONG;
use crate::transport::error::Error;

/// Bytes in flight to one rank while a message to another rank may begin; schedules are priced for this value.
const MAX_OVERLAP_BYTES: u64 = LONG;

/// One kind of messages of a call over MPI. Later calls reuse its buffers.
pub struct PointToPoint {
    tag: i32,
    sends: Requests,
    receives: Requests,
    /// Bytes in flight of each send slot.
    in_flight: Vec<usize>,
    /// Receiver of the last send.
    latest: Option<Rank>,
    /// Bytes expected in each receive slot; `None` if the slot is free.
    expected: Vec<Option<usize>>,
    pace: Pace,
}

/// The operations of [`Transport`](super::Transport), on a communicator that carries reblock's messages only.
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
            pace: Pace::AtOnce,
        }
    }

    /// Begins a call: sets the tag (unique among calls in progress), the largest message in bytes, and the pace.
    pub fn open(&mut self, tag: i32, capacity: usize, pace: Pace) {
        (self.tag, self.pace, self.latest) = (tag, pace, None);
        self.sends.fit(capacity);
        self.receives.fit(capacity);
    }

    /// Allocates one send buffer and one receive buffer, as needed. With these the call can complete even if memory
    /// becomes scarce.
    pub fn provide(&mut self, sends: bool, receives: bool) -> Result<(), Error> {
        if sends {
            allocate_free_slot(&mut self.sends, Requests::is_idle)?;
        }
        if receives {
            allocate_free_slot(&mut self.receives, Requests::is_idle)?;
        }
        Ok(())
    }

    /// Returns the buffers for reuse.
    pub fn close(&mut self) {
        self.sends.give_back();
        self.receives.give_back();
    }

    /// Returns whether nothing is in flight or expected.
    pub fn is_idle(&self) -> bool {
        self.sends.all_idle() && self.receives.all_idle()
    }

    fn retire_sends(&mut self) -> Result<(), MpiError> {
        while let Some((slot, _)) = self.sends.completed()? {
            self.in_flight[slot] = 0;
        }
        Ok(())
    }

    pub fn capacity(&self) -> usize {
        self.sends.capacity()
    }

    /// Returns a free slot for a message to `to`; `None` if there is none, or if earlier messages to other ranks must
    /// complete first.
    pub fn free_slot(&mut self, to: Rank) -> Result<Option<Slot>, Error> {
        self.retire_sends()?;
        let overlaps = self.pace == Pace::AtOnce || self.latest == Some(to);
        if !overlaps && self.in_flight.iter().sum::<usize>() as u64 > MAX_OVERLAP_BYTES {
            return Ok(None);
        }
        Ok(allocate_free_slot(&mut self.sends, Requests::is_idle)?.map(Slot))
    }

    pub fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.sends.buffer(slot.0)
    }

    pub fn send(&mut self, comm: Comm, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        (self.in_flight[slot.0], self.latest) = (bytes, Some(to));
        let synchronous = matches!(self.pace, Pace::InSteps { unheard } if bytes > unheard);
        Ok(self.sends.send(slot.0, comm, to.0, self.tag, bytes, synchronous)?)
    }

    /// Expects the next `bytes` bytes from `from`; returns their slot, or `None` while no slot is free.
    pub fn expect(&mut self, comm: Comm, from: Rank, bytes: usize) -> Result<Option<Slot>, Error> {
        let Self { tag, receives, expected, .. } = self;
        let free = allocate_free_slot(receives, |_, slot| expected[slot].is_none())?;
        if let Some(slot) = free {
            // Room for the largest message, so that a wrong length is reported here instead of as MPI's fatal error.
            receives.receive(slot, comm, from.0, *tag, receives.capacity())?;
            expected[slot] = Some(bytes);
        }
        Ok(free.map(Slot))
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
        self.expected[slot.0] = None;
    }

    pub fn all_sent(&mut self) -> Result<bool, Error> {
        self.retire_sends()?;
        Ok(self.sends.all_idle())
    }
}

/// Returns a free slot with memory; `None` if there is none now. If memory is short, fewer messages are in flight.
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
