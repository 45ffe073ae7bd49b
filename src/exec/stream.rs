//! HOW is the data to or from one peer cut into pieces that fit a buffer of the transport? It is always sent in the same
//! order, and both ends cut it alike.
//!
//! Where several arrays travel together, a stream has the messages of all of them between two ranks; small ones share a
//! buffer. A message whose runs are listed is one piece, if it fits.

use super::state::Items;
use crate::layout::distribution::Rank;
use crate::layout::problem::Part;
use crate::pack::Flat;
use crate::plan::{Flats, Leg, LegSide, Letter, Message, Piece, Pieces, Product};
use crate::system::digest::WordHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// Streams that are compared one by one.
const FEW: usize = 8;

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
pub struct Packet {
    /// The other rank.
    pub peer: Rank,
    /// The first piece; there is one.
    first: Fragment,
    /// More pieces, where several arrays travel together.
    more: Vec<Fragment>,
    /// Bytes of all of them.
    pub bytes: usize,
}

impl Packet {
    /// The pieces, in order.
    pub fn fragments(&self) -> impl Iterator<Item = &Fragment> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// The piece, if it is the only one.
    pub fn single(&self) -> Option<&Fragment> {
        self.more.is_empty().then_some(&self.first)
    }
}

/// A piece of a message of one of the arrays.
#[derive(Debug)]
pub struct Fragment {
    /// Which array.
    pub item: usize,
    /// Which of its messages in this direction.
    pub message: usize,
    /// How that is cut into pieces, and which piece this is; `None`: it is all of a message whose runs are listed.
    pub piece: Option<(Pieces, u64)>,
    /// Bytes of this piece.
    pub bytes: usize,
}

/// Messages between two ranks, as far as they were cut.
pub(super) struct Stream {
    /// The other rank.
    pub peer: Rank,
    /// The first message: (array, message).
    first: (usize, usize),
    more: Vec<(usize, usize)>,
    /// Messages that are begun.
    begun: usize,
    /// How the last of them that was cut is cut, and the numbers of its pieces that come after the one below.
    left: Option<(Pieces, Range<u64>)>,
    /// The piece that comes behind `next`, once it was looked for.
    ahead: Option<Option<Fragment>>,
    /// What comes next, as far as it was cut.
    pub next: Option<Packet>,
}

impl Stream {
    /// Nothing of it is cut yet.
    fn new(peer: Rank, first: (usize, usize)) -> Self {
        Self { peer, first, more: Vec::new(), begun: 0, left: None, ahead: None, next: None }
    }

    /// Nothing of it is cut any more.
    pub fn rewind(&mut self) {
        (self.begun, self.left, self.ahead, self.next) = (0, None, None, None);
    }

    /// Message number `k`: (array, message).
    fn message(&self, k: usize) -> Option<(usize, usize)> {
        if k == 0 { Some(self.first) } else { self.more.get(k - 1).copied() }
    }

    /// The next piece of the message that was begun last.
    fn piece(&mut self) -> Option<(Pieces, u64)> {
        let (pieces, left) = self.left.as_mut()?;
        Some((*pieces, left.next()?))
    }

    /// Whether there is nothing more.
    pub fn is_done(&self) -> bool {
        self.next.is_none() && matches!(self.ahead, Some(None))
    }
}

impl Direction {
    /// The messages of this direction.
    pub fn side(self, leg: &Leg) -> &LegSide {
        match self {
            Self::Send => &leg.sends,
            Self::Receive => &leg.receives,
        }
    }

    /// The lists of the runs of these messages.
    fn letters(self, flats: &Flats) -> &[Letter] {
        match self {
            Self::Send => &flats.sends,
            Self::Receive => &flats.receives,
        }
    }

