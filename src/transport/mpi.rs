//! Point-to-point messages of MPI: a window of sends and a window of receives in flight.
//!
//! The schedule gives each port one message at a time, and so does this transport: the next large message begins when the
//! one before has been received. Otherwise the two share the port with other ranks' messages of both steps, and the delay
//! spreads from rank to rank (docs/design.md, Between nodes). Pieces of one message, and small messages, for which start-ups dominate, do overlap.
//! For the same reason pieces are sent in synchronous mode: otherwise "sent" may only mean "in some buffer", and all small
//! messages of a rank would be on the way at a time, those of the last step, too. Only pieces that are on the way for less than a
//! start-up ([`Pace`]; on fast networks up to 16 KiB) are not: to hear of them would take longer than they do.

use super::{Length, Pace, Slot};
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, MpiError, Requests};
use crate::system::machine::LONG;
use crate::transport::error::Error;

/// Bytes that may be under way to one rank while a message to another begins: schedules are priced for that.
const AHEAD: u64 = LONG;

/// One call's messages of one kind by MPI; its buffers are used again by other calls.
pub struct PointToPoint {
    /// Of the messages.
    tag: i32,
    sends: Requests,
    receives: Requests,
    /// Of each send slot, the bytes that are under way.
    flying: Vec<usize>,
    /// Who the last send went to.
    latest: Option<Rank>,
    /// Of each receive slot that is not free, the bytes that it expects.
    expected: Vec<Option<usize>>,
    pace: Pace,
}

/// What a [`Transport`](super::Transport) does, on a communicator that carries nothing but reblock's own messages.
impl PointToPoint {
    /// `window` slots in each direction.
    pub fn new(window: usize) -> Self {
        let slots = || Requests::new(window);
        let (flying, expected) = (vec![0; window], vec![None; window]);
        Self { tag: 0, sends: slots(), receives: slots(), flying, latest: None, expected, pace: Pace::AtOnce }
    }

    /// From now on messages have that tag, which no other call's have meanwhile, `capacity` bytes at most, and this pace.
    pub fn open(&mut self, tag: i32, capacity: usize, pace: Pace) {
        (self.tag, self.pace, self.latest) = (tag, pace, None);
        self.sends.fit(capacity);
        self.receives.fit(capacity);
    }

    /// Makes sure of memory for a message to send and for one to receive, where there are any: with this the call can be
    /// carried out, however scarce memory becomes.
    pub fn provide(&mut self, sends: bool, receives: bool) -> Result<(), Error> {
        if sends {
            provided(&mut self.sends, Requests::is_idle)?;
        }
        if receives {
            provided(&mut self.receives, Requests::is_idle)?;
        }
        Ok(())
    }

    /// Gives the buffers back, for others.
    pub fn close(&mut self) {
        self.sends.give_back();
        self.receives.give_back();
    }

    /// Whether nothing is under way or expected.
    pub fn is_idle(&self) -> bool {
        self.sends.all_idle() && self.receives.all_idle()
    }

    fn retire_sends(&mut self) -> Result<(), MpiError> {
        while let Some((slot, _)) = self.sends.completed()? {
            self.flying[slot] = 0;
        }
        Ok(())
    }

    /// Bytes of a message at most.
    pub fn capacity(&self) -> usize {
        self.sends.capacity()
    }

    /// A slot to fill for a message to `to`.
    pub fn free_slot(&mut self, to: Rank) -> Result<Option<Slot>, Error> {
        self.retire_sends()?;
        let overlaps = self.pace == Pace::AtOnce || self.latest == Some(to);
        if !overlaps && self.flying.iter().sum::<usize>() as u64 > AHEAD {
            return Ok(None);
        }
        Ok(provided(&mut self.sends, Requests::is_idle)?.map(Slot))
    }

    /// Its bytes.
    pub fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.sends.buffer(slot.0)
    }

    /// Starts to send the first `bytes` of it.
    pub fn send(&mut self, comm: Comm, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        (self.flying[slot.0], self.latest) = (bytes, Some(to));
        let synchronous = matches!(self.pace, Pace::InSteps { unheard } if bytes > unheard);
        Ok(self.sends.send(slot.0, comm, to.0, self.tag, bytes, synchronous)?)
    }

    /// Expects the next `bytes` that come from `from`.
    pub fn expect(&mut self, comm: Comm, from: Rank, bytes: usize) -> Result<Option<Slot>, Error> {
        let Self { tag, receives, expected, .. } = self;
        let free = provided(receives, |_, slot| expected[slot].is_none())?;
        if let Some(slot) = free {
            // Room for any message, so that one of another length is told as such, and not as MPI's own fatal error.
            receives.receive(slot, comm, from.0, *tag, receives.capacity())?;
            expected[slot] = Some(bytes);
        }
        Ok(free.map(Slot))
    }

    /// A slot whose expected bytes have all come.
    pub fn arrived(&mut self) -> Result<Option<Slot>, Error> {
        let Some((slot, came)) = self.receives.completed()? else { return Ok(None) };
        match self.expected[slot] {
            Some(expected) if came != expected => Err(Length { came, expected }.into()),
            _ => Ok(Some(Slot(slot))),
        }
    }

    /// The bytes of a slot that has arrived.
    pub fn received(&self, slot: Slot) -> &[u8] {
        self.receives.filled(slot.0)
    }

    /// Gives an arrived slot back.
    pub fn release(&mut self, slot: Slot) {
        self.expected[slot.0] = None;
    }

    /// Whether every send is complete.
    pub fn all_sent(&mut self) -> Result<bool, Error> {
        self.retire_sends()?;
        Ok(self.sends.all_idle())
    }
}

/// A free slot with memory; `None` if there is none now. Where there is no memory for all slots, fewer messages are under way.
fn provided(
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
