//! WHICH piece is sent next, and through which slot? If each receiver has its own stream, a slot is kept for each receiver
//! that waits for this rank, whatever the others do. This is why gathering cannot deadlock.

use super::Exchange;
use super::stream::Packet;
use crate::layout::distribution::Rank;
use crate::transport::{Slot, Transport};

impl Exchange<'_> {
    /// The next piece to send, and a slot for it.
    pub(super) fn next_send<T: Transport>(
        &mut self,
        transport: &mut T,
    ) -> Result<Option<(Packet, Slot)>, T::Error> {
        if self.state.apart != Some(true) {
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

    /// A slot for stream number `k`, to `peer`. Each receiver that waits for this rank has one, whatever the others do.
    fn slot_for<T: Transport>(
        &self,
        k: usize,
        peer: Rank,
        transport: &mut T,
    ) -> Result<Option<Slot>, T::Error> {
        // Mostly there is none: that is found out first, and at the least cost.
        let mut spare = 0;
        while let Some(slot) = transport.free_slot(peer, spare)? {
            // Who waits is counted after the slots: a receiver may hand its last slot back in between, and that is its own.
            let more = self.spare(k, transport);
            if more <= spare {
                return Ok(Some(slot));
            }
            spare = more;
        }
        Ok(None)
    }

    /// Slots that stream number `k` leaves free: one for each receiver that waits for this rank, unless it is one of them.
    fn spare<T: Transport>(&self, k: usize, transport: &mut T) -> usize {
        let streams = self.state.sending.streams();
        if streams == 1 || self.is_idle(k, transport) {
            return 0;
        }
        (0..streams).filter(|&other| self.is_idle(other, transport)).count()
    }

    /// Whether there is more for a receiver that has none of this rank's messages.
    fn is_idle<T: Transport>(&self, k: usize, transport: &mut T) -> bool {
        !self.state.sending.is_done_at(k) && transport.under_way(self.state.sending.peer(k)) == 0
    }
}
