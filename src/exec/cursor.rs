//! WHICH piece is next, in one direction? Walks over the messages of one rank, a bundle for each peer and step, and cuts
//! them into works that fit a buffer of the transport. Sender and receiver of a bundle walk alike.
//!
//! Where several arrays travel together, a bundle has the messages of all of them between two ranks; small ones share a
//! buffer.

use super::Load;
use crate::layout::Rank;
use crate::plan::{Leg, Message, Piece, Pieces, Product, Side};
use crate::planned::Turns;
use crate::problem::Part;
use crate::transport::Transport;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Which messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// What this rank sends.
    Send,
    /// What this rank receives.
    Receive,
}

/// What travels in one buffer of the transport: pieces of messages, one after the other.
#[derive(Debug)]
pub struct Work {
    /// The other rank.
    pub peer: Rank,
    /// The first piece; there is one.
    first: Segment,
    /// More pieces, where several arrays travel together.
    more: Vec<Segment>,
    /// Bytes of all of them.
    pub bytes: usize,
}

impl Work {
    /// The pieces, in order.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// The piece, if it is the only one.
    pub fn single(&self) -> Option<&Segment> {
        self.more.is_empty().then_some(&self.first)
    }
}

/// A piece of a message of one of the arrays.
#[derive(Debug)]
pub struct Segment {
    /// Which array.
    pub item: usize,
    /// Which of its messages in this direction.
    pub message: usize,
    /// How that is cut into pieces.
    pieces: Pieces,
    /// Which piece of it.
    number: u64,
    /// Bytes of this piece.
    pub bytes: usize,
}

/// Messages between two ranks that travel together.
struct Bundle {
    peer: Rank,
    /// The first of them: (array, message).
    first: (usize, usize),
    more: Vec<(usize, usize)>,
}

impl Bundle {
    fn part(&self, k: usize) -> Option<(usize, usize)> {
        if k == 0 { Some(self.first) } else { self.more.get(k - 1).copied() }
    }
}

/// A bundle that is begun.
struct Open {
    bundle: usize,
    /// Parts that are begun.
    begun: usize,
    /// How the last of them is cut, and the numbers of its pieces that come after the one below.
    pieces: Pieces,
    left: Range<u64>,
    /// The piece that comes next.
    next: Option<Segment>,
}

/// Walks over the works of one direction.
pub struct Cursor {
    direction: Direction,
    /// Which leg of the items' routes.
    leg: usize,
    bundles: Vec<Bundle>,
    next_bundle: usize,
    open: VecDeque<Open>,
    next: Option<Work>,
    turns: Turns,
}

impl Direction {
    /// The messages of this direction.
    pub fn side(self, leg: &Leg) -> &Side {
        match self {
            Self::Send => &leg.plan.sends,
            Self::Receive => &leg.plan.receives,
        }
    }

    /// What a segment is a piece of; makes `piece` its positions.
    pub fn product<'l>(self, leg: &'l Leg, segment: &Segment, piece: &mut Piece) -> Product<'l, 1> {
        let side = self.side(leg);
        let message = &side.messages[segment.message];
        side.positions(message, piece);
        segment.pieces.cut_out(segment.number, piece);
        side.product(message)
    }
}

