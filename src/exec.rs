//! Carries plans out: the one place where plan, pack and transport meet.
//!
//! The schedule is an order, not a barrier: as many pieces of messages are in flight as the transport has slots, taken in
//! the order of the steps on both sides, and no rank waits for a step that it takes no part in. This cannot deadlock: of all
//! unfinished pieces take the one that is earliest in the order of the steps; its sender and its receiver have nothing
//! earlier left to do, so both have it in their windows. Within a node, if there are enough slots, a message is sent
//! whenever there is a slot for it ([`gather`] says why that cannot deadlock either), and large arrays are gathered: written
//! in the order of their addresses, from the messages of all ranks.
//!
//! Several arrays can be moved together, in one set of messages. [`Exchange::advance`] never blocks, so one thread can drive
//! every rank of a test.

mod brief;
mod copies;
mod cursor;
mod gather;
mod lent;
mod line;
mod next;
mod round;
mod share;
mod stream;
mod walk;
mod way;

use crate::crew::Crew;
use crate::pack::{Destination, Source};
use crate::plan::{Leg, Piece};
use crate::planned::{Manner, Planned, Turns};
use crate::transport::{Slot, Transport};
use copies::Copies;
use cursor::{Cursor, Direction};
use gather::Gather;
use lent::Lent;
use share::Tools;
use std::sync::Arc;
use stream::Work;
pub use way::Way;

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

/// One array's redistribution, on one rank.
pub struct Load<'a> {
    /// What is to be done.
    pub plan: Arc<Planned>,
    /// The local array that is read, unless this rank is outside the grid; it holds all that the plan names.
    pub source: Option<Source<'a>>,
    /// The local array that is written, unless this rank is outside the grid; it holds all that the plan names.
    pub destination: Option<Destination<'a>>,
}

impl Load<'_> {
    fn leg(&self, number: usize) -> &Leg {
        &self.plan.route.legs[number]
    }
}

/// Redistributions under way together, on one rank.
pub struct Exchange<'a> {
    items: Vec<Load<'a>>,
    /// Which leg of their routes.
    leg: usize,
    sending: Cursor,
    receiving: Cursor,
    /// What each slot of the transport will hold when it arrives.
    expected: Vec<Option<Work>>,
    copies: Copies,
    /// Whether messages to each rank go whenever there is a slot for them; once that is known.
    apart: Option<bool>,
    /// Whose turn it is then.
    turn: usize,
    /// What gathers the arrays, if that is how they are written.
    gather: Option<Gather>,
    lent: Lent,
    turns: Turns,
    tools: Tools,
    /// Room for the piece that is worked on.
    piece: Piece,
}

impl<'a> Exchange<'a> {
    /// The exchange of leg number `leg` of all `items`, which have it. `crew` packs, unpacks and copies.
    #[inline]
    pub fn new(items: Vec<Load<'a>>, leg: usize, turns: Turns, crew: Crew) -> Self {
        Self {
            sending: Cursor::new(Direction::Send, &items, leg, turns),
            receiving: Cursor::new(Direction::Receive, &items, leg, turns),
            leg,
            expected: Vec::new(),
            copies: Copies::default(),
            apart: None,
            turn: 0,
            gather: None,
            piece: Piece::default(),
            lent: Lent::default(),
            turns,
            tools: Tools::new(crew),
            items,
        }
    }

