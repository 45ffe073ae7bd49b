//! HOW do messages travel? A transport lends buffers ("slots"), carries their bytes to other ranks and says what has
//! arrived. It knows bytes and ranks; it never knows arrays, steps or who decides the order.
//!
//! Between two ranks, what is sent first arrives first; so sender and receiver need no tags, only the same order.
//! No call waits.

pub mod loopback;
#[cfg(feature = "mpi")]
pub mod mpi;

use crate::layout::Rank;

/// A buffer of a transport, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(pub usize);

/// What a [`Transport`] can do.
pub trait Transport {
    /// Why a transport gives up.
    type Error;

    /// Bytes that a slot holds; at least 16, the same on all ranks.
    fn capacity(&self) -> usize;

    /// A buffer to fill for [`Transport::send`]; `None` while all are in flight. The same one until it is sent.
    fn free_slot(&mut self) -> Result<Option<Slot>, Self::Error>;

    /// The bytes of a slot that [`Transport::free_slot`] returned.
    fn fill(&mut self, slot: Slot) -> &mut [u8];

    /// Starts to send the first `bytes` of `slot`.
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Self::Error>;

    /// Expects the next `bytes` that come from `from`; returns the slot that they will be in, or `None` while there is
    /// no room to expect more.
    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Self::Error>;

    /// A slot whose expected bytes have all come, each once; `None` if there is none now.
    fn arrived(&mut self) -> Result<Option<Slot>, Self::Error>;

    /// The bytes of a slot that has arrived.
    fn received(&self, slot: Slot) -> &[u8];

    /// Gives an arrived slot back.
    fn release(&mut self, slot: Slot);

    /// Whether every send is complete, so that nothing of this rank's is under way.
    fn all_sent(&mut self) -> Result<bool, Self::Error>;
}
