//! Point-to-point messages of MPI: a window of sends and a window of receives in flight.

use super::{Slot, Transport};
use crate::error::Error;
use crate::layout::Rank;
use crate::mpi::{Comm, MpiError, Slots};

/// Tag of the data on reblock's own communicator.
const TAG: i32 = 1;

/// The buffers of one communicator's exchanges, kept from call to call.
pub struct Window {
    sends: Slots,
    receives: Slots,
    /// Of each receive slot that is not free, the bytes that it expects.
    expected: Vec<Option<usize>>,
}

impl Window {
    /// `window` slots of `capacity` bytes in each direction.
    pub fn new(window: usize, capacity: usize) -> Self {
        let slots = || Slots::new(window, capacity);
        Self { sends: slots(), receives: slots(), expected: vec![None; window] }
    }
}

/// A [`Window`] on a communicator.
pub struct PointToPoint<'a> {
    comm: Comm,
    window: &'a mut Window,
}

impl<'a> PointToPoint<'a> {
    /// `comm` carries nothing but reblock's own messages.
    pub fn new(comm: Comm, window: &'a mut Window) -> Self {
        Self { comm, window }
    }
}

impl PointToPoint<'_> {
    fn retire_sends(&mut self) -> Result<(), MpiError> {
        while self.window.sends.completed()?.is_some() {}
        Ok(())
    }
}

impl Transport for PointToPoint<'_> {
    type Error = Error;

    fn capacity(&self) -> usize {
        self.window.sends.capacity()
    }

    fn free_slot(&mut self) -> Result<Option<Slot>, Error> {
        self.retire_sends()?;
        Ok(self.window.sends.idle().map(Slot))
    }

    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.window.sends.buffer(slot.0)
    }

    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        Ok(self.window.sends.send(slot.0, self.comm, to.0, TAG, bytes)?)
    }

    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Error> {
        let free = self.window.expected.iter().position(Option::is_none);
        if let Some(slot) = free {
            // Room for any message, so that one of another length is told as such, and not as MPI's own fatal error.
            self.window.receives.receive(slot, self.comm, from.0, TAG, self.window.receives.capacity())?;
            self.window.expected[slot] = Some(bytes);
        }
        Ok(free.map(Slot))
    }

    fn arrived(&mut self) -> Result<Option<Slot>, Error> {
        let Some((slot, came)) = self.window.receives.completed()? else { return Ok(None) };
        match self.window.expected[slot] {
            Some(expected) if came != expected => Err(Error::Length { came, expected }),
            _ => Ok(Some(Slot(slot))),
        }
    }

    fn received(&self, slot: Slot) -> &[u8] {
        self.window.receives.filled(slot.0)
    }

    fn release(&mut self, slot: Slot) {
        self.window.expected[slot.0] = None;
    }

    fn all_sent(&mut self) -> Result<bool, Error> {
        self.retire_sends()?;
        Ok(self.window.sends.all_idle())
    }
}
