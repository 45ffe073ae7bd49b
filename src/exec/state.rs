//! WHAT is exchanged, and how far is that? Whoever exchanges the same again needs no new memory for it.

use super::Load;
use super::copies::LocalCopies;
use super::cursor::Cursor;
use super::gather::Gather;
use super::in_order::InOrder;
use super::lent::LentProducts;
use super::stream::{Direction, Packet, elements};
use super::{RUN, UPDATED};
use crate::plan::planned::PieceOrder;
use crate::plan::{Flats, Leg, Piece};
use std::sync::Arc;

/// What is exchanged: one leg of each of these.
pub(super) struct Items<'a> {
    pub loads: Vec<Load<'a>>,
    /// Of each, its runs, if they are listed.
    pub flats: Vec<Option<Arc<Flats>>>,
    /// Which leg of their routes.
    pub leg: usize,
}

impl<'a> Items<'a> {
    /// Leg number `leg` of all `loads`.
    pub fn new(loads: Vec<Load<'a>>, leg: usize) -> Self {
        Self { flats: loads.iter().map(Load::flats).collect(), loads, leg }
    }

    /// The same of other arrays of the same shapes, for which `flats` were listed.
    pub fn again(loads: Vec<Load<'a>>, leg: usize, mut flats: Vec<Option<Arc<Flats>>>) -> Self {
        assert_eq!(loads.len(), flats.len(), "other arrays");
        for (flats, load) in flats.iter_mut().zip(&loads).filter(|(flats, _)| flats.is_none()) {
            *flats = load.flats();
        }
        Self { loads, flats, leg }
    }

    /// The leg of an array.
    pub fn leg(&self, item: usize) -> &Leg {
        &self.loads[item].planned.route.legs[self.leg]
    }

    /// Rows of a piece, where the messages of this array are cut in both directions.
    pub fn rows(&self, item: usize) -> Option<u64> {
        let load = &self.loads[item];
        let run = if load.reads_target() { UPDATED } else { RUN };
        self.leg(item).problem.turned.then(|| elements(run, load.planned.element))
    }

    /// The runs of an array, if they are listed.
    pub fn flats(&self, item: usize) -> Option<&Flats> {
        self.flats[item].as_deref()
    }
}

/// How far an exchange is.
pub(super) struct State {
    pub sending: Cursor,
    pub receiving: Cursor,
    /// What each slot of the transport will hold when it arrives.
    pub expected: Vec<Option<Packet>>,
    pub copies: LocalCopies,
    /// Whether messages to each rank go whenever there is a slot for them; once that is known.
    pub apart: Option<bool>,
    /// Whose turn it is then.
    pub turn: usize,
    /// What gathers the arrays, if that is how they are written.
    pub gather: Option<Gather>,
    pub lent: LentProducts,
    /// What is unpacked in turn, if elements may be written several times.
    pub in_order: Option<InOrder>,
    /// Room for the piece that is worked on.
    pub piece: Piece,
}

/// What is left of an exchange that is done: room for the same again.
pub struct Rest {
    pub(super) state: Box<State>,
    pub(super) flats: Vec<Option<Arc<Flats>>>,
    room: Vec<Load<'static>>,
}

impl Rest {
    pub(super) fn new(state: Box<State>, flats: Vec<Option<Arc<Flats>>>) -> Self {
        Self { state, flats, room: Vec::new() }
    }

    /// Room for the loads of the same exchange.
    pub fn room<'a>(&mut self) -> Vec<Load<'a>> {
        std::mem::take(&mut self.room)
    }

    /// Keeps the room of loads that are over: the memory of the list, whatever was in it.
    pub fn keep_room(&mut self, mut loads: Vec<Load<'_>>) {
        loads.clear();
        self.room = loads.into_iter().map(|_| unreachable!("the list is empty")).collect();
    }
}

impl State {
    /// Nothing is done yet.
    pub fn new(items: &Items<'_>, order: PieceOrder) -> Self {
        Self {
            sending: Cursor::new(Direction::Send, items, order),
            receiving: Cursor::new(Direction::Receive, items, order),
            expected: Vec::new(),
            copies: LocalCopies::default(),
            apart: None,
            turn: 0,
            gather: None,
            lent: LentProducts::default(),
            in_order: InOrder::of(items),
            piece: Piece::default(),
        }
    }

    /// Nothing is done any more of the same exchange, which was done.
    pub fn restart(&mut self, items: &Items<'_>) {
        self.sending.rewind();
        self.receiving.rewind();
        self.expected.clear();
        (self.copies, self.apart, self.turn, self.gather) = (LocalCopies::default(), None, 0, None);
        self.in_order = InOrder::of(items);
    }
}
