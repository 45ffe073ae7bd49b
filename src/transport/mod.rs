//! HOW do messages travel? A transport lends buffers (*slots*), sends their bytes to other ranks and says what has arrived.
//! It knows bytes and ranks, and arrays only where they are lent; it never knows steps or what decides the order.
//!
//! Messages between two ranks arrive in the order in which they are sent, so sender and receiver need no tags, only the same
//! order. No call blocks.

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

/// A buffer of a transport, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(pub usize);

/// A message has another length than its receiver's plan says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Length {
    /// Bytes that came.
    pub came: usize,
    /// Bytes that were expected.
    pub expected: usize,
}

/// How messages follow each other over a network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Pace {
    /// One after the other, in the order of the steps. Of pieces of up to so many bytes a rank need not hear that they were
    /// received.
    InSteps {
        /// Bytes.
        unheard: usize,
    },
    /// As they come, as far as there are slots.
    #[default]
    AtOnce,
}

/// What a [`Transport`] can do.
pub(crate) trait Transport {
    /// Why a transport gives up.
    type Error;

    /// Bytes that a slot for messages to or from `peer` holds; at least 16, and the same on both ends.
    fn capacity(&self, peer: Rank) -> usize;

    /// Messages that can be under way to as many ranks at a time, whatever other calls do; 0 if that cannot be promised.
    fn room(&self) -> usize {
        0
    }

    /// Messages to `to` that it has not taken yet, where [`Transport::room`] promises any.
    fn under_way(&mut self, _to: Rank) -> usize {
        0
    }

    /// A buffer to fill for [`Transport::send`] to `to`, if `spare` others are free beside it; `None` while they are not.
    fn free_slot(&mut self, to: Rank, spare: usize) -> Result<Option<Slot>, Self::Error>;

    /// The bytes of a slot that [`Transport::free_slot`] returned.
    fn fill(&mut self, slot: Slot) -> &mut [u8];

    /// Who reads what is filled in there.
    fn reader(&self, slot: Slot) -> BufferReader;

    /// Starts to send the first `bytes` of `slot`.
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Self::Error>;

    /// Expects the next `bytes` that come from `from`; returns the slot that they will be in, or `None` while there is
    /// no room to expect more.
    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Self::Error>;

    /// A slot whose expected bytes have all come, each once; `None` if there is none now.
    fn arrived(&mut self) -> Result<Option<Slot>, Self::Error>;

    /// The bytes of a slot that has arrived.
    fn received(&self, slot: Slot) -> &[u8];

    /// Lends `to` the array `source` for a piece of `bytes` bytes, which `to` copies out of it by itself: whether that can
    /// be done. Nothing has to be filled in or sent then, and the array stays as it is until [`Transport::all_sent`].
    fn lend(&mut self, _slot: Slot, _to: Rank, _bytes: usize, _source: &Source) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// The array that was lent in place of the bytes of a slot that has arrived.
    fn lent(&self, _slot: Slot) -> Option<Source<'_>> {
        None
    }

    /// Gives an arrived slot back.
    fn release(&mut self, slot: Slot);

    /// Whether every send goes on without this rank: it may leave, or send more later.
    fn all_sent(&mut self) -> Result<bool, Self::Error>;
}

#[cfg(test)]
pub(crate) mod tests;
