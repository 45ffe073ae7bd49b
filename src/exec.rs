//! Carries plans out: the one place where plan, pack and transport meet.
//!
//! The schedule is an order, not a barrier: as many pieces of messages are in flight as the transport has slots,
//! taken in the order of the steps on both sides, and no rank waits for a step that it takes no part in. This
//! cannot deadlock: of all unfinished pieces take the one that is earliest in the order of the steps; its sender
//! and its receiver have nothing earlier left to do, so both have it in their windows.
//!
//! Several arrays can travel together, in one set of messages. [`Exchange::advance`] never waits, so one thread can
//! drive every rank of a test.

mod cursor;
mod lent;
mod share;

use crate::budget::NODE_SLOT;
use crate::crew::Crew;
use crate::pack::{Destination, Source};
use crate::plan::{Leg, Piece, Pieces};
use crate::planned::{Planned, Turns};
use crate::transport::{Slot, Transport};
use cursor::{Cursor, Direction, Work, elements};
use lent::Lent;
use share::Tools;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a local copy made between two questions for what has arrived.
const LOCAL_PIECE: usize = 32 << 10;
/// The least.
const LEAST: usize = 2 << 10;
/// The same for each of several threads, which it must be worth while to ask.
const LOCAL_PIECE_A_THREAD: usize = 512 << 10;

/// How far an exchange is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
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

/// What a rank keeps of an array, while it is copied.
struct Copying {
    item: usize,
    pieces: Pieces,
    /// Numbers of the pieces that are not copied yet.
    left: Range<u64>,
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
    /// Arrays whose copy is begun, and what is left of the last of them.
    begun: usize,
    copying: Option<Copying>,
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
            begun: 0,
            copying: None,
            piece: Piece::default(),
            lent: Lent::default(),
            turns,
            tools: Tools::new(crew),
            items,
        }
    }

    /// Does what can be done now. Local copies fill the time in which nothing arrives, or go along with what is sent.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<State, T::Error> {
        let expected = self.expect(transport)?;
        let sent = self.send(transport)?;
        let copied = sent && self.turns == Turns::ByRegion && self.copy();
        let unpacked = self.unpack(transport)?;
        if expected || sent || unpacked || copied || self.copy() {
            return Ok(State::Busy);
        }
        let received = self.expected.iter().all(Option::is_none) && self.receiving.is_done();
        let done = received && self.sending.is_done() && transport.all_sent()?;
        Ok(if done { State::Done } else { State::Waiting })
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
        let next = self.sending.peek(&self.items, transport, &mut self.piece);
        let Some(work) = next else { return Ok(false) };
        let Some(slot) = transport.free_slot(work.peer)? else { return Ok(false) };
        let work = self.sending.take().expect("there is a next piece");
        if let Some(segment) = work.single() {
            if transport.lend(slot, work.peer, work.bytes, source(&self.items[segment.item]))? {
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
            let item = &self.items[segment.item];
            let leg = item.leg(self.leg);
            Direction::Receive.product(leg, segment, &mut self.piece);
            let product = self.lent.product(leg, segment);
            self.tools.copy(product, &self.piece, leg.problem.part, &array, destination(item));
        } else {
            let mut buffer = transport.received(Slot(slot));
            for segment in work.segments() {
                let (own, rest) = buffer.split_at(segment.bytes);
                let item = &self.items[segment.item];
                let leg = item.leg(self.leg);
                let product = Direction::Receive.product(leg, segment, &mut self.piece);
                self.tools.unpack(product, &self.piece, leg.problem.part, destination(item), own);
                buffer = rest;
            }
        }
        transport.release(Slot(slot));
        Ok(true)
    }

    /// Copies one piece of what this rank keeps.
    fn copy(&mut self) -> bool {
        let Some((i, pieces, number)) = self.next_copy() else { return false };
        let item = &self.items[i];
        let leg = item.leg(self.leg);
        let kept = leg.plan.copy.as_ref().expect("what is copied is in the plan").product();
        self.piece.set(kept.whole());
        pieces.cut_out(number, &mut self.piece);
        self.tools.copy(kept, &self.piece, leg.problem.part, source(item), destination(item));
        true
    }

    /// The next piece to copy, by array and number.
    fn next_copy(&mut self) -> Option<(usize, Pieces, u64)> {
        loop {
            if let Some(Copying { item, pieces, left }) = &mut self.copying {
                if let Some(number) = left.next() {
                    return Some((*item, *pieces, number));
                }
            }
            let item = self.items.get(self.begun)?;
            let (leg, element) = (item.leg(self.leg), item.plan.element);
            self.copying = leg.plan.copy.as_ref().map(|kept| {
                let threads = self.tools.threads();
                let count = kept.product().whole().map(|all| all.end - all.start).product();
                let bytes = local_piece((leg, element), count, self.turns, threads, &mut self.piece);
                self.piece.set(kept.product().whole());
                let pieces = Pieces::new(&self.piece, elements(bytes, element));
                Copying { item: self.begun, pieces, left: 0..pieces.count(&self.piece) }
            });
            self.begun += 1;
        }
    }
}

fn source<'i, 'a>(item: &'i Load<'a>) -> &'i Source<'a> {
    item.source.as_ref().expect("a rank that sends or keeps something has a source")
}

fn destination<'i, 'a>(item: &'i Load<'a>) -> &'i Destination<'a> {
    item.destination.as_ref().expect("a rank that receives or keeps something has a destination")
}

/// Bytes of a local copy made at once, of `count` elements in all. What `scratch` holds does not matter.
fn local_piece(
    (leg, element): (&Leg, usize),
    count: u64,
    turns: Turns,
    threads: usize,
    scratch: &mut Piece,
) -> usize {
    if threads > 1 {
        return LOCAL_PIECE_A_THREAD * threads;
    }
    if turns == Turns::ByMessage {
        return LOCAL_PIECE;
    }
    if count <= elements(LEAST, element) {
        return LEAST;
    }
    // As many as there will be pieces to send, if these are of the usual size, so that both keep abreast.
    let side = &leg.plan.sends;
    let mut count_of = |message| {
        side.positions(message, scratch);
        scratch.count()
    };
    let sent: u64 = side.messages.iter().map(&mut count_of).sum();
    let usual = usize::try_from(NODE_SLOT).expect("a few bytes");
    let pieces = (sent / elements(usual, element)).max(1);
    usize::try_from(count / pieces).unwrap_or(usize::MAX).saturating_mul(element).clamp(LEAST, 4 * usual)
}

#[cfg(test)]
mod tests;