    /// The runs of a fragment, if they are listed.
    pub fn flat<'f>(self, flats: Option<&'f Flats>, fragment: &Fragment) -> Option<&'f Flat> {
        let flats = flats.filter(|_| fragment.piece.is_none())?;
        Some(&self.letters(flats)[fragment.message].flat)
    }

    /// What a fragment is a piece of; makes `piece` its positions.
    pub fn product<'l>(self, leg: &'l Leg, fragment: &Fragment, piece: &mut Piece) -> Product<'l, 1> {
        let side = self.side(leg);
        let message = &side.messages[fragment.message];
        side.positions(message, piece);
        if let Some((pieces, number)) = fragment.piece {
            pieces.cut_out(number, piece);
        }
        side.product(message)
    }

    /// As many fragments as fit, but no two pieces of one message: the next one waits for its turn.
    #[inline]
    pub(super) fn packet(
        self,
        stream: &mut Stream,
        items: &Items<'_>,
        capacity: usize,
        scratch: &mut Piece,
    ) -> Option<Packet> {
        let (mut packet, mut part): (Option<Packet>, usize) = (None, 0);
        loop {
            let next = stream.ahead.take().unwrap_or_else(|| self.fragment(stream, items, capacity, scratch));
            match (&mut packet, next) {
                (None, Some(first)) => {
                    let (peer, bytes) = (stream.peer, first.bytes);
                    packet = Some(Packet { peer, first, more: Vec::new(), bytes });
                }
                (Some(packet), Some(next))
                    if stream.begun != part && packet.bytes + next.bytes <= capacity =>
                {
                    packet.bytes += next.bytes;
                    packet.more.push(next);
                }
                (_, next) => {
                    stream.ahead = Some(next);
                    return packet;
                }
            }
            part = stream.begun;
        }
    }

    /// The next piece that has elements.
    #[inline]
    fn fragment(
        self,
        stream: &mut Stream,
        items: &Items<'_>,
        capacity: usize,
        piece: &mut Piece,
    ) -> Option<Fragment> {
        loop {
            if stream.left.is_some() {
                if let Some(fragment) = self.cut(stream, items, piece) {
                    return Some(fragment);
                }
            }
            let (item, message) = stream.message(stream.begun)?;
            stream.begun += 1;
            let letter = items.flats(item).map(|flats| &self.letters(flats)[message]);
            match letter.filter(|letter| letter.room <= capacity).map(|letter| letter.flat.bytes()) {
                Some(0) => {}
                Some(bytes) => return Some(Fragment { item, message, piece: None, bytes }),
                None => stream.left = Some(self.pieces((items, item, message), capacity, piece)),
            }
        }
    }

    /// The next piece of the message that was begun last, if any that is left has elements.
    #[inline(never)]
    fn cut(self, stream: &mut Stream, items: &Items<'_>, piece: &mut Piece) -> Option<Fragment> {
        let (item, message) = stream.message(stream.begun - 1)?;
        let (leg, element) = (items.leg(item), items.loads[item].planned.element);
        while let Some(cut) = stream.piece() {
            let mut fragment = Fragment { item, message, piece: Some(cut), bytes: 0 };
            let product = self.product(leg, &fragment, piece);
            let count = match leg.problem.part {
                Part::Whole => piece.count(),
                part => product.elements(piece, &part),
            };
            if count > 0 {
                fragment.bytes = usize::try_from(count).expect("a piece fits in memory") * element;
                return Some(fragment);
            }
        }
        None
    }

    /// How a message is cut into pieces that fit, and the numbers of all of them.
    #[inline(never)]
    fn pieces(
        self,
        (items, item, message): (&Items<'_>, usize, usize),
        capacity: usize,
        piece: &mut Piece,
    ) -> (Pieces, Range<u64>) {
        let side = self.side(items.leg(item));
        side.positions(&side.messages[message], piece);
        let most = elements(capacity, items.loads[item].planned.element);
        let pieces = Pieces::new(piece, most, items.rows(item));
        (pieces, 0..pieces.count(piece))
    }
}

/// Elements that fit in so many bytes: at least one.
pub fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}

/// The messages of all items, those between the same two ranks together, in an order that both ends know: each stream goes
/// where the first of its messages would.
pub(super) fn streams(direction: Direction, items: &Items<'_>) -> Vec<Stream> {
    let messages = |item: usize| direction.side(items.leg(item)).messages.iter().enumerate();
    // Between boxes two ranks have several messages.
    if items.loads.len() == 1 && !items.leg(0).problem.in_boxes() {
        return messages(0).map(|(k, message)| Stream::new(message.peer, (0, k))).collect();
    }
    let mut streams: Vec<Stream> = Vec::new();
    let mut of_peer: HashMap<Rank, usize, BuildHasherDefault<WordHasher>> = HashMap::default();
    for item in 0..items.loads.len() {
        for (k, &Message { peer, .. }) in messages(item) {
            // The first ones are looked for one by one: mostly these are all.
            let known = streams.iter().take(FEW).position(|stream| stream.peer == peer);
            match known.or_else(|| of_peer.get(&peer).copied()) {
                Some(at) => streams[at].more.push((item, k)),
                None => {
                    if streams.len() >= FEW {
                        of_peer.insert(peer, streams.len());
                    }
                    streams.push(Stream::new(peer, (item, k)));
                }
            }
        }
    }
    if items.loads.iter().any(|load| load.planned.in_order) {
        // Whatever else travels with it, an array's messages come in this order.
        let me = &items.loads[0].planned.me;
        streams.sort_by_key(|stream| match direction {
            Direction::Send => me.ahead(me.rank, stream.peer),
            Direction::Receive => me.ahead(stream.peer, me.rank),
        });
    }
    streams
}
