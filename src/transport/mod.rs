//! Transports: ways for messages to travel. A transport has message buffers (*slots*) that the caller fills. It sends
//! their bytes to other ranks and reports arrived messages. The caller chooses the order of messages.
//!
//! Messages between two ranks arrive in the order of their sends, so they need no tags: the receiver expects them in
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
use crate::pack::place::DeviceArray;
use crate::pack::{BufferReader, Destination, MessageMemory, Source};

/// Number of a buffer of a transport.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(pub usize);

/// A message whose length differs from the length that its receiver's plan expects.
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
    /// Messages one after the other, in the order of the steps.
    InSteps {
        /// Maximum bytes of a piece whose send completes without waiting for the receiver.
        max_unacknowledged: usize,
    },
    /// All messages at once, as far as there are slots.
    #[default]
    AtOnce,
}

/// Operations of a transport. None of them blocks.
pub(crate) trait Transport {
    type Error;

    /// Returns the size, in bytes, of a slot for messages to or from `peer`: at least 16, and equal on both ranks.
    fn capacity(&self, peer: Rank) -> usize;

    /// Returns the maximum bytes of an *early* message: it travels before the ranks have agreed on their call, together
    /// with their records. 0 if the transport carries none. Equal on all ranks.
    fn early_limit(&self) -> usize {
        0
    }

    /// Returns the room for the early message of `bytes` bytes to `to`; `None` if there is none yet. There is at most
    /// one early message to each rank.
    fn fill_early(&mut self, _to: Rank, _bytes: usize) -> Result<Option<&mut [u8]>, Self::Error> {
        Ok(None)
    }

    /// Expects the early message from `from`, which has `bytes` bytes. Returns the slot that will receive it.
    fn expect_early(&mut self, _from: Rank, _bytes: usize) -> Slot {
        unreachable!("a transport without early messages")
    }

    /// Returns how many messages to different ranks can be in flight at a time, whatever other calls are in progress; 0
    /// if the transport guarantees none.
    fn room(&self) -> usize {
        0
    }

    /// Returns the number of sent messages that rank `to` has not released yet, if [`Transport::room`] is not 0.
    fn under_way(&mut self, _to: Rank) -> usize {
        0
    }

    /// Returns a free slot for a message to `to`, if `spare` other slots are free as well; otherwise `None`.
    fn free_slot(&mut self, to: Rank, spare: usize) -> Result<Option<Slot>, Self::Error>;

    /// Returns the bytes of a slot from [`Transport::free_slot`], for writing.
    fn fill(&mut self, slot: Slot) -> &mut [u8];

    /// Keeps a slot from [`Transport::free_slot`] for a message to `to` until it is sent, so that `free_slot` returns
    /// others. The message counts as under way. Returns false, and keeps nothing, if the transport cannot do that.
    fn hold(&mut self, _slot: Slot, _to: Rank) -> bool {
        false
    }

    /// Returns the bytes of different slots that are held, for writing.
    fn fill_held(&mut self, slots: &[Slot]) -> Vec<&mut [u8]> {
        assert!(slots.is_empty(), "a transport that holds no slots");
        Vec::new()
    }

    /// Returns the kind of core that reads the slot's bytes next.
    fn reader(&self, slot: Slot) -> BufferReader;

    /// Starts to send the first `bytes` bytes of `slot` to `to`.
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Self::Error>;

    /// Returns memory of the device of `array` that can be sent in place of the slot's bytes; `None` if the transport
    /// sends from the host's memory only, or if the device has no memory.
    fn fill_on_device(&mut self, _slot: Slot, _array: &DeviceArray) -> Option<MessageMemory> {
        None
    }

    /// Starts to send the first `bytes` bytes of `memory`, which [`Transport::fill_on_device`] has returned for `slot`.
    /// The memory's context must be the current one.
    fn send_from_device(
        &mut self,
        _slot: Slot,
        _to: Rank,
        _bytes: usize,
        _memory: MessageMemory,
    ) -> Result<(), Self::Error> {
        unreachable!("a transport that sends from the host's memory only")
    }

    /// Expects the next message from `from`, which has `bytes` bytes. It may arrive in memory of the device of `array`,
    /// if that is given. Returns the slot that will receive it; `None` if no slot is free.
    fn expect(
        &mut self,
        from: Rank,
        bytes: usize,
        array: Option<&DeviceArray>,
    ) -> Result<Option<Slot>, Self::Error>;

    /// Returns a slot whose expected message has arrived; `None` if there is none now. Reports each message once.
    fn arrived(&mut self) -> Result<Option<Slot>, Self::Error>;

    /// Returns the bytes of an arrived message.
    fn received(&self, slot: Slot) -> &[u8];

    /// Returns the memory of a device that has the bytes of an arrived message; `None` if the host has them
    /// ([`Transport::received`]).
    fn received_on_device(&self, _slot: Slot) -> Option<&MessageMemory> {
        None
    }

    /// Exposes the array `source` to `to` instead of sending a piece of `bytes` bytes in `slot`: the receiver copies
    /// the piece out of the array. If it returns true, the caller neither fills nor sends the slot, and the array must
    /// not change until [`Transport::all_sent`] returns true.
    fn expose(
        &mut self,
        _slot: Slot,
        _to: Rank,
        _bytes: usize,
        _source: &Source,
    ) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Returns the array that the sender exposed instead of filling an arrived slot, if any.
    fn exposed(&self, _slot: Slot) -> Option<Source<'_>> {
        None
    }

    /// Prepares to copy an arrived message to `destination`, and answers its sender whether this rank can read the
    /// sender's array in place. A sender exposes an array in the memory of a device only after that.
    fn answer(&mut self, _slot: Slot, _destination: &Destination) {}

    /// Gives an arrived slot back to the transport, which may use it for another message.
    fn release(&mut self, slot: Slot);

    /// Returns whether all sends will complete without further calls by this rank. The rank may still send more.
    fn all_sent(&mut self) -> Result<bool, Self::Error>;
}

#[cfg(test)]
pub(crate) mod tests;
