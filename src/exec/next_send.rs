//! Chooses the next packet to send and its slot.
//!
//! If messages are sent independently, a rank keeps a slot free for each receiver that waits for it, so that gathering
//! cannot deadlock.

use super::PhaseExecution;
use super::stream::Packet;
use crate::layout::distribution::Rank;
use crate::transport::{Slot, Transport};

impl PhaseExecution<'_> {
    pub(super) fn next_send<T: Transport>(
        &mut self,
        transport: &mut T,
    ) -> Result<Option<(Packet, Slot)>, T::Error> {
        if self.state.independent != Some(true) {
            let next = self.state.sending.peek(&self.items, transport, &mut self.state.piece);
            let Some(peer) = next.map(|packet| packet.peer) else { return Ok(None) };
            let slot = transport.free_slot(peer, 0)?;
            return Ok(slot.map(|slot| (self.state.sending.take().expect("there is a next piece"), slot)));
        }
        let streams = self.state.sending.streams();
        for turn in 0..streams {
            let k = (self.state.turn + turn) % streams;
            let next = self.state.sending.peek_at(k, &self.items, transport, &mut self.state.piece);
            let Some(peer) = next.map(|packet| packet.peer) else { continue };
            if let Some(slot) = self.slot_for(k, peer, transport)? {
                self.state.turn = k + 1;
                return Ok(self.state.sending.take_at(k).map(|packet| (packet, slot)));
            }
        }
        Ok(None)
    }

    /// Returns a slot for stream `k` to `peer`, if enough others remain for the receivers that wait for this rank.
    fn slot_for<T: Transport>(
        &self,
        k: usize,
        peer: Rank,
        transport: &mut T,
    ) -> Result<Option<Slot>, T::Error> {
        // Usually no slot is free, so that is checked first.
        let mut reserved = 0;
        while let Some(slot) = transport.free_slot(peer, reserved)? {
            // Waiting receivers are counted after the free slots. If a receiver returns its last slot in between, the
            // receiver is counted and the slot is not: the rank may use too few slots, but never too many.
            let needed = self.reserved_slots(k, transport);
            if needed <= reserved {
                return Ok(Some(slot));
            }
            reserved = needed;
        }
        Ok(None)
    }

    /// Returns the number of slots that stream `k` must leave free: one per waiting receiver, 0 if its own receiver
    /// waits.
    fn reserved_slots<T: Transport>(&self, k: usize, transport: &mut T) -> usize {
        let streams = self.state.sending.streams();
        if streams == 1 || self.is_idle(k, transport) {
            return 0;
        }
        (0..streams).filter(|&other| self.is_idle(other, transport)).count()
    }

    /// Returns whether the receiver of stream `k` still needs data, and no message of this rank is under way to it.
    fn is_idle<T: Transport>(&self, k: usize, transport: &mut T) -> bool {
        !self.state.sending.is_done_at(k) && transport.under_way(self.state.sending.peer(k)) == 0
    }
}
