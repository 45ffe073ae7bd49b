//! Executes the phases of plans: packs elements into slots of the transport, and unpacks received ones.
//!
//! The schedule is an order, not a barrier. Sender and receiver take the pieces of all messages in one common order
//! ([`PieceOrder`]), and keep as many in flight as the transport has slots. No rank waits for a step without messages
//! of its own. This cannot deadlock: the earliest unfinished piece of all ranks is the next piece of its sender and of
//! its receiver.
//!
//! Within a node, if a rank has a slot for each partner, it sends messages independently: each as soon as a slot is
//! free, in any order. ([`gather`] says why this cannot deadlock either.) Large arrays are then gathered: written in
//! the order of addresses, from the messages of all ranks.
//!
//! Several arrays can move together, in one set of messages. [`PhaseExecution::advance`] never blocks, so one thread
//! can drive all ranks of a test.
//!
//! | file | contents |
//! |---|---|
//! | this file | the loop: `send` packs into slots, `unpack` unpacks from slots and releases them |
//! | `load`, `items`, `views` | arrays with their plans |
//! | `state`, `travel` | reusable state of an execution; execution of several phases |
//! | `stream`, `cursor`, `next_send` | order of packets, and their slots |
//! | `ahead` | messages sent before all ranks have agreed |
//! | `gather`, `walk`, `line`, `first_index` | arrays written in the order of addresses |
//! | `in_order`, `exposed` | unpacking in the order of steps; reading exposed arrays |
//! | `copies`, `alone` | self copies; updates that read no source |
//! | `copier` | packing, unpacking and copying by several threads |
//! | `together` | packets that a device packs or unpacks by one launch |

mod ahead;
mod alone;
mod copier;
mod copies;
mod cursor;
mod exposed;
mod first_index;
mod gather;
mod in_order;
mod items;
mod line;
mod load;
mod next_send;
mod state;
mod stream;
mod together;
#[cfg(feature = "mpi")]
pub(crate) mod travel;
mod views;
mod walk;

use crate::pack::place::DeviceArray;
use crate::pack::{BufferReader, Destination, copy_runs};
use crate::plan::RankPhase;
use crate::plan::rank_plan::{PieceOrder, WriteMode};
use crate::system::workers::Workers;
use crate::transport::{Slot, Transport};
use copier::Copier;
use gather::Gather;
use items::{Items, in_one_context};
use state::State;
use std::sync::Arc;
use stream::{Direction, Packet};

pub use load::Load;
pub use state::Workspace;
use views::{on_view, on_views};

/// Once [`PhaseExecution::advance`] has unpacked more than these bytes of early packets, which all arrive together, it
/// sends before it unpacks others.
const MAX_UNPACKED_BYTES: usize = 64 << 10;

/// Result of one call of [`PhaseExecution::advance`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Done,
    /// Some work was done; more may be possible at once.
    Busy,
    /// No work is possible until a message arrives or a slot becomes free.
    Waiting,
}

/// Execution of one phase of one or several redistributions, on one rank.
pub struct PhaseExecution<'a> {
    items: Items<'a>,
    state: Box<State>,
    order: PieceOrder,
    copier: Copier,
    /// True if the exchange goes on after a failed copy in a device's memory.
    tolerates_failures: bool,
    /// An exposed array in a device's memory that could not be read.
    failed: Option<Arc<DeviceArray>>,
}

impl<'a> PhaseExecution<'a> {
    /// Prepares phase `phase` of all `loads`, which must have that phase. `workers` packs, unpacks and copies.
    #[inline]
    pub fn new(loads: Vec<Load<'a>>, phase: usize, order: PieceOrder, workers: Workers) -> Self {
        let items = Items::new(loads, phase);
        let copier = Copier::new(workers);
        Self {
            state: Box::new(State::new(&items, order)),
            order,
            copier,
            items,
            tolerates_failures: false,
            failed: None,
        }
    }

