//! Sends the first messages before all ranks have agreed on the call.
//!
//! Sending only reads arrays. If the call fails or begins again, the receivers drop these messages. Between nodes small
//! messages are *early*: they travel with the ranks' agreement.

use super::PhaseExecution;
use crate::pack::BufferReader;
use crate::transport::Transport;

/// Bytes that end sending ahead. Larger executions interleave the other sends with self copies.
const MAX_AHEAD_BYTES: usize = 64 << 10;

impl PhaseExecution<'_> {
    /// Sends the first messages while slots are free; only the early ones, if the transport carries such. Returns false
    /// if there is no room for all early messages yet.
    pub fn send_ahead<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        self.choose_order(transport);
        if transport.early_limit() > 0 {
            return self.send_early(transport);
        }
        let mut ahead = 0;
        while ahead < MAX_AHEAD_BYTES {
            match self.send(transport, MAX_AHEAD_BYTES - ahead)? {
                0 => break,
                sent => ahead += sent,
            }
        }
        Ok(true)
    }

    /// Packs the early messages. Messages to a rank are early if all of them together are within the transport's limit;
    /// the receiver applies the same rule. If messages are cut, none is early, because several steps may then send to
    /// one rank.
    fn send_early<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let phase = |item| self.items.phase(item);
        if !(0..self.items.loads.len()).all(|item| phase(item).whole || phase(item).problem.in_boxes()) {
            return Ok(true);
        }
        if self.state.early.is_none() {
            let (limit, piece) = (transport.early_limit(), &mut self.state.piece);
            self.state.sending.decide_early(&self.items, limit, piece);
            self.state.receiving.decide_early(&self.items, limit, piece);
        }
        let first = self.state.early.unwrap_or(0);
        for k in first..self.state.sending.streams() {
            self.state.early = Some(k);
            if !self.state.sending.is_early(k) {
                continue;
            }
            let next = self.state.sending.peek_at(k, &self.items, transport, &mut self.state.piece);
            let Some((peer, bytes)) = next.map(|packet| (packet.peer, packet.bytes)) else { continue };
            let Some(room) = transport.fill_early(peer, bytes)? else { return Ok(false) };
            let packet = self.state.sending.take_at(k).expect("it has been found");
            self.pack(&packet, room, BufferReader::NearCore);
            if self.must_stop() {
                return Ok(false);
            }
        }
        self.state.early = Some(self.state.sending.streams());
        Ok(true)
    }

    /// Returns whether early messages to this rank are not unpacked yet.
    pub fn awaits_early(&self) -> bool {
        self.state.early.is_some() && (self.state.expected.has_early() || self.state.receiving.has_early())
    }

    /// Rewinds the send cursor; messages already sent are dropped by their receivers.
    pub fn rewind(&mut self) {
        self.state.sending.rewind();
        (self.state.early, self.state.turn) = (None, 0);
    }
}
