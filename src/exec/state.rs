//! State of a phase's execution, reused by a later execution of the same shape without allocating.

use super::Load;
use super::copies::SelfCopyProgress;
use super::cursor::Cursor;
use super::exposed::ExposedProducts;
use super::gather::Gather;
use super::in_order::InOrder;
use super::items::Items;
use super::stream::{Direction, Packet};
use crate::plan::rank_plan::PieceOrder;
use crate::plan::{PhaseRuns, Piece};
use crate::transport::Slot;
use std::sync::Arc;

pub(super) struct State {
    pub sending: Cursor,
    pub receiving: Cursor,
    pub expected: ExpectedPackets,
    pub copies: SelfCopyProgress,
    /// True if messages to each rank are sent independently, as slots become free; `None` until decided.
    pub independent: Option<bool>,
    /// Number of streams searched for early messages; `None` if the phase has none.
    pub early: Option<usize>,
    /// Stream whose turn it is to send, if messages are sent independently.
    pub turn: usize,
    pub gather: Option<Gather>,
    pub exposed: ExposedProducts,
    /// Order of unpacking, if elements may be written several times.
    pub in_order: Option<InOrder>,
    pub piece: Piece,
}

/// The packets that this rank expects and has not unpacked, by slot of the transport.
#[derive(Default)]
pub(super) struct ExpectedPackets {
    by_slot: Vec<Option<Packet>>,
    /// Number of packets, and of early ones.
    count: usize,
    early: usize,
}

impl ExpectedPackets {
    /// Adds a packet. Its slot must be free.
    pub fn put(&mut self, Slot(slot): Slot, packet: Packet) {
        if self.by_slot.len() <= slot {
            self.by_slot.resize_with(slot + 1, || None);
        }
        self.count += 1;
        self.early += usize::from(packet.early);
        self.by_slot[slot] = Some(packet);
    }

    /// Takes the packet of a slot that has arrived. Panics if none is expected there.
    pub fn take(&mut self, Slot(slot): Slot) -> Packet {
        let packet = self.by_slot[slot].take().expect("an expected message");
        self.count -= 1;
        self.early -= usize::from(packet.early);
        packet
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether an early packet is expected.
    pub fn has_early(&self) -> bool {
        self.early > 0
    }

    fn clear(&mut self) {
        self.by_slot.clear();
        (self.count, self.early) = (0, 0);
    }
}

/// Workspace of a finished execution of a phase, for its repetition.
pub struct Workspace {
    pub(super) state: Box<State>,
    pub(super) runs_of_items: Vec<Option<Arc<PhaseRuns>>>,
    room: Vec<Load<'static>>,
}

impl Workspace {
    pub(super) fn new(state: Box<State>, runs_of_items: Vec<Option<Arc<PhaseRuns>>>) -> Self {
        Self { state, runs_of_items, room: Vec::new() }
    }

    /// Takes the empty list for the next execution's loads.
    pub fn room<'a>(&mut self) -> Vec<Load<'a>> {
        std::mem::take(&mut self.room)
    }

    /// Keeps the allocation of a list of loads, not its contents.
    pub fn keep_room(&mut self, mut loads: Vec<Load<'_>>) {
        loads.clear();
        self.room = loads.into_iter().map(|_| unreachable!("the list is empty")).collect();
    }
}

impl State {
    pub fn new(items: &Items<'_>, order: PieceOrder) -> Self {
        Self {
            sending: Cursor::new(Direction::Send, items, order),
            receiving: Cursor::new(Direction::Receive, items, order),
            expected: ExpectedPackets::default(),
            copies: SelfCopyProgress::default(),
            independent: None,
            early: None,
            turn: 0,
            gather: None,
            exposed: ExposedProducts::default(),
            in_order: InOrder::for_items(items),
            piece: Piece::default(),
        }
    }

    /// Resets the state so that the same phase can be executed again.
    pub fn restart(&mut self, items: &Items<'_>) {
        self.sending.rewind();
        self.receiving.rewind();
        self.expected.clear();
        self.early = None;
        (self.copies, self.independent, self.turn, self.gather) =
            (SelfCopyProgress::default(), None, 0, None);
        self.in_order = InOrder::for_items(items);
    }
}
