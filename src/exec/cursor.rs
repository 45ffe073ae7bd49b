//! WHICH piece is next, in one direction? Walks over the messages of one rank, a bundle for each peer and step, and cuts
//! them into works that fit a buffer of the transport. Sender and receiver of a bundle walk alike.
//!
//! Where several arrays travel together, a bundle has the messages of all of them between two ranks; small ones share a
//! buffer.

use super::{Item, Turns};
use crate::layout::Rank;
use crate::plan::{Message, Piece, Pieces, Product, Side};
use crate::problem::Part;
use crate::transport::Transport;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

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
    /// Which piece of it.
    number: u64,
    /// Elements of its pieces at the most.
    most: u64,
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
    /// The part that is under way, and the number of its next piece but the one below.
    part: usize,
    number: u64,
    /// The piece that comes next.
    next: Option<Segment>,
}

/// Walks over the works of one direction.
pub struct Cursor {
    direction: Direction,
    bundles: Vec<Bundle>,
    next_bundle: usize,
    open: VecDeque<Open>,
    next: Option<Work>,
    turns: Turns,
    scratch: Piece,
}

impl Direction {
    /// The messages of this direction.
    pub fn side<'i>(self, item: &'i Item<'_>) -> &'i Side {
        match self {
            Self::Send => &item.leg.plan.sends,
            Self::Receive => &item.leg.plan.receives,
        }
    }

    /// What a segment is a piece of; makes `piece` its positions.
    pub fn product<'i>(self, item: &'i Item<'_>, segment: &Segment, piece: &mut Piece) -> Product<'i, 1> {
        let side = self.side(item);
        let message = &side.messages[segment.message];
        side.positions(message, piece);
        Pieces::new(piece, segment.most).cut_out(segment.number, piece);
        side.product(message)
    }
}

impl Cursor {
    /// All messages of `items` in that direction.
    pub fn new(direction: Direction, items: &[Item<'_>], turns: Turns) -> Self {
        let bundles = bundles(direction, items);
        let scratch = Piece::default();
        Self { direction, bundles, next_bundle: 0, open: VecDeque::new(), next: None, turns, scratch }
    }

    /// Whether `peek` found nothing more.
    pub fn is_done(&self) -> bool {
        self.next.is_none() && self.open.is_empty() && self.next_bundle == self.bundles.len()
    }

    /// The next work, cut for `transport`.
    pub fn peek<T: Transport>(&mut self, items: &[Item<'_>], transport: &T) -> Option<&Work> {
        while self.next.is_none() {
            let mut open = self.turn(items, transport)?;
            let peer = self.bundles[open.bundle].peer;
            self.next = self.fill(&mut open, items, transport.capacity(peer));
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
    fn turn<T: Transport>(&mut self, items: &[Item<'_>], transport: &T) -> Option<Open> {
        let fresh = self.turns == Turns::ByRegion || self.open.is_empty();
        if !fresh || self.next_bundle == self.bundles.len() {
            return self.open.pop_front();
        }
        let bundle = self.next_bundle;
        self.next_bundle += 1;
        let capacity = transport.capacity(self.bundles[bundle].peer);
        let mut open = Open { bundle, part: 0, number: 0, next: None };
        open.next = self.segment(&mut open, items, capacity);
        Some(open)
    }

    /// As many segments as fit, but no two pieces of one message: the next one waits for its turn.
    fn fill(&mut self, open: &mut Open, items: &[Item<'_>], capacity: usize) -> Option<Work> {
        let first = open.next.take()?;
        let (peer, bytes) = (self.bundles[open.bundle].peer, first.bytes);
        let (mut work, mut part) = (Work { peer, first, more: Vec::new(), bytes }, open.part);
        open.next = self.segment(open, items, capacity);
        while let Some(next) =
            open.next.take_if(|next| open.part != part && work.bytes + next.bytes <= capacity)
        {
            part = open.part;
            work.bytes += next.bytes;
            work.more.push(next);
            open.next = self.segment(open, items, capacity);
        }
        Some(work)
    }

    /// The next piece that has elements.
    fn segment(&mut self, open: &mut Open, items: &[Item<'_>], capacity: usize) -> Option<Segment> {
        let (bundle, piece) = (&self.bundles[open.bundle], &mut self.scratch);
        loop {
            let (item, k) = bundle.part(open.part)?;
            let element = items[item].element;
            let (side, most) = (self.direction.side(&items[item]), elements(capacity, element));
            let message = &side.messages[k];
            side.positions(message, piece);
            let pieces = Pieces::new(piece, most);
            for number in open.number..pieces.count(piece) {
                pieces.cut_out(number, piece);
                let count = match items[item].leg.problem.part {
                    Part::Whole => piece.count(),
                    part => side.product(message).elements(piece, &part),
                };
                if count > 0 {
                    open.number = number + 1;
                    let bytes = usize::try_from(count).expect("a piece fits in memory") * element;
                    return Some(Segment { item, message: k, number, most, bytes });
                }
                side.positions(message, piece);
            }
            (open.part, open.number) = (open.part + 1, 0);
        }
    }
}

/// Elements that fit in so many bytes: at least one.
pub fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}

/// The messages of all items, those between the same two ranks together, in an order that both ends know: each bundle goes
/// where the first of its messages would.
fn bundles(direction: Direction, items: &[Item<'_>]) -> Vec<Bundle> {
    if let [item] = items {
        let single = |(k, m): (usize, &Message)| Bundle { peer: m.peer, first: (0, k), more: Vec::new() };
        return direction.side(item).messages.iter().enumerate().map(single).collect();
    }
    let mut bundles: Vec<Bundle> = Vec::new();
    let mut of_peer: HashMap<Rank, usize> = HashMap::new();
    for (i, item) in items.iter().enumerate() {
        for (k, &Message { peer, .. }) in direction.side(item).messages.iter().enumerate() {
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
