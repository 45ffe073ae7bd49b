//! Ways for messages to travel. A transport lends message buffers (*slots*), sends their bytes to other ranks and
//! reports which messages have arrived. It handles bytes and ranks, and arrays only if they are exposed to other ranks.
//! Steps and the order of messages are the caller's concern.
//!
//! Messages between two ranks arrive in the order in which they were sent. So sender and receiver need no tags, only
//! the same order. No call blocks.

#[cfg(feature = "mpi")]
pub(crate) mod error;
#[cfg(feature = "mpi")]
pub(crate) mod joined;
#[cfg(test)]
pub(crate) mod loopback;
#[cfg(feature = "mpi")]
pub(crate) mod mpi;
pub mod shm;

use crate::layout::distribution::Rank;
use crate::pack::{BufferReader, Source};

/// Number of a buffer of a transport.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(pub usize);

/// The error that a message has another length than its receiver's plan expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Length {
    /// Length of the message in bytes.
    pub came: usize,
    /// Length that the plan expects, in bytes.
    pub expected: usize,
}

/// Pacing of messages over a network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Pace {
    /// One message after the other, in the order of the steps.
    InSteps {
        /// Largest piece, in bytes, that the sender completes without waiting for the receiver.
        unheard: usize,
    },
    /// All messages at once, as far as there are slots.
    #[default]
    AtOnce,
}

/// Operations of a transport. None of them blocks.
pub(crate) trait Transport {
    /// Error that makes the transport give up.
    type Error;

    /// Returns the size in bytes of a slot for messages to or from `peer`: at least 16, and equal on both ends.
    fn capacity(&self, peer: Rank) -> usize;

    /// Returns how many messages to different ranks can be in flight at a time whatever other calls do; 0 if the
    /// transport guarantees none.
    fn room(&self) -> usize {
        0
    }

    /// Returns the number of messages to `to` that it has not taken yet, if [`Transport::room`] is not 0.
    fn under_way(&mut self, _to: Rank) -> usize {
        0
    }

    /// Returns a buffer to fill for [`Transport::send`] to `to`, if `spare` other buffers are free as well; otherwise
    /// `None`.
    fn free_slot(&mut self, to: Rank, spare: usize) -> Result<Option<Slot>, Self::Error>;

    /// Returns the bytes of a slot from [`Transport::free_slot`], for writing.
    fn fill(&mut self, slot: Slot) -> &mut [u8];

    /// Returns the core that reads the slot's bytes next.
    fn reader(&self, slot: Slot) -> BufferReader;

    /// Starts to send the first `bytes` bytes of `slot` to `to`.
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Self::Error>;

    /// Expects the next `bytes` bytes from `from`. Returns the slot that will receive them, or `None` while no slot is
    /// free.
    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Self::Error>;

    /// Returns a slot whose expected bytes have all arrived, each slot once; `None` if there is none now.
    fn arrived(&mut self) -> Result<Option<Slot>, Self::Error>;

    /// Returns the bytes of a slot that has arrived.
    fn received(&self, slot: Slot) -> &[u8];

    /// Exposes the array `source` to `to`, which copies a piece of `bytes` bytes out of it by itself. Returns whether
    /// that is possible; then nothing is to be filled in or sent. The array must not change until
    /// [`Transport::all_sent`] returns true.
    fn lend(&mut self, _slot: Slot, _to: Rank, _bytes: usize, _source: &Source) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Returns the array that the sender exposed in place of the bytes of an arrived slot.
    fn lent(&self, _slot: Slot) -> Option<Source<'_>> {
        None
    }

    /// Returns an arrived slot to the transport.
    fn release(&mut self, slot: Slot);

    /// Returns whether all sends complete without this rank: it may leave the call, or send more later.
    fn all_sent(&mut self) -> Result<bool, Self::Error>;
}

#[cfg(test)]
pub(crate) mod tests;
