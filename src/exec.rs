//! Carries legs out: here plan, pack and transport meet.
//!
//! The schedule is an order, not a barrier: as many pieces of messages are in flight as the transport has slots, taken in
//! one order of all pieces, the same on both sides ([`PieceOrder`]), and no rank waits for a step that it takes no part in. This
//! cannot deadlock: of all unfinished pieces take the one that is earliest in that order; its sender and its receiver have nothing
//! earlier left to do, so both have it in their windows. Within a node, if there are enough slots, a message is sent
//! whenever there is a slot for it ([`gather`] says why that cannot deadlock either), and large arrays are gathered: written
//! in the order of their addresses, from the messages of all ranks.
//!
//! Several arrays can be moved together, in one set of messages. [`Exchange::advance`] never blocks, so one thread can drive
//! every rank of a test.

mod ahead;
mod alone;
mod copies;
mod cursor;
mod gather;
mod in_order;
mod lent;
mod line;
mod load;
mod next;
mod round;
mod share;
mod stream;
mod views;
mod walk;

use crate::crew::Crew;
use crate::pack::copy_flat;
use crate::plan::{Flats, Leg, Piece};
use crate::planned::{Manner, PieceOrder};
use crate::transport::{Slot, Transport};
use copies::LocalCopies;
use cursor::Cursor;
use gather::Gather;
use in_order::InOrder;
use lent::LentProducts;
use share::Tools;
use std::sync::Arc;
use stream::{Direction, Packet};

pub use load::Load;
use views::{on_view, on_views};

/// Bytes of a run that is written as fast as a longer one, and of one that is read before it is written.
const RUN: usize = 512;
const UPDATED: usize = 4 << 10;

/// How far an exchange is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Everything was sent, received and copied.
    Done,
    /// Something was done; there may be more to do at once.
    Busy,
    /// Nothing can be done before something arrives or a slot becomes free.
    Waiting,
}

/// What is exchanged: one leg of each of these.
struct Items<'a> {
    loads: Vec<Load<'a>>,
    /// Of each, its runs, if they are listed.
    flats: Vec<Option<Arc<Flats>>>,
    /// Which leg of their routes.
    leg: usize,
}

impl Items<'_> {
    fn leg(&self, item: usize) -> &Leg {
        &self.loads[item].planned.route.legs[self.leg]
    }

    /// Rows of a piece, where the messages of this array are cut in both directions.
    fn rows(&self, item: usize) -> Option<u64> {
        let load = &self.loads[item];
        let run = if load.reads_target() { UPDATED } else { RUN };
        self.leg(item).problem.turned.then(|| stream::elements(run, load.planned.element))
    }

    fn flats(&self, item: usize) -> Option<&Flats> {
        self.flats[item].as_deref()
    }
}

/// Redistributions under way together, on one rank.
pub struct Exchange<'a> {
    items: Items<'a>,
    sending: Cursor,
    receiving: Cursor,
    /// What each slot of the transport will hold when it arrives.
    expected: Vec<Option<Packet>>,
    copies: LocalCopies,
    /// Whether messages to each rank go whenever there is a slot for them; once that is known.
    apart: Option<bool>,
    /// Whose turn it is then.
    turn: usize,
    /// What gathers the arrays, if that is how they are written.
    gather: Option<Gather>,
    lent: LentProducts,
    /// What is unpacked in turn, if elements may be written several times.
    in_order: Option<InOrder>,
    order: PieceOrder,
    tools: Tools,
    /// Room for the piece that is worked on.
    piece: Piece,
}

impl<'a> Exchange<'a> {
    /// The exchange of leg number `leg` of all `loads`, which have it. `crew` packs, unpacks and copies.
    #[inline]
    pub fn new(loads: Vec<Load<'a>>, leg: usize, order: PieceOrder, crew: Crew) -> Self {
        let items = Items { flats: loads.iter().map(Load::flats).collect(), loads, leg };
        Self {
            sending: Cursor::new(Direction::Send, &items, order),
            receiving: Cursor::new(Direction::Receive, &items, order),
            expected: Vec::new(),
            copies: LocalCopies::default(),
            apart: None,
            turn: 0,
            gather: None,
            piece: Piece::default(),
            lent: LentProducts::default(),
            in_order: InOrder::of(&items),
            order,
            tools: Tools::new(crew),
            items,
        }
    }

