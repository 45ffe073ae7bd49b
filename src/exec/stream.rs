//! Cuts the messages to or from each peer into packets that fit in a slot of the transport. Both ends cut them alike.
//!
//! If several arrays move together, a stream has their messages between two ranks, and small messages share a slot. A
//! message with listed runs is a single piece, if it fits in a slot.

use super::items::{Items, elements};
use crate::layout::distribution::Rank;
use crate::layout::problem::Part;
use crate::pack::CopyRuns;
use crate::plan::{Message, MessageRuns, PhaseRuns, PhaseSide, Piece, Pieces, Product, RankPhase};
use crate::system::digest::WordHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// Maximum number of streams that are searched linearly for a peer.
const LINEAR_SEARCH_THRESHOLD: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Send,
    Receive,
}

/// Contents of one slot: pieces of messages, one after the other.
#[derive(Debug)]
pub struct Packet {
    pub peer: Rank,
    first: Fragment,
    /// Further pieces, if several arrays move together.
    further: Vec<Fragment>,
    pub bytes: usize,
    /// True if the packet travels before the ranks have agreed on the call.
    pub early: bool,
}

impl Packet {
    pub fn fragments(&self) -> impl Iterator<Item = &Fragment> {
        std::iter::once(&self.first).chain(&self.further)
    }

    /// Returns the piece, if there is only one.
    pub fn single(&self) -> Option<&Fragment> {
        self.further.is_empty().then_some(&self.first)
    }
}

/// A piece of a message of one of the arrays.
#[derive(Debug)]
pub struct Fragment {
    pub item: usize,
    /// Number of the message in this direction.
    pub message: usize,
    /// Division of the message into pieces, and number of this piece; `None` for a whole message with listed runs.
    pub piece: Option<(Pieces, u64)>,
    pub bytes: usize,
}

/// Messages to or from one peer, and how far they have been cut.
pub(super) struct Stream {
    pub peer: Rank,
    /// The first message, as (array, message).
    first: (usize, usize),
    further: Vec<(usize, usize)>,
    /// Number of messages whose cutting has begun.
    begun: usize,
    /// Division of the last of these messages, and the numbers of its remaining pieces.
    remaining: Option<(Pieces, Range<u64>)>,
    /// The piece after `next`: `None` if it has not been cut yet, `Some(None)` at the end of the stream.
    lookahead: Option<Option<Fragment>>,
    /// The next packet, if it has been cut.
    pub next: Option<Packet>,
    /// Upper bound of the bytes of all messages, equal at both ends; `None` until it is needed.
    bytes: Option<u64>,
    /// True if the stream is a single packet that travels before the ranks have agreed on the call.
    pub early: bool,
}

impl Stream {
    fn new(peer: Rank, first: (usize, usize)) -> Self {
        let further = Vec::new();
        Self {
            peer,
            first,
            further,
            begun: 0,
            remaining: None,
            lookahead: None,
            next: None,
            bytes: None,
            early: false,
        }
    }

    pub fn rewind(&mut self) {
        (self.begun, self.remaining, self.lookahead, self.next, self.early) = (0, None, None, None, false);
    }

    fn message(&self, k: usize) -> Option<(usize, usize)> {
        if k == 0 { Some(self.first) } else { self.further.get(k - 1).copied() }
    }

    /// Takes the next piece of the message that was begun last.
    fn take_piece(&mut self) -> Option<(Pieces, u64)> {
        let (pieces, remaining) = self.remaining.as_mut()?;
        Some((*pieces, remaining.next()?))
    }

    /// Returns whether all packets have been taken, and no further piece was found.
    pub fn is_done(&self) -> bool {
        self.next.is_none() && matches!(self.lookahead, Some(None))
    }
}

impl Direction {
    pub fn side(self, phase: &RankPhase) -> &PhaseSide {
        match self {
            Self::Send => &phase.sends,
            Self::Receive => &phase.receives,
        }
    }

    fn message_runs(self, phase_runs: &PhaseRuns) -> &[MessageRuns] {
        match self {
            Self::Send => &phase_runs.sends,
            Self::Receive => &phase_runs.receives,
        }
    }