    /// Prepares the repetition of an exchange from its workspace, with the same phase, plans, shapes of arrays and
    /// distance from each source to its destination.
    #[inline]
    pub fn reuse(
        loads: Vec<Load<'a>>,
        phase: usize,
        order: PieceOrder,
        workers: Workers,
        workspace: Workspace,
    ) -> Self {
        let Workspace { state, phase_runs, .. } = workspace;
        let items = Items::reuse(loads, phase, phase_runs);
        Self { items, state, order, copier: Copier::new(workers), tolerates_failures: false, failed: None }
    }

    /// Makes the exchange continue after a failed copy in a device's memory, so that no rank waits for this one. Its
    /// messages then have arbitrary contents; the caller reports the failure to all ranks.
    pub fn tolerate_device_failures(&mut self) {
        self.tolerates_failures = true;
    }

    /// Returns an exposed array in a device's memory that could not be read since the last call.
    pub fn take_failed(&mut self) -> Option<Arc<DeviceArray>> {
        self.failed.take().or_else(|| self.state.gather.as_mut()?.take_failed())
    }

    /// Does the work that is possible now: expects, sends and unpacks messages. Copies a piece of the self copies if
    /// there is no other work, and after each send in [`PieceOrder::ByRegion`]. If an element may be written several
    /// times, all self copies come first.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<Progress, T::Error> {
        self.choose_order(transport);
        while self.state.in_order.is_some() && self.copy() {}
        let expected = self.state.gather.is_none() && self.expect(transport)?;
        let sent = self.send(transport, together::MAX_BYTES)? > 0;
        let copied = sent && self.order == PieceOrder::ByRegion && self.copy();
        let unpacked = match &mut self.state.gather {
            Some(gather) => {
                let (items, copier, piece) = (&mut self.items, &self.copier, &mut self.state.piece);
                gather.advance(transport, &mut self.state.receiving, items, copier, piece)?
            }
            None => self.unpack(transport)?,
        };
        let busy = expected || sent || unpacked || copied || self.copy();
        Ok(match busy {
            _ if self.is_done() && transport.all_sent()? => Progress::Done,
            true => Progress::Busy,
            false => Progress::Waiting,
        })
    }

    /// Returns whether all elements have been received and copied, and all sends have begun.
    fn is_done(&self) -> bool {
        let received = match &self.state.gather {
            Some(gather) => gather.is_done(),
            None => self.state.receiving.is_done() && self.state.expected.is_empty(),
        };
        received && self.state.sending.is_done() && self.state.copies.is_done(&self.items)
    }

    /// Returns the arrays and the workspace of a finished exchange.
    pub fn into_loads(mut self) -> (Vec<Load<'a>>, Workspace) {
        self.state.restart(&self.items);
        (self.items.loads, Workspace::new(self.state, self.items.phase_runs))
    }

    /// Returns whether the arrays are gathered; false before the first call of `advance` or `send_ahead`.
    pub fn gathers(&self) -> bool {
        self.state.gather.is_some()
    }

    /// Chooses, in the first call only, whether messages are sent independently, and whether arrays are gathered. A
    /// choice that must be equal on all ranks uses only facts that are equal on all.
    fn choose_order<T: Transport>(&mut self, transport: &T) {
        if self.state.independent.is_some() {
            return;
        }
        let loads = &self.items.loads;
        let phases = || (0..loads.len()).map(|item| self.items.phase(item));
        let fits = || {
            // Upper bound of the number of a rank's partners, over all items.
            let partners = phases().map(|phase| phase.problem.from.size().max(phase.problem.to.size()));
            let others = loads.first().map_or(0, |item| u64::from(item.plan.me.ranks - 1));
            partners.sum::<u64>().min(others) <= transport.room() as u64
        };
        // With listed runs each peer gets a single piece, so the order does not matter.
        let listed = self.items.phase_runs.iter().all(Option::is_some);
        let independent = !listed
            && transport.early_limit() == 0
            && self.state.in_order.is_none()
            && self.order == PieceOrder::ByRegion
            && phases().all(|phase| phase.whole)
            && fits();
        self.state.independent = Some(independent);
        if independent {
            self.state.gather =
                Gather::new(&self.items, &self.state.receiving, self.copier.is_oversubscribed());
        }
        for (load, phase_runs) in loads.iter().zip(&self.items.phase_runs) {
            load.plan.write_mode.set(match phase_runs {
                _ if self.gathers() => WriteMode::Gathered,
                Some(_) => WriteMode::WrittenOut,
                None => WriteMode::ByMessage,
            });
        }
    }

    fn expect<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
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

    /// Sends one packet: arrivals are unpacked between two sends, while they are in the cache. If a device packs, sends
    /// further packets until `enough` bytes are sent. Returns the bytes sent; 0 if none can be sent now.
    fn send<T: Transport>(&mut self, transport: &mut T, enough: usize) -> Result<usize, T::Error> {
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
    fn expose<T: Transport>(&self, packet: &Packet, slot: Slot, transport: &mut T) -> Result<bool, T::Error> {
        let single =
            packet.single().filter(|fragment| fragment.piece.is_some()).map(|fragment| fragment.item);
        let source_is_known = |item: &usize| self.items.phase(*item).problem.source_is_known_to_all();
        let array = single.filter(source_is_known).map(|item| self.items.loads[item].read());
        let array = array.filter(|array| array.shape().ascends());
        array.map_or(Ok(false), |array| transport.expose(slot, packet.peer, packet.bytes, array))
    }

    /// Packs `packet` into `slot` and sends it. Returns its bytes; 0 if a copy has failed.
    fn send_alone<T: Transport>(
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

    /// Returns whether a failed copy in a device's memory must end the exchange.
    fn must_stop(&self) -> bool {
        !self.tolerates_failures
            && self.items.loads.iter().flat_map(Load::devices).any(|device| device.fault().is_some())
    }

    /// Packs the elements of `packet` to the front of `buffer`, which a core of kind `reader` reads next.
    fn pack(&mut self, packet: &Packet, mut buffer: &mut [u8], reader: BufferReader) {
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

    /// Unpacks one packet that has arrived, or early packets up to [`MAX_UNPACKED_BYTES`]. Returns whether there was
    /// one.
    fn unpack<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
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
    fn take_expected<T: Transport>(&mut self, slot: Slot, transport: &mut T) -> Packet {
        let packet = self.state.expected.take(slot);
        if let Some(fragment) = packet.single() {
            let (_, _, destination) = self.items.loads[fragment.item].ends();
            transport.answer(slot, destination);
        }
        packet
    }

    fn unpack_packet<T: Transport>(&mut self, packet: &Packet, slot: Slot, transport: &T) {
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
                let phase_runs = self.items.phase_runs[fragment.item].as_deref();
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

    /// Copies the next piece of the self copies, and all self copies with listed runs before it. Returns whether it
    /// copied anything.
    fn copy(&mut self) -> bool {
        let gathers = self.gathers();
        // Gathering an array also writes its self copy.
        let is_gathered = |phase: &RankPhase| gathers && !phase.receives.messages.is_empty();
        let how = (self.order, self.copier.threads());
        let mut any = false;
        while let Some((item, piece)) =
            self.state.copies.next(&self.items, how, is_gathered, &mut self.state.piece)
        {
            any = true;
            let (plan, source, destination) = self.items.loads[item].ends();
            let source = source.expect("a rank that keeps something has a source");
            if let Some((k, pieces, number)) = piece {
                let phase = &plan.phases.list[self.items.phase];
                let kept = phase.copy.as_ref().expect("a self copy of the phase").product(k);
                self.state.piece.set(kept.whole());
                pieces.cut_out(number, &mut self.state.piece);
                on_views(phase.kept_views(k), source, destination, |from, to| {
                    self.copier.copy(kept, &self.state.piece, phase.problem.part, from, to);
                });
                break;
            }
            let runs =
                self.items.phase_runs[item].as_ref().and_then(|phase_runs| phase_runs.self_copy.as_ref());
            copy_runs(source, destination, runs.expect("self copies are listed, too"));
        }
        any
    }
}

#[cfg(test)]
mod tests;