    /// Does what can be done now. Local copies fill the time in which nothing arrives, or go along with what is sent.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<Progress, T::Error> {
        self.choose(transport);
        while self.in_order.is_some() && self.copy() {}
        let expected = self.gather.is_none() && self.expect(transport)?;
        let sent = self.send(transport)? > 0;
        let copied = sent && self.order == PieceOrder::ByRegion && self.copy();
        let unpacked = match &mut self.gather {
            Some(gather) => {
                let (items, tools, piece) = (&mut self.items, &self.tools, &mut self.piece);
                gather.advance(transport, &mut self.receiving, items, tools, piece)?
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

    /// Whether everything was received and copied, and nothing is left to send.
    fn is_done(&self) -> bool {
        let received = match &self.gather {
            Some(gather) => gather.is_done(),
            None => self.receiving.is_done() && self.expected.iter().all(Option::is_none),
        };
        received && self.sending.is_done() && self.copies.is_done(&self.items)
    }

    /// The arrays again, once it is done.
    pub fn into_loads(self) -> Vec<Load<'a>> {
        self.items.loads
    }

    /// Whether the arrays that this rank writes are gathered, once that is known.
    pub fn gathers(&self) -> bool {
        self.gather.is_some()
    }

    /// Chooses, once, how messages go and how arrays are written: by what all ranks know, as far as they have to agree.
    fn choose<T: Transport>(&mut self, transport: &T) {
        if self.apart.is_some() {
            return;
        }
        let loads = &self.items.loads;
        let legs = || (0..loads.len()).map(|item| self.items.leg(item));
        let fits = || {
            // Of all items together a rank may have so many partners.
            let partners = legs().map(|leg| leg.problem.from.size().max(leg.problem.to.size()));
            let others = loads.first().map_or(0, |item| u64::from(item.planned.me.ranks - 1));
            partners.sum::<u64>().min(others) <= transport.room() as u64
        };
        // Where all runs are listed nobody gathers, and a peer gets one piece: there are no turns to take.
        let listed = self.items.flats.iter().all(Option::is_some);
        let apart = !listed
            && self.in_order.is_none()
            && self.order == PieceOrder::ByRegion
            && legs().all(|leg| leg.whole)
            && fits();
        self.apart = Some(apart);
        if apart {
            self.gather = Gather::new(&self.items, &self.receiving, self.tools.is_crowded());
        }
        for (load, flats) in loads.iter().zip(&self.items.flats) {
            load.planned.manner.set(match flats {
                _ if self.gathers() => Manner::Gathered,
                Some(_) => Manner::WrittenOut,
                None => Manner::ByMessage,
            });
        }
    }

    fn expect<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let mut any = false;
        while let Some(packet) = self.receiving.peek(&self.items, transport, &mut self.piece) {
            let Some(slot) = transport.expect(packet.peer, packet.bytes)? else { break };
            if self.expected.len() <= slot.0 {
                self.expected.resize_with(slot.0 + 1, || None);
            }
            self.expected[slot.0] = self.receiving.take();
            self.in_order.iter_mut().for_each(|turns| turns.expect(slot));
            any = true;
        }
        Ok(any)
    }

