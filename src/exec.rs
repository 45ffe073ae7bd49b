//! Carries a plan out: the one place where plan, pack and transport meet.
//!
//! The schedule is an order, not a barrier: as many pieces of messages are in flight as the transport has slots,
//! taken in the order of the steps on both sides, and no rank waits for a step that it takes no part in. This
//! cannot deadlock: of all unfinished pieces take the one that is earliest in the order of the steps; its sender
//! and its receiver have nothing earlier left to do, so both have it in their windows.
//!
//! [`Exchange::advance`] never waits, so one thread can drive every rank of a test.

mod lent;
mod share;

use crate::budget::NODE_SLOT;
use crate::crew::Crew;
use crate::pack::{Destination, Source};
use crate::plan::{Message, Piece, Pieces, Plan, Rectangle, Side};
use crate::problem::{Part, Problem};
use crate::transport::{Slot, Transport};
use lent::Lent;
use share::Tools;
use std::collections::VecDeque;

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

/// In which order do the pieces of a rank's messages go? The same on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// Message after message: between nodes, where each step has the ports to itself.
    ByMessage,
    /// A piece of each message in turn: within a node, where what costs is to read and write the arrays. The pieces of
    /// all messages, and of what the rank keeps, lie near each other there, so each cache line comes once.
    ByRegion,
}

/// A redistribution under way on one rank.
pub struct Exchange<'a> {
    part: Part,
    source: Option<Source<'a>>,
    destination: Option<Destination<'a>>,
    sending: Cursor<'a>,
    receiving: Cursor<'a>,
    /// What each slot of the transport will hold when it arrives.
    expected: Vec<Option<Work<'a>>>,
    copying: Option<(Rectangle<'a, 2>, Pieces)>,
    lent: Lent<'a>,
    turns: Turns,
    tools: Tools,
}

/// A piece of a message.
struct Work<'a> {
    message: &'a Message,
    rectangle: Rectangle<'a, 1>,
    piece: Piece,
    bytes: usize,
}

