//! Packs packets into slots and sends them. An array that receivers can read in place is exposed instead.

use super::PhaseExecution;
use super::load::Load;
use super::stream::{Direction, Packet};
use crate::pack::BufferReader;
use crate::transport::{Slot, Transport};

impl PhaseExecution<'_> {
    /// Sends one packet only, so that the caller can unpack arrivals, while they are in the cache, before the next send.
    /// If a device packs, sends further packets until `enough` bytes are sent. Returns the bytes sent; 0 if none can be
    /// sent now.
    pub(super) fn send<T: Transport>(&mut self, transport: &mut T, enough: usize) -> Result<usize, T::Error> {
        let Some((packet, slot)) = self.next_send(transport)? else { return Ok(0) };
        if self.expose(&packet, slot, transport)? {
            return Ok(packet.bytes);
        }
        if self.is_packed_by_device(&packet) && transport.hold(slot, packet.peer) {
            return self.send_together((packet, slot), enough, transport);
        }
        self.send_alone(&packet, slot, transport)
    }

    /// Exposes the array of `packet` instead of packing it into `slot`, if that is possible.
    pub(super) fn expose<T: Transport>(
        &self,
        packet: &Packet,
        slot: Slot,
        transport: &mut T,
    ) -> Result<bool, T::Error> {
        let single =
            packet.single().filter(|fragment| fragment.piece.is_some()).map(|fragment| fragment.item);
        let source_is_known = |item: &usize| self.items.phase(*item).problem.source_is_known_to_all();
        let array = single.filter(source_is_known).map(|item| self.items.loads[item].read());
        let array = array.filter(|array| array.shape().ascends());
        array.map_or(Ok(false), |array| transport.expose(slot, packet.peer, packet.bytes, array))
    }

    /// Packs `packet` into `slot` and sends it. Returns its bytes; 0 if a copy has failed.
    pub(super) fn send_alone<T: Transport>(
        &mut self,
        packet: &Packet,
        slot: Slot,
        transport: &mut T,
    ) -> Result<usize, T::Error> {
        let memory = self.fill_on_device(packet, slot, transport);
        let packed = memory.as_ref().map(|memory| self.pack_on_device(packet, memory));
        if packed.is_none() {
            let reader = transport.reader(slot);
            self.pack(packet, transport.fill(slot), reader);
        }
        if self.must_stop() {
            // The caller ends the call; no rank may receive the packed bytes.
            return Ok(0);
        }
        // After a failure, MPI may be unable to read the device's memory. The bytes of the message no longer matter.
        match (&memory, packed.flatten()) {
            (Some(memory), Some(_entered)) => {
                transport.send_from_device(slot, packet.peer, packet.bytes, memory.clone())?;
            }
            _ => transport.send(slot, packet.peer, packet.bytes)?,
        }
        Ok(packet.bytes)
    }

    /// Returns whether a failed copy in a device's memory must end the execution.
    pub(super) fn must_stop(&self) -> bool {
        !self.tolerates_failures
            && self.items.loads.iter().flat_map(Load::devices).any(|device| device.fault().is_some())
    }

    /// Packs the elements of `packet` to the front of `buffer`, which a core of kind `reader` reads next.
    pub(super) fn pack(&mut self, packet: &Packet, mut buffer: &mut [u8], reader: BufferReader) {
        for fragment in packet.fragments() {
            let (own, rest) = buffer.split_at_mut(fragment.bytes);
            let source = self.items.loads[fragment.item].read();
            if let Some(runs) = Direction::Send.runs(self.items.phase_runs(fragment.item), fragment) {
                source.pack_runs(runs, own);
            } else {
                let phase = self.items.phase(fragment.item);
                let product = Direction::Send.product(phase, fragment, &mut self.state.piece);
                let seen =
                    phase.sends.view(&phase.sends.messages[fragment.message]).map(|view| source.view(view));
                let source = seen.as_ref().unwrap_or(source);
                self.copier.pack(product, &self.state.piece, phase.problem.part, source, own, reader);
            }
            buffer = rest;
        }
    }
}