    /// One piece, so that what has arrived is unpacked in between, out of a warm cache. Its bytes; 0 if there is none now.
    fn send<T: Transport>(&mut self, transport: &mut T) -> Result<usize, T::Error> {
        let Some((packet, slot)) = self.next_send(transport)? else { return Ok(0) };
        let single =
            packet.single().filter(|fragment| fragment.piece.is_some()).map(|fragment| fragment.item);
        let known = |item: &usize| self.items.leg(*item).problem.source_is_known_to_all();
        if let Some(array) = single.filter(known).map(|item| self.items.loads[item].read()) {
            if array.shape().ascends() && transport.lend(slot, packet.peer, packet.bytes, array)? {
                return Ok(packet.bytes);
            }
        }
        let reader = transport.reader(slot);
        let mut buffer = transport.fill(slot);
        for fragment in packet.fragments() {
            let (own, rest) = buffer.split_at_mut(fragment.bytes);
            let source = self.items.loads[fragment.item].read();
            if let Some(flat) = Direction::Send.flat(self.items.flats(fragment.item), fragment) {
                source.pack_flat(flat, own);
            } else {
                let leg = self.items.leg(fragment.item);
                let product = Direction::Send.product(leg, fragment, &mut self.piece);
                let seen =
                    leg.sends.view(&leg.sends.messages[fragment.message]).map(|view| source.seen(view));
                let source = seen.as_ref().unwrap_or(source);
                self.tools.pack(product, &self.piece, leg.problem.part, source, own, reader);
            }
            buffer = rest;
        }
        transport.send(slot, packet.peer, packet.bytes)?;
        Ok(packet.bytes)
    }

    fn unpack<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let Some(Slot(slot)) = in_order::next(&mut self.in_order, transport)? else { return Ok(false) };
        let packet = self.expected[slot].take().expect("only what is expected arrives");
        let lent = packet.single().and_then(|fragment| Some((fragment, transport.lent(Slot(slot))?)));
        if let Some((fragment, array)) = lent {
            let (plan, _, destination) = self.items.loads[fragment.item].ends();
            let leg = &plan.route.legs[self.items.leg];
            Direction::Receive.product(leg, fragment, &mut self.piece);
            let product = self.lent.product(leg, (fragment.item, fragment.message));
            self.tools.copy(product, &self.piece, leg.problem.part, &array, destination);
        } else {
            let mut buffer = transport.received(Slot(slot));
            for fragment in packet.fragments() {
                let (own, rest) = buffer.split_at(fragment.bytes);
                let (plan, _, destination) = self.items.loads[fragment.item].ends();
                let flats = self.items.flats[fragment.item].as_deref();
                if let Some(flat) = Direction::Receive.flat(flats, fragment) {
                    destination.unpack_flat(flat, own);
                } else {
                    let leg = &plan.route.legs[self.items.leg];
                    let product = Direction::Receive.product(leg, fragment, &mut self.piece);
                    let view = leg.receives.view(&leg.receives.messages[fragment.message]);
                    on_view(view, destination, |to| {
                        self.tools.unpack(product, &self.piece, leg.problem.part, to, own);
                    });
                }
                buffer = rest;
            }
        }
        transport.release(Slot(slot));
        Ok(true)
    }

    /// Copies one piece of what this rank keeps; where runs are listed, all of it.
    fn copy(&mut self) -> bool {
        let gathers = self.gathers();
        let left_out = |leg: &Leg| gathers && !leg.receives.messages.is_empty();
        let how = (self.order, self.tools.threads());
        let mut any = false;
        while let Some((item, piece)) = self.copies.next(&self.items, how, left_out, &mut self.piece) {
            any = true;
            let (plan, source, destination) = self.items.loads[item].ends();
            let source = source.expect("a rank that keeps something has a source");
            if let Some((k, pieces, number)) = piece {
                let leg = &plan.route.legs[self.items.leg];
                let kept = leg.copy.as_ref().expect("what is copied is in the leg").product(k);
                self.piece.set(kept.whole());
                pieces.cut_out(number, &mut self.piece);
                on_views(leg.kept_views(k), source, destination, |from, to| {
                    self.tools.copy(kept, &self.piece, leg.problem.part, from, to);
                });
                break;
            }
            let flat = self.items.flats[item].as_ref().and_then(|flats| flats.kept.as_ref());
            copy_flat(source, destination, flat.expect("what is kept is listed, too"));
        }
        any
    }
}

#[cfg(test)]
mod tests;
