//! Point-to-point messages of MPI: a window of sends and a window of receives in flight.
//!
//! The schedule gives each port one message at a time, and so does this transport: the next large message begins when the
//! one before has been received. Otherwise the two share the port with other ranks' messages of both steps, and the delay
//! spreads from rank to rank (on an emulated network of 32 hosts: 1.10 times the busiest port's time with two messages of
//! 128 KB in flight, 1.02 with one). Pieces of one message, and small messages, for which start-ups dominate, do overlap.
//! For the same reason pieces are sent in synchronous mode: otherwise "sent" may only mean "in some buffer", and all small
//! messages of a rank would be on the way at a time, those of the last step, too. Only pieces that are on the way for less than a
//! start-up ([`Pace`]; on fast networks up to 16 KiB) are not: to hear of them would take longer than they do.

use super::{Pace, Slot, Transport};
use crate::error::Error;
use crate::layout::Rank;
use crate::mpi::{Comm, MpiError, Slots};
use crate::pack::BufferReader;

/// Bytes that may be under way to one rank while a message to another begins.
const AHEAD: usize = 16 << 10;

/// The buffers for one kind of messages of one call, used again by other calls.
pub struct Window {
    /// Of the messages.
    tag: i32,
    sends: Slots,
    receives: Slots,
    /// Of each send slot, the bytes that are under way.
    flying: Vec<usize>,
    /// Who the last send went to.
    latest: Option<Rank>,
    /// Of each receive slot that is not free, the bytes that it expects.
    expected: Vec<Option<usize>>,
    pace: Pace,
}

impl Window {
    /// `window` slots in each direction.
    pub fn new(window: usize) -> Self {
        let slots = || Slots::new(window);
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
            provided(&mut self.sends, Slots::is_idle)?;
        }
        if receives {
            provided(&mut self.receives, Slots::is_idle)?;
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
}

/// A [`Window`] on a communicator.
pub struct PointToPoint<'a> {
    comm: Comm<'a>,
    window: &'a mut Window,
}

impl<'a> PointToPoint<'a> {
    /// `comm` carries nothing but reblock's own messages.
    pub fn new(comm: Comm<'a>, window: &'a mut Window) -> Self {
        Self { comm, window }
    }

    fn retire_sends(&mut self) -> Result<(), MpiError> {
        while let Some((slot, _)) = self.window.sends.completed()? {
            self.window.flying[slot] = 0;
        }
        Ok(())
    }
}

/// A free slot with memory; `None` if there is none now. Where there is no memory for all slots, fewer messages are under way.
fn provided(slots: &mut Slots, is_free: impl Fn(&Slots, usize) -> bool) -> Result<Option<usize>, Error> {
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

impl Transport for PointToPoint<'_> {
    type Error = Error;

    fn capacity(&self, _: Rank) -> usize {
        self.window.sends.capacity()
    }

    fn free_slot(&mut self, to: Rank, _: usize) -> Result<Option<Slot>, Error> {
        self.retire_sends()?;
        let Window { flying, latest, pace, .. } = &*self.window;
        let overlaps = *pace == Pace::AtOnce || *latest == Some(to);
        if !overlaps && flying.iter().sum::<usize>() > AHEAD {
            return Ok(None);
        }
        Ok(provided(&mut self.window.sends, Slots::is_idle)?.map(Slot))
    }

    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.window.sends.buffer(slot.0)
    }

    fn reader(&self, _: Slot) -> BufferReader {
        BufferReader::NearCore
    }

    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        let Window { tag, sends, flying, latest, pace, .. } = &mut *self.window;
        (flying[slot.0], *latest) = (bytes, Some(to));
        let synchronous = matches!(*pace, Pace::InSteps { unheard } if bytes > unheard);
        Ok(sends.send(slot.0, self.comm, to.0, *tag, bytes, synchronous)?)
    }

    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Error> {
        let Window { tag, receives, expected, .. } = &mut *self.window;
        let free = provided(receives, |_, slot| expected[slot].is_none())?;
        if let Some(slot) = free {
            // Room for any message, so that one of another length is told as such, and not as MPI's own fatal error.
            receives.receive(slot, self.comm, from.0, *tag, receives.capacity())?;
            expected[slot] = Some(bytes);
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