    pub fn runs<'f>(self, phase_runs: Option<&'f PhaseRuns>, fragment: &Fragment) -> Option<&'f CopyRuns> {
        let phase_runs = phase_runs.filter(|_| fragment.piece.is_none())?;
        Some(&self.message_runs(phase_runs)[fragment.message].runs)
    }

    /// Returns the product that a fragment belongs to, and sets `piece` to the fragment's positions.
    pub fn product<'l>(self, phase: &'l RankPhase, fragment: &Fragment, piece: &mut Piece) -> Product<'l, 1> {
        let side = self.side(phase);
        let message = &side.messages[fragment.message];
        side.positions(message, piece);
        if let Some((pieces, number)) = fragment.piece {
            pieces.cut_out(number, piece);
        }
        side.product(message)
    }

    /// Makes a stream a single early packet, if its messages have at most `limit` bytes.
    pub(super) fn decide_early(
        self,
        stream: &mut Stream,
        items: &Items<'_>,
        limit: usize,
        piece: &mut Piece,
    ) {
        let bytes = stream.bytes.unwrap_or_else(|| {
            let bytes = |(item, message): (usize, usize)| {
                let side = self.side(items.phase(item));
                side.positions(&side.messages[message], piece);
                piece.count().saturating_mul(items.loads[item].plan.element as u64)
            };
            let messages = std::iter::once(stream.first).chain(stream.further.iter().copied());
            messages.map(bytes).fold(0, u64::saturating_add)
        });
        stream.bytes = Some(bytes);
        stream.early = bytes <= limit as u64;
    }

    /// Cuts the next packet: as many fragments as fit, but one piece per message. Further pieces of a message wait for
    /// the next turn of the stream.
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
            let next =
                stream.lookahead.take().unwrap_or_else(|| self.fragment(stream, items, capacity, scratch));
            match (&mut packet, next) {
                (None, Some(first)) => {
                    let (peer, bytes) = (stream.peer, first.bytes);
                    packet = Some(Packet { peer, first, further: Vec::new(), bytes, early: stream.early });
                }
                (Some(packet), Some(next))
                    if stream.begun != part && packet.bytes + next.bytes <= capacity =>
                {
                    packet.bytes += next.bytes;
                    packet.further.push(next);
                }
                (_, next) => {
                    stream.lookahead = Some(next);
                    return packet;
                }
            }
            part = stream.begun;
        }
    }

    /// Cuts the next piece that has elements.
    #[inline]
    fn fragment(
        self,
        stream: &mut Stream,
        items: &Items<'_>,
        capacity: usize,
        piece: &mut Piece,
    ) -> Option<Fragment> {
        loop {
            if stream.remaining.is_some() {
                if let Some(fragment) = self.cut(stream, items, piece) {
                    return Some(fragment);
                }
            }
            let (item, message) = stream.message(stream.begun)?;
            stream.begun += 1;
            let listed = items.phase_runs(item).map(|phase_runs| &self.message_runs(phase_runs)[message]);
            match listed.filter(|listed| listed.room <= capacity).map(|listed| listed.runs.bytes()) {
                Some(0) => {}
                Some(bytes) => return Some(Fragment { item, message, piece: None, bytes }),
                None => stream.remaining = Some(self.pieces((items, item, message), capacity, piece)),
            }
        }
    }

    /// Cuts the next piece with elements from the message that was begun last, if there is one.
    #[inline(never)]
    fn cut(self, stream: &mut Stream, items: &Items<'_>, piece: &mut Piece) -> Option<Fragment> {
        let (item, message) = stream.message(stream.begun - 1)?;
        let (phase, element) = (items.phase(item), items.loads[item].plan.element);
        while let Some(cut) = stream.take_piece() {
            let mut fragment = Fragment { item, message, piece: Some(cut), bytes: 0 };
            let product = self.product(phase, &fragment, piece);
            let count = match phase.problem.part {
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

    /// Returns the division of a message into pieces of at most `capacity` bytes, and the numbers of all pieces.
    #[inline(never)]
    fn pieces(
        self,
        (items, item, message): (&Items<'_>, usize, usize),
        capacity: usize,
        piece: &mut Piece,
    ) -> (Pieces, Range<u64>) {
        let side = self.side(items.phase(item));
        side.positions(&side.messages[message], piece);
        let most = elements(capacity, items.loads[item].plan.element);
        let pieces = Pieces::new(piece, most, items.rows(item));
        (pieces, 0..pieces.count(piece))
    }
}

/// Groups the messages of all arrays by peer. The streams are in the order of their first messages, equal at both ends;
/// in the order of the steps, if an element may be written several times.
pub(super) fn streams(direction: Direction, items: &Items<'_>) -> Vec<Stream> {
    let messages = |item: usize| direction.side(items.phase(item)).messages.iter().enumerate();
    // Only arrays in boxes have several messages between two ranks.
    if items.loads.len() == 1 && !items.phase(0).problem.in_boxes() {
        return messages(0).map(|(k, message)| Stream::new(message.peer, (0, k))).collect();
    }
    let mut streams: Vec<Stream> = Vec::new();
    let mut stream_of_peer: HashMap<Rank, usize, BuildHasherDefault<WordHasher>> = HashMap::default();
    for item in 0..items.loads.len() {
        for (k, &Message { peer, .. }) in messages(item) {
            // The first streams are searched linearly; usually there are no others.
            let known = streams.iter().take(LINEAR_SEARCH_THRESHOLD).position(|stream| stream.peer == peer);
            match known.or_else(|| stream_of_peer.get(&peer).copied()) {
                Some(at) => streams[at].further.push((item, k)),
                None => {
                    if streams.len() >= LINEAR_SEARCH_THRESHOLD {
                        stream_of_peer.insert(peer, streams.len());
                    }
                    streams.push(Stream::new(peer, (item, k)));
                }
            }
        }
    }
    if items.loads.iter().any(|load| load.plan.in_order) {
        // The order of an array's messages must not depend on the arrays that move together with it.
        let me = &items.loads[0].plan.me;
        streams.sort_by_key(|stream| match direction {
            Direction::Send => me.rank_distance(me.rank, stream.peer),
            Direction::Receive => me.rank_distance(stream.peer, me.rank),
        });
    }
    streams
}
