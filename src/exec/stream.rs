//! HOW is the data to or from one peer cut into pieces that fit a buffer of the transport? It is always sent in the same
//! order, and both ends cut it alike.
//!
//! Where several arrays travel together, a stream has the messages of all of them between two ranks; small ones share a
//! buffer.

use super::Load;
use super::cursor::Direction;
use crate::layout::Rank;
use crate::plan::{Message, Piece, Pieces};
use crate::problem::Part;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

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
    pub(super) pieces: Pieces,
    /// Which piece of it.
    pub(super) number: u64,
    /// Bytes of this piece.
    pub bytes: usize,
}

/// Messages between two ranks that travel together.
pub(super) struct Bundle {
    pub peer: Rank,
    /// The first of them: (array, message).
    first: (usize, usize),
    more: Vec<(usize, usize)>,
}

impl Bundle {
    fn part(&self, k: usize) -> Option<(usize, usize)> {
        if k == 0 { Some(self.first) } else { self.more.get(k - 1).copied() }
    }

    /// All of them, in order: (array, message).
    pub fn parts(&self) -> impl Iterator<Item = (usize, usize)> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

/// A bundle, as far as it was cut.
pub(super) struct Stream {
    bundle: Bundle,
    /// Parts that are begun.
    begun: usize,
    /// How the last of them is cut, and the numbers of its pieces that come after the one below.
    pieces: Pieces,
    left: Range<u64>,
    /// The piece that comes behind `next`, once it was looked for.
    ahead: Option<Option<Segment>>,
    /// What comes next, as far as it was cut.
    pub next: Option<Work>,
}

/// What is cut.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub direction: Direction,
    /// Which leg of the items' routes.
    pub leg: usize,
}

impl Stream {
    /// Nothing of it is cut yet.
    pub fn new(bundle: Bundle) -> Self {
        let pieces = Pieces::new(&Piece::default(), 1);
        Self { bundle, begun: 0, pieces, left: 0..0, ahead: None, next: None }
    }

    /// The other rank.
    pub fn peer(&self) -> Rank {
        self.bundle.peer
    }

    /// Whether there is nothing more.
    pub fn is_done(&self) -> bool {
        self.next.is_none() && matches!(self.ahead, Some(None))
    }
}

impl Cut {
    /// As many segments as fit, but no two pieces of one message: the next one waits for its turn.
    pub fn work(
        self,
        stream: &mut Stream,
        items: &[Load<'_>],
        capacity: usize,
        scratch: &mut Piece,
    ) -> Option<Work> {
        if stream.ahead.is_none() {
            stream.ahead = Some(self.segment(stream, items, capacity, scratch));
        }
        let first = stream.ahead.take().flatten();
        let Some(first) = first else {
            stream.ahead = Some(None);
            return None;
        };
        let (peer, bytes) = (stream.bundle.peer, first.bytes);
        let (mut work, mut part) = (Work { peer, first, more: Vec::new(), bytes }, stream.begun);
        let mut ahead = self.segment(stream, items, capacity, scratch);
        while let Some(next) =
            ahead.take_if(|next| stream.begun != part && work.bytes + next.bytes <= capacity)
        {
            part = stream.begun;
            work.bytes += next.bytes;
            work.more.push(next);
            ahead = self.segment(stream, items, capacity, scratch);
        }
        stream.ahead = Some(ahead);
        Some(work)
    }

    /// The next piece that has elements.
    fn segment(
        self,
        stream: &mut Stream,
        items: &[Load<'_>],
        capacity: usize,
        piece: &mut Piece,
    ) -> Option<Segment> {
        loop {
            for number in stream.left.by_ref() {
                let (item, message) = stream.bundle.part(stream.begun - 1)?;
                let mut segment = Segment { item, message, pieces: stream.pieces, number, bytes: 0 };
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
            let (item, k) = stream.bundle.part(stream.begun)?;
            let side = self.direction.side(items[item].leg(self.leg));
            side.positions(&side.messages[k], piece);
            stream.begun += 1;
            stream.pieces = Pieces::new(piece, elements(capacity, items[item].plan.element));
            stream.left = 0..stream.pieces.count(piece);
        }
    }
}

/// Elements that fit in so many bytes: at least one.
pub fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}

/// The messages of all items, those between the same two ranks together, in an order that both ends know: each bundle goes
/// where the first of its messages would.
pub(super) fn bundles(direction: Direction, items: &[Load<'_>], leg: usize) -> Vec<Bundle> {
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
