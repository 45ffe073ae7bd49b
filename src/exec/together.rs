//! Packs or unpacks several packets by one kernel launch on a device, since each launch takes some µs.
//!
//! A launch packs into all slots that are free when it starts, or unpacks all messages that have arrived by then.

use super::PhaseExecution;
use super::copier::{each_strip, each_strip_of_both};
use super::items::{Items, in_one_context};
use super::stream::{Direction, Fragment, Packet};
use crate::pack::{DevicePart, MessageMemory, PackRoom, Packed, Selection, Source};
use crate::plan::{PhaseRuns, Piece, RankPhase};
use crate::system::cuda::Entered;
use crate::transport::{Slot, Transport};

/// Bytes that end a set of packets packed together, so that receivers can begin: 80 µs of a bus with 50 GB/s. A launch
/// and its completion take 9 µs (docs/research/gpu.md).
pub(super) const MAX_BYTES: usize = 4 << 20;

impl PhaseExecution<'_> {
    /// Returns whether a device packs all of `packet`.
    pub(super) fn is_packed_by_device(&self, packet: &Packet) -> bool {
        self.items.sources(packet).all(|device| device.is_some())
    }

    /// Returns whether a device unpacks all of `packet`.
    fn is_unpacked_by_device(&self, packet: &Packet) -> bool {
        self.items.destinations(packet).all(|device| device.is_some())
    }

    /// Returns memory of a device to send `packet` from in place of `slot`, if a device packs it and the transport can
    /// send from there.
    pub(super) fn fill_on_device<T: Transport>(
        &self,
        packet: &Packet,
        slot: Slot,
        transport: &mut T,
    ) -> Option<MessageMemory> {
        transport.fill_on_device(slot, in_one_context(self.items.sources(packet))?)
    }

    /// Packs `packet` into `memory` of a device, and makes the memory's context the current one. `None` if that has
    /// failed; an array of the packet then keeps the failure.
    #[cold]
    pub(super) fn pack_on_device<'m>(
        &mut self,
        packet: &Packet,
        memory: &'m MessageMemory,
    ) -> Option<Entered<'m>> {
        self.pack_together(&[packet], vec![PackRoom::Device(DevicePart::front(memory, packet.bytes))]);
        if self.items.sources(packet).flatten().any(|device| device.fault().is_some()) {
            return None;
        }
        let entered = memory.enter();
        entered
            .map_err(|error| {
                self.items.sources(packet).flatten().for_each(|device| device.fail(error.clone()))
            })
            .ok()
    }

    /// Sends the packet `first`, whose slot is held, and the next packets, until no slot is free or `enough` bytes are
    /// sent. Returns the bytes sent; 0 if a copy has failed.
    #[cold]
    pub(super) fn send_together<T: Transport>(
        &mut self,
        first: (Packet, Slot),
        enough: usize,
        transport: &mut T,
    ) -> Result<usize, T::Error> {
        let (mut bytes, mut held, mut last) = (first.0.bytes, vec![first], None);
        while bytes < enough {
            let Some((packet, slot)) = self.next_send(transport)? else { break };
            bytes += packet.bytes;
            // An array is not exposed behind a held packet: messages to a rank must stay in order.
            let behind = held.iter().any(|(before, _)| before.peer == packet.peer);
            if !behind && self.expose(&packet, slot, transport)? {
                continue;
            }
            if !(self.is_packed_by_device(&packet) && transport.hold(slot, packet.peer)) {
                last = Some((packet, slot));
                break;
            }
            held.push((packet, slot));
        }
        let slots: Vec<Slot> = held.iter().map(|held| held.1).collect();
        let buffers = transport.fill_held(&slots).into_iter().map(PackRoom::Host).collect();
        let packets: Vec<&Packet> = held.iter().map(|(packet, _)| packet).collect();
        self.pack_together(&packets, buffers);
        if self.must_stop() {
            return Ok(0);
        }
        for (packet, slot) in held {
            transport.send(slot, packet.peer, packet.bytes)?;
        }
        match last {
            Some((packet, slot)) if self.send_alone(&packet, slot, transport)? == 0 => Ok(0),
            _ => Ok(bytes),
        }
    }

    fn pack_together(&mut self, packets: &[&Packet], buffers: Vec<PackRoom<'_>>) {
        let mut parts = Vec::new();
        for (packet, mut buffer) in packets.iter().zip(buffers) {
            for fragment in packet.fragments() {
                let (own, rest) = buffer.split_at(fragment.bytes);
                parts.push((fragment, own));
                buffer = rest;
            }
        }
        for item in 0..self.items.loads.len() {
            let (own, others): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(fragment, _): &(&Fragment, _)| fragment.item == item);
            parts = others;
            let (fragments, mut outs): (Vec<_>, Vec<_>) = own.into_iter().unzip();
            if !fragments.is_empty() {
                let (source, plan) = (self.items.loads[item].read(), plan_of(&self.items, item));
                let piece = &mut self.state.piece;
                source.pack_together(&mut outs, &mut |k, add| {
                    each_selection(Direction::Send, plan, fragments[k], piece, add);
                });
            }
        }
    }

    /// Unpacks slot `first` and all others that have arrived; a device unpacks as many as possible at once.
    #[cold]
    pub(super) fn unpack_together<T: Transport>(
        &mut self,
        first: Slot,
        transport: &mut T,
    ) -> Result<(), T::Error> {
        let mut arrived = vec![(first, self.take_expected(first, transport))];
        while let Some(slot) = transport.arrived()? {
            arrived.push((slot, self.take_expected(slot, transport)));
        }
        let (mut packed, mut exposed) = (Vec::new(), Vec::new());
        // This needs all answers to be given: an answer may open an allocation in another context.
        for (slot, packet) in arrived {
            let by_device = self.is_unpacked_by_device(&packet);
            match transport.exposed(slot) {
                None if by_device => packed.push((slot, packet)),
                Some(array) if by_device && self.reads_at_once(&packet, &array) => {
                    exposed.push((slot, packet))
                }
                _ => {
                    self.unpack_packet(&packet, slot, transport);
                    transport.release(slot);
                }
            }
        }
        for item in 0..self.items.loads.len() {
            self.unpack_packed(item, &packed, transport);
            self.copy_exposed(item, &exposed, transport);
        }
        packed.into_iter().chain(exposed).for_each(|(slot, _)| transport.release(slot));
        Ok(())
    }

    /// Returns whether one kernel copies `packet` from the exposed `array`.
    fn reads_at_once(&self, packet: &Packet, array: &Source<'_>) -> bool {
        let destination = packet.single().and_then(|one| self.items.loads[one.item].destination.as_ref());
        array.failed_device().is_none() && destination.is_some_and(|to| to.is_reached_by(array))
    }

    /// Unpacks the messages of array `item` that are in slots.
    fn unpack_packed<T: Transport>(&mut self, item: usize, packets: &[(Slot, Packet)], transport: &T) {
        let (mut fragments, mut inputs) = (Vec::new(), Vec::new());
        for (slot, packet) in packets {
            let mut buffer = match transport.received_on_device(*slot) {
                Some(memory) => Packed::Device(DevicePart::front(memory, packet.bytes)),
                None => Packed::Host(transport.received(*slot)),
            };
            for fragment in packet.fragments() {
                let (own, rest) = buffer.split_at(fragment.bytes);
                if fragment.item == item {
                    fragments.push(fragment);
                    inputs.push(own);
                }
                buffer = rest;
            }
        }
        if fragments.is_empty() {
            return;
        }
        let Items { loads, runs_of_items, phase } = &mut self.items;
        let (plan, _, destination) = loads[item].ends();
        let plan = (&*plan.phases.list[*phase], runs_of_items[item].as_deref());
        let piece = &mut self.state.piece;
        destination.unpack_together(&inputs, &mut |k, add| {
            each_selection(Direction::Receive, plan, fragments[k], piece, add);
        });
    }

    /// Copies the messages of array `item` from arrays that their senders expose.
    fn copy_exposed<T: Transport>(&mut self, item: usize, packets: &[(Slot, Packet)], transport: &T) {
        let of_item = packets.iter().filter_map(|(slot, packet)| {
            let fragment = packet.single().filter(|fragment| fragment.item == item)?;
            Some((fragment, transport.exposed(*slot)?))
        });
        let (fragments, arrays): (Vec<_>, Vec<_>) = of_item.unzip();
        if fragments.is_empty() {
            return;
        }
        let (plan, _, destination) = self.items.loads[item].ends();
        let phase = &plan.phases.list[self.items.phase];
        let (piece, exposed) = (&mut self.state.piece, &mut self.state.exposed);
        destination.copy_together(&arrays, &mut |k, add| {
            Direction::Receive.product(phase, fragments[k], piece);
            let product = exposed.product(phase, (item, fragments[k].message));
            each_strip_of_both(product, piece, phase.problem.part, |dims| add(dims));
        });
    }
}

/// Returns the phase of array `item` that is executed, and its listed runs.
fn plan_of<'i>(items: &'i Items<'_>, item: usize) -> (&'i RankPhase, Option<&'i PhaseRuns>) {
    (items.phase(item), items.phase_runs(item))
}

/// Calls `add` with the elements of `fragment`.
fn each_selection(
    direction: Direction,
    (phase, phase_runs): (&RankPhase, Option<&PhaseRuns>),
    fragment: &Fragment,
    piece: &mut Piece,
    add: &mut dyn FnMut(Selection<'_>),
) {
    if let Some(runs) = direction.runs(phase_runs, fragment) {
        return add(Selection::Runs(runs));
    }
    let product = direction.product(phase, fragment, piece);
    each_strip(product, piece, phase.problem.part, |dims| add(Selection::Strip(dims)));
}