impl<'a> Exchange<'a> {
    /// The exchange of `plan`, which is this rank's plan of `problem`. `source` and `destination` are its local arrays,
    /// absent where it is outside the grid. Both hold all that the plan names. `crew` packs, unpacks and copies.
    pub fn new(
        problem: &'a Problem,
        plan: &'a Plan,
        (source, destination): (Option<Source<'a>>, Option<Destination<'a>>),
        turns: Turns,
        crew: Crew,
    ) -> Self {
        let part = problem.part;
        let element = source.map(|s| s.element()).or(destination.map(|d| d.element())).unwrap_or(1);
        let copying = plan.copy.as_ref().map(|(rows, cols)| {
            let all = Piece { rows: 0..rows.local.total(), cols: 0..cols.local.total() };
            let bytes = local_piece(plan, &all, element, turns, crew.threads());
            (Rectangle { rows, cols }, Pieces::new(all, elements(bytes, element)))
        });
        Self {
            part,
            source,
            destination,
            sending: Cursor::new(&plan.sends, element, turns),
            receiving: Cursor::new(&plan.receives, element, turns),
            expected: Vec::new(),
            copying,
            lent: Lent::new(problem),
            turns,
            tools: Tools::new(crew, part),
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
        while let Some(work) = self.receiving.peek(&self.part, transport) {
            let Some(slot) = transport.expect(work.message.peer, work.bytes)? else { break };
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
        let Some(work) = self.sending.peek(&self.part, transport) else { return Ok(false) };
        let Some(slot) = transport.free_slot(work.message.peer)? else { return Ok(false) };
        let work = self.sending.take().expect("there is a next piece");
        let source = self.source.expect("a rank that sends has a source");
        if transport.lend(slot, work.message.peer, work.bytes, &source)? {
            return Ok(true);
        }
        let reader = transport.reader(slot);
        self.tools.pack(&work, &source, transport.fill(slot), reader);
        transport.send(slot, work.message.peer, work.bytes)?;
        Ok(true)
    }

    fn unpack<T: Transport>(&mut self, transport: &mut T) -> Result<bool, T::Error> {
        let Some(Slot(slot)) = transport.arrived()? else { return Ok(false) };
        let work = self.expected[slot].take().expect("only what is expected arrives");
        let destination = self.destination.expect("a rank that receives has a destination");
        match transport.lent(Slot(slot), destination.element()) {
            Some(array) => {
                let rectangle = self.lent.rectangle(&work);
                self.tools.copy(rectangle, &work.piece, &array, &destination);
            }
            None => self.tools.unpack(&work, &destination, transport.received(Slot(slot))),
        }
        transport.release(Slot(slot));
        Ok(true)
    }

    /// Copies one piece of what this rank keeps.
    fn copy(&mut self) -> bool {
        let Some((rectangle, pieces)) = &mut self.copying else { return false };
        let Some(piece) = pieces.next() else {
            self.copying = None;
            return false;
        };
        let (from, to) =
            self.source.zip(self.destination).expect("a rank that keeps something has both arrays");
        self.tools.copy(*rectangle, &piece, &from, &to);
        true
    }
}

/// Bytes of a local copy made at once.
fn local_piece(plan: &Plan, all: &Piece, element: usize, turns: Turns, threads: usize) -> usize {
    if threads > 1 {
        return LOCAL_PIECE_A_THREAD * threads;
    }
    if turns == Turns::ByMessage {
        return LOCAL_PIECE;
    }
    // As many as there will be pieces to send, if these are of the usual size, so that both keep abreast.
    let sent: u64 = plan.sends.messages.iter().map(|m| plan.sends.positions(m).count()).sum();
    let usual = usize::try_from(NODE_SLOT).expect("a few bytes");
    let pieces = (sent / elements(usual, element)).max(1);
    usize::try_from(all.count() / pieces)
        .unwrap_or(usize::MAX)
        .saturating_mul(element)
        .clamp(LEAST, 4 * usual)
}

/// Walks over the pieces of one direction's messages.
struct Cursor<'a> {
    side: &'a Side,
    next_message: usize,
    /// Messages that are begun, with what is left of them.
    open: VecDeque<(&'a Message, Pieces)>,
    next: Option<Work<'a>>,
    element: usize,
    turns: Turns,
}

impl<'a> Cursor<'a> {
    fn new(side: &'a Side, element: usize, turns: Turns) -> Self {
        Self { side, next_message: 0, open: VecDeque::new(), next: None, element, turns }
    }

    /// Whether `peek` found nothing more.
    fn is_done(&self) -> bool {
        self.next.is_none() && self.open.is_empty() && self.next_message == self.side.messages.len()
    }

    /// The next piece that has elements, cut for `transport`.
    fn peek<T: Transport>(&mut self, part: &Part, transport: &T) -> Option<&Work<'a>> {
        while self.next.is_none() {
            let (message, mut pieces) = self.turn(transport)?;
            let Some(piece) = pieces.next() else { continue };
            self.open.push_back((message, pieces));
            let rectangle = self.side.rectangle(message);
            let count = rectangle.elements(&piece, part);
            if count > 0 {
                let bytes = usize::try_from(count).expect("a piece fits in memory") * self.element;
                self.next = Some(Work { message, rectangle, piece, bytes });
            }
        }
        self.next.as_ref()
    }

    /// The message whose turn it is: one that is not begun yet, by message only after the one before.
    fn turn<T: Transport>(&mut self, transport: &T) -> Option<(&'a Message, Pieces)> {
        let fresh = self.side.messages.get(self.next_message);
        match fresh.filter(|_| self.turns == Turns::ByRegion || self.open.is_empty()) {
            Some(message) => {
                self.next_message += 1;
                let most = elements(transport.capacity(message.peer), self.element);
                Some((message, Pieces::new(self.side.positions(message), most)))
            }
            None => self.open.pop_front(),
        }
    }

    fn take(&mut self) -> Option<Work<'a>> {
        self.next.take()
    }
}

fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}

#[cfg(test)]
mod tests;
