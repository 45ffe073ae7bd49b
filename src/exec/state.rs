//! State of an exchange, reused by a later exchange of the same shape without allocating.

use super::Load;
use super::copies::LocalCopies;
use super::cursor::Cursor;
use super::gather::Gather;
use super::in_order::InOrder;
use super::items::Items;
use super::lent::LentProducts;
use super::stream::{Direction, Packet};
use crate::plan::rank_plan::PieceOrder;
use crate::plan::{Flats, Piece};
use std::sync::Arc;

pub(super) struct State {
    pub sending: Cursor,
    pub receiving: Cursor,
    /// Expected packet of each slot of the transport.
    pub expected: Vec<Option<Packet>>,
    pub copies: LocalCopies,
    /// Whether messages to each rank are sent independently, as slots become free; `None` until it is decided.
    pub apart: Option<bool>,
    /// Number of streams searched for early messages; `None` if the exchange has none.
    pub early: Option<usize>,
    /// Stream whose turn it is to send, if messages are sent independently.
    pub turn: usize,
    pub gather: Option<Gather>,
    pub lent: LentProducts,
    /// Order of unpacking, if elements may be written several times.
    pub in_order: Option<InOrder>,
    pub piece: Piece,
}

/// Workspace of a finished exchange, for its repetition.
pub struct Workspace {
    pub(super) state: Box<State>,
    pub(super) flats: Vec<Option<Arc<Flats>>>,
    room: Vec<Load<'static>>,
}

impl Workspace {
    pub(super) fn new(state: Box<State>, flats: Vec<Option<Arc<Flats>>>) -> Self {
        Self { state, flats, room: Vec::new() }
    }

    /// Takes the empty list for the next exchange's loads.
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
            expected: Vec::new(),
            copies: LocalCopies::default(),
            apart: None,
            early: None,
            turn: 0,
            gather: None,
            lent: LentProducts::default(),
            in_order: InOrder::for_items(items),
            piece: Piece::default(),
        }
    }

    /// Resets the state so that the same exchange can run again.
    pub fn restart(&mut self, items: &Items<'_>) {
        self.sending.rewind();
        self.receiving.rewind();
        self.expected.clear();
        self.early = None;
        (self.copies, self.apart, self.turn, self.gather) = (LocalCopies::default(), None, 0, None);
        self.in_order = InOrder::for_items(items);
    }
}