impl Cursor {
    /// All messages of `items` in that direction.
    #[inline]
    pub fn new(direction: Direction, items: &[Load<'_>], leg: usize, turns: Turns) -> Self {
        let bundles = bundles(direction, items, leg);
        Self { direction, leg, bundles, next_bundle: 0, open: VecDeque::new(), next: None, turns }
    }

    /// Whether `peek` found nothing more.
    pub fn is_done(&self) -> bool {
        self.next.is_none() && self.open.is_empty() && self.next_bundle == self.bundles.len()
    }

    /// The next work, cut for `transport`. What `scratch` holds does not matter.
    pub fn peek<T: Transport>(
        &mut self,
        items: &[Load<'_>],
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Work> {
        while self.next.is_none() {
            let mut open = self.turn(items, transport, scratch)?;
            let peer = self.bundles[open.bundle].peer;
            self.next = self.fill(&mut open, items, transport.capacity(peer), scratch);
            if open.next.is_some() {
                self.open.push_back(open);
            }
        }
        self.next.as_ref()
    }

    /// The work that `peek` showed.
    pub fn take(&mut self) -> Option<Work> {
        self.next.take()
    }

    /// The bundle whose turn it is: one that is not begun yet, by message only after the one before.
    fn turn<T: Transport>(&mut self, items: &[Load<'_>], transport: &T, scratch: &mut Piece) -> Option<Open> {
        let fresh = self.turns == Turns::ByRegion || self.open.is_empty();
        if !fresh || self.next_bundle == self.bundles.len() {
            return self.open.pop_front();
        }
        let bundle = self.next_bundle;
        self.next_bundle += 1;
        let capacity = transport.capacity(self.bundles[bundle].peer);
        let mut open = Open { bundle, begun: 0, pieces: Pieces::new(scratch, 1), left: 0..0, next: None };
        open.next = self.segment(&mut open, items, capacity, scratch);
        Some(open)
    }

    /// As many segments as fit, but no two pieces of one message: the next one waits for its turn.
    fn fill(
        &self,
        open: &mut Open,
        items: &[Load<'_>],
        capacity: usize,
        scratch: &mut Piece,
    ) -> Option<Work> {
        let first = open.next.take()?;
        let (peer, bytes) = (self.bundles[open.bundle].peer, first.bytes);
        let (mut work, mut part) = (Work { peer, first, more: Vec::new(), bytes }, open.begun);
        open.next = self.segment(open, items, capacity, scratch);
        while let Some(next) =
            open.next.take_if(|next| open.begun != part && work.bytes + next.bytes <= capacity)
        {
            part = open.begun;
            work.bytes += next.bytes;
            work.more.push(next);
            open.next = self.segment(open, items, capacity, scratch);
        }
        Some(work)
    }

    /// The next piece that has elements.
    fn segment(
        &self,
        open: &mut Open,
        items: &[Load<'_>],
        capacity: usize,
        piece: &mut Piece,
    ) -> Option<Segment> {
        let bundle = &self.bundles[open.bundle];
        loop {
            for number in open.left.by_ref() {
                let (item, message) = bundle.part(open.begun - 1)?;
                let mut segment = Segment { item, message, pieces: open.pieces, number, bytes: 0 };
                let (leg, element) = (items[item].leg(self.leg), items[item].plan.element);
                let product = self.direction.product(leg, &segment, piece);
                let count = match leg.problem.part {
                    Part::Whole => piece.count(),
                    part => product.elements(piece, &part),
                };
                if count > 0 {
                    segment.bytes = usize::try_from(count).expect("a piece fits in memory") * element;
                    return Some(segment);
                }
            }
            let (item, k) = bundle.part(open.begun)?;
            let side = self.direction.side(items[item].leg(self.leg));
            side.positions(&side.messages[k], piece);
            open.begun += 1;
            open.pieces = Pieces::new(piece, elements(capacity, items[item].plan.element));
            open.left = 0..open.pieces.count(piece);
        }
    }
}

/// Elements that fit in so many bytes: at least one.
pub fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}

/// The messages of all items, those between the same two ranks together, in an order that both ends know: each bundle goes
/// where the first of its messages would.
fn bundles(direction: Direction, items: &[Load<'_>], leg: usize) -> Vec<Bundle> {
    if let [item] = items {
        let single = |(k, m): (usize, &Message)| Bundle { peer: m.peer, first: (0, k), more: Vec::new() };
        return direction.side(item.leg(leg)).messages.iter().enumerate().map(single).collect();
    }
    let mut bundles: Vec<Bundle> = Vec::new();
    let mut of_peer: HashMap<Rank, usize> = HashMap::new();
    for (i, item) in items.iter().enumerate() {
        for (k, &Message { peer, .. }) in direction.side(item.leg(leg)).messages.iter().enumerate() {
            match of_peer.entry(peer) {
                Entry::Occupied(at) => bundles[*at.get()].more.push((i, k)),
                Entry::Vacant(place) => {
                    place.insert(bundles.len());
                    bundles.push(Bundle { peer, first: (i, k), more: Vec::new() });
                }
            }
        }
    }
    bundles
}