    /// Does what can be done now. Local copies fill the time in which nothing arrives, or go along with what is sent.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<Progress, T::Error> {
        if self.apart.is_none() {
            self.choose(transport);
        }
        let expected = self.gather.is_none() && self.expect(transport)?;
        let sent = self.send(transport)?;
        let copied = sent && self.turns == Turns::ByRegion && self.copy();
        let unpacked = match &mut self.gather {
            Some(gather) => {
                let (items, tools, piece) = (&mut self.items, &self.tools, &mut self.piece);
                gather.advance(transport, &mut self.receiving, items, tools, piece)?
            }
            None => self.unpack(transport)?,
        };
        if expected || sent || unpacked || copied || self.copy() {
            return Ok(Progress::Busy);
        }
        let received = match &self.gather {
            Some(gather) => gather.is_done(),
            None => self.expected.iter().all(Option::is_none) && self.receiving.is_done(),
        };
        let done = received && self.sending.is_done() && transport.all_sent()?;
        Ok(if done { Progress::Done } else { Progress::Waiting })
    }

    /// Whether the arrays that this rank writes are gathered, once that is known.
    pub fn gathers(&self) -> bool {
        self.gather.is_some()
    }

    /// Chooses how messages go and how arrays are written: by what all ranks know, as far as they have to agree.
    fn choose<T: Transport>(&mut self, transport: &T) {
        let legs = || self.items.iter().map(|item| item.leg(self.leg));
        // Of all items together a rank may have so many partners.
        let partners = legs().map(|leg| leg.problem.from.size().max(leg.problem.to.size()));
        let others = self.items.first().map_or(0, |item| u64::from(item.plan.me.ranks - 1));
        let fits = partners.sum::<u64>().min(others) <= transport.room() as u64;
        let apart = self.turns == Turns::ByRegion && fits && legs().all(|leg| leg.plan.whole);
        self.apart = Some(apart);
        if apart {
            self.gather = Gather::new(&self.items, self.leg, &self.receiving, self.tools.is_crowded());
        }
        for item in &self.items {
            item.plan.manner.set(if self.gathers() { Manner::Gathered } else { Manner::ByMessage });
        }
    }

    fn expect<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let mut any = false;
        while let Some(work) = self.receiving.peek(&self.items, transport, &mut self.piece) {
            let Some(slot) = transport.expect(work.peer, work.bytes)? else { break };
            if self.expected.len() <= slot.0 {
                self.expected.resize_with(slot.0 + 1, || None);
            }
            self.expected[slot.0] = self.receiving.take();
            any = true;
        }
        Ok(any)
    }

    /// One piece, so that what has arrived is unpacked in between, out of a warm cache.
    fn send<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let Some((work, slot)) = self.next_send(transport)? else { return Ok(false) };
        let single = work.single().map(|segment| &self.items[segment.item]);
        let known = |item: &&Load| item.leg(self.leg).problem.source_is_known_to_all();
        if let Some(array) = single.filter(known).map(source) {
            if array.shape().ascends() && transport.lend(slot, work.peer, work.bytes, array)? {
                return Ok(true);
            }
        }
        let reader = transport.reader(slot);
        let mut buffer = transport.fill(slot);
        for segment in work.segments() {
            let (own, rest) = buffer.split_at_mut(segment.bytes);
            let item = &self.items[segment.item];
            let leg = item.leg(self.leg);
            let product = Direction::Send.product(leg, segment, &mut self.piece);
            self.tools.pack(product, &self.piece, leg.problem.part, source(item), own, reader);
            buffer = rest;
        }
        transport.send(slot, work.peer, work.bytes)?;
        Ok(true)
    }

    fn unpack<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let Some(Slot(slot)) = transport.arrived()? else { return Ok(false) };
        let work = self.expected[slot].take().expect("only what is expected arrives");
        let lent = work.single().and_then(|segment| Some((segment, transport.lent(Slot(slot))?)));
        if let Some((segment, array)) = lent {
            let (plan, _, destination) = ends(&mut self.items[segment.item]);
            let leg = &plan.route.legs[self.leg];
            Direction::Receive.product(leg, segment, &mut self.piece);
            let product = self.lent.product(leg, (segment.item, segment.message));
            self.tools.copy(product, &self.piece, leg.problem.part, &array, destination);
        } else {
            let mut buffer = transport.received(Slot(slot));
            for segment in work.segments() {
                let (own, rest) = buffer.split_at(segment.bytes);
                let (plan, _, destination) = ends(&mut self.items[segment.item]);
                let leg = &plan.route.legs[self.leg];
                let product = Direction::Receive.product(leg, segment, &mut self.piece);
                self.tools.unpack(product, &self.piece, leg.problem.part, destination, own);
                buffer = rest;
            }
        }
        transport.release(Slot(slot));
        Ok(true)
    }

    /// Copies one piece of what this rank keeps.
    fn copy(&mut self) -> bool {
        let gathers = self.gathers();
        let left_out = |leg: &Leg| gathers && !leg.plan.receives.messages.is_empty();
        let how = (self.turns, self.tools.threads());
        let next = self.copies.next((&self.items, self.leg), how, left_out, &mut self.piece);
        let Some((i, pieces, number)) = next else { return false };
        let (plan, source, destination) = ends(&mut self.items[i]);
        let leg = &plan.route.legs[self.leg];
        let kept = leg.plan.copy.as_ref().expect("what is copied is in the plan").product();
        self.piece.set(kept.whole());
        pieces.cut_out(number, &mut self.piece);
        let source = source.expect("a rank that keeps something has a source");
        self.tools.copy(kept, &self.piece, leg.problem.part, source, destination);
        true
    }
}

fn source<'i, 'a>(item: &'i Load<'a>) -> &'i Source<'a> {
    item.source.as_ref().expect("a rank that sends or keeps something has a source")
}

/// The plan of a load, its source if it has one, and its destination, which it has.
fn ends<'i, 'a>(item: &'i mut Load<'a>) -> (&'i Planned, Option<&'i Source<'a>>, &'i mut Destination<'a>) {
    let destination = item.destination.as_mut();
    let destination = destination.expect("a rank that receives or keeps something has a destination");
    (&item.plan, item.source.as_ref(), destination)
}

#[cfg(test)]
mod tests;
