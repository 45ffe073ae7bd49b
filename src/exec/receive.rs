//! Expects packets, unpacks those that have arrived, and releases their slots. Elements of an exposed array are copied
//! directly from that array.

use super::PhaseExecution;
use super::in_order;
use super::items::in_one_context;
use super::stream::{Direction, Packet};
use super::views::on_view;
use crate::pack::Destination;
use crate::transport::{Slot, Transport};
use std::sync::Arc;

/// Once [`PhaseExecution::advance`] has unpacked more than these bytes of early packets, which all arrive together, it
/// sends before it unpacks others.
const MAX_UNPACKED_BYTES: usize = 64 << 10;

impl PhaseExecution<'_> {
    /// Expects the next packets, until no slot is free. Returns whether it expected any.
    pub(super) fn expect<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let mut any = false;
        while let Some(packet) = self.state.receiving.peek(&self.items, transport, &mut self.state.piece) {
            let slot = if packet.early {
                Some(transport.expect_early(packet.peer, packet.bytes))
            } else {
                let together = self.state.in_order.is_none();
                let device = together.then(|| in_one_context(self.items.destinations(packet))).flatten();
                transport.expect(packet.peer, packet.bytes, device.map(Arc::as_ref))?
            };
            let Some(slot) = slot else { break };
            self.state.expected.put(slot, self.state.receiving.take().expect("it has been found"));
            self.state.in_order.iter_mut().for_each(|turns| turns.expect(slot));
            any = true;
        }
        Ok(any)
    }

    /// Unpacks a packet that has arrived; after an early one also the next, until more than [`MAX_UNPACKED_BYTES`] are
    /// unpacked. If a device unpacks, unpacks all packets that have arrived. Returns whether there was any.
    pub(super) fn unpack<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let Some(mut slot) = in_order::next(&mut self.state.in_order, transport)? else { return Ok(false) };
        let by_device = self
            .items
            .loads
            .iter()
            .any(|load| load.destination.as_ref().and_then(Destination::device).is_some());
        if by_device && self.state.in_order.is_none() {
            self.unpack_together(slot, transport)?;
            return Ok(true);
        }
        let mut bytes = 0;
        loop {
            let packet = self.take_expected(slot, transport);
            self.unpack_packet(&packet, slot, transport);
            transport.release(slot);
            bytes += packet.bytes;
            if !packet.early || bytes > MAX_UNPACKED_BYTES {
                return Ok(true);
            }
            match in_order::next(&mut self.state.in_order, transport)? {
                Some(next) => slot = next,
                None => return Ok(true),
            }
        }
    }

    /// Takes the packet of an arrived slot, and answers its sender.
    pub(super) fn take_expected<T: Transport>(&mut self, slot: Slot, transport: &mut T) -> Packet {
        let packet = self.state.expected.take(slot);
        if let Some(fragment) = packet.single() {
            let (_, _, destination) = self.items.loads[fragment.item].ends();
            transport.answer(slot, destination);
        }
        packet
    }

    pub(super) fn unpack_packet<T: Transport>(&mut self, packet: &Packet, slot: Slot, transport: &T) {
        let exposed = packet.single().and_then(|fragment| Some((fragment, transport.exposed(slot)?)));
        if let Some((fragment, array)) = exposed {
            let (plan, _, destination) = self.items.loads[fragment.item].ends();
            let phase = &plan.phases.list[self.items.phase];
            Direction::Receive.product(phase, fragment, &mut self.state.piece);
            let product = self.state.exposed.product(phase, (fragment.item, fragment.message));
            if array.failed_device().is_none() {
                self.copier.copy(product, &self.state.piece, phase.problem.part, &array, destination);
            }
            self.failed = array.failed_device().cloned().or(self.failed.take());
        } else {
            let mut buffer = transport.received(slot);
            for fragment in packet.fragments() {
                let (own, rest) = buffer.split_at(fragment.bytes);
                let (plan, _, destination) = self.items.loads[fragment.item].ends();
                let phase_runs = self.items.runs_of_items[fragment.item].as_deref();
                if let Some(runs) = Direction::Receive.runs(phase_runs, fragment) {
                    destination.unpack_runs(runs, own);
                } else {
                    let phase = &plan.phases.list[self.items.phase];
                    let product = Direction::Receive.product(phase, fragment, &mut self.state.piece);
                    let view = phase.receives.view(&phase.receives.messages[fragment.message]);
                    on_view(view, destination, |to| {
                        self.copier.unpack(product, &self.state.piece, phase.problem.part, to, own);
                    });
                }
                buffer = rest;
            }
        }
    }
}
