//! Gathering: a rank writes its array in the order of its addresses, and takes each run from wherever it is: its own source
//! array or the slot of one of the senders. So each cache line of the destination is written once, as a whole.
//!
//! The data of one sender arrives in the order in which it is written. So a sender is a stream of bytes, from which this
//! rank takes what it needs; it returns a slot when the slot is used up. How senders cut their streams does not matter.
//!
//! This cannot deadlock: what this rank needs next from a sender is the first part of its stream that has not been taken. If
//! that part is not in a slot, nothing is in flight from that sender to this rank, and the sender keeps a free slot for each
//! rank to which nothing is in flight.

use super::Load;
use super::cursor::Cursor;
use super::line::{Laid, index};
use super::share::Tools;
use super::state::Items;
use super::walk::{GatherWalk, Supplier};
use crate::layout::problem::Part;
use crate::pack::{Destination, Feed, Source};
use crate::plan::{Merged, Piece};
use crate::transport::{Slot, Transport};
use std::collections::HashMap;

/// Bytes written before others have their turn.
const STRIP: usize = 64 << 10;
/// Smallest destination for which it is worth while to list runs.
const LEAST: usize = 2 << 20;
/// Smallest section that is taken to lie in memory, and not in the caches that ranks of a node share.
const FAR: u64 = 32 << 20;

/// The arrays of an exchange, while they are gathered.
pub(super) struct Gather {
    /// One a stream.
    heads: Vec<StreamHead>,
    /// Arrays that are not written yet, the last one first.
    walks: Vec<GatherWalk>,
    /// Whether nothing more can be written before something arrives.
    starved: bool,
    /// Room for what is looked at.
    from: Vec<Supplier>,
    laid: Vec<Laid>,
}

/// What comes next from a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StreamHead {
    /// Nothing that is expected.
    Nothing,
    /// Bytes that will be in this slot.
    Expected(Slot, usize),
    /// What is in this slot: from here on, up to there.
    Here(Slot, usize, usize),
}

impl Gather {
    /// What gathers the arrays that `items` receive into; `None` if they are better written message by message. `crowded`:
    /// whether ranks share cores.
    pub fn new(items: &Items<'_>, receiving: &Cursor, crowded: bool) -> Option<Self> {
        let receives = |item: &usize| !items.leg(*item).receives.messages.is_empty();
        let all = (0..items.loads.len()).filter(receives).rev();
        if !all.clone().all(|item| worth(&items.loads[item])) {
            return None;
        }
        let streams: HashMap<_, _> = receiving.peers().enumerate().map(|(k, peer)| (peer, k)).collect();
        let walk = |item: usize| GatherWalk::new(item, &items.loads[item], items.leg(item), &streams);
        let walks: Option<Vec<GatherWalk>> = all.map(walk).collect();
        let mut walks = walks.filter(|walks| !walks.is_empty())?;
        // Where ranks share cores, all begin alike: one that waits gives its core to the one that it waits for.
        for walk in walks.iter_mut().filter(|_| !crowded) {
            let plan = &items.loads[walk.item].planned;
            walk.turn(items.leg(walk.item).merged()?, plan.me.rank);
        }
        let heads = vec![StreamHead::Nothing; receiving.peers().len()];
        Some(Self { heads, walks, starved: false, from: Vec::new(), laid: Vec::new() })
    }

    /// Whether all arrays are written.
    pub fn is_done(&self) -> bool {
        self.walks.is_empty()
    }

    /// Does what can be done now, up to a strip; whether that was anything.
    pub fn advance<T: Transport>(
        &mut self,
        transport: &mut T,
        receiving: &mut Cursor,
        items: &mut Items<'_>,
        tools: &Tools,
        scratch: &mut Piece,
    ) -> Result<bool, T::Error> {
        for (k, head) in self.heads.iter_mut().enumerate().filter(|(_, head)| **head == StreamHead::Nothing) {
            let Some(packet) = receiving.peek_at(k, items, transport, scratch) else { continue };
            let (peer, bytes) = (packet.peer, packet.bytes);
            if let Some(slot) = transport.expect(peer, bytes)? {
                receiving.take_at(k);
                *head = StreamHead::Expected(slot, bytes);
            }
        }
        while let Some(slot) = transport.arrived()? {
            let expected =
                |head: &&mut StreamHead| matches!(head, StreamHead::Expected(at, _) if *at == slot);
            let head = self.heads.iter_mut().find(expected).expect("only what is expected arrives");
            let StreamHead::Expected(_, bytes) = *head else { unreachable!("it is expected") };
            *head = StreamHead::Here(slot, 0, bytes);
            self.starved = false;
        }
        if self.starved {
            return Ok(false);
        }
        let (mut any, mut left) = (false, STRIP);
        while left > 0 {
            let Some(walk) = self.walks.last() else { break };
            let written = self.columns(&mut items.loads[walk.item], items.leg, &*transport, tools, left);
            for head in &mut self.heads {
                if let StreamHead::Here(slot, at, end) = *head {
                    if at == end {
                        transport.release(slot);
                        *head = StreamHead::Nothing;
                    }
                }
            }
            if self.walks.last().is_some_and(|walk| walk.done) {
                self.walks.pop();
            }
            if written == 0 {
                self.starved = true;
                break;
            }
            (any, left) = (true, left.saturating_sub(written));
        }
        Ok(any)
    }

    /// Writes the next columns of an array that come from the same sources, about so many bytes, or a part of a column.
    /// Returns how many bytes.
    fn columns<T: Transport>(
        &mut self,
        item: &mut Load<'_>,
        leg: usize,
        transport: &T,
        tools: &Tools,
        most: usize,
    ) -> usize {
        let Self { heads, walks, from, laid, .. } = self;
        let Some(walk) = walks.last_mut() else { return 0 };
        let past = is_past(item);
        let (plan, source, to) = item.ends();
        let dims = plan.route.legs[leg].merged().expect("what is gathered was listed");
        let next = walk.next(dims, to.shape(), from);
        let most = u64::try_from(most / walk.bytes).expect("usize fits in u64").max(1);
        let columns = complete(walk, from, heads, index(next.columns.min(most)));
        if columns == 0 && walk.written == 0 && from.iter().any(|from| bytes_here(heads, from) == 0) {
            return 0;
        }
        let locations: Vec<Location> =
            from.iter().map(|from| Location::of(from, heads, source, transport)).collect();
        laid.clear();
        laid.extend(
            locations.iter().map(|location| location.array().map_or(Laid::Packed, |a| walk.laid(a.shape()))),
        );
        let feed = |(location, &part)| Location::feed(location, walk, dims, part);
        let feeds: Vec<Feed> = locations.iter().zip(&walk.parts).map(feed).collect();
        let (parts, written) = (walk.parts.clone(), walk.written);
        let line = walk.line(dims, to.shape(), plan.element, laid);
        let (taken, moved) = if columns > 0 {
            tools.gather(to, line, (next.to, next.step, columns), &feeds, past);
            (parts.iter().map(|part| part * columns).collect(), columns * line.bytes())
        } else {
            let left: Vec<_> = from
                .iter()
                .zip(laid.iter())
                .map(|(from, laid)| (bytes_here(heads, from), *laid == Laid::Packed))
                .collect();
            let part = line.part(written, &left);
            if part.bytes() > 0 {
                tools.gather(to, &part, (next.to, 0, 1), &feeds, past);
            }
            (part.taken(), part.bytes())
        };
        for (from, taken) in from.iter().zip(taken) {
            if let Supplier::Stream(k) = *from {
                if let StreamHead::Here(_, at, _) = &mut heads[k] {
                    *at += taken;
                }
            }
        }
        walk.written = (written + moved) % walk.bytes;
        if walk.written == 0 && moved > 0 {
            walk.advance(dims, columns.max(1) as u64);
        }
        moved
    }
}

/// Where a source of a line is.
enum Location<'t> {
    Own(&'t Source<'t>),
    Lent(Source<'t>),
    Bytes(&'t [u8]),
}

impl<'t> Location<'t> {
    fn of<T: Transport>(
        from: &Supplier,
        heads: &[StreamHead],
        own: Option<&'t Source<'t>>,
        transport: &'t T,
    ) -> Self {
        let Supplier::Stream(k) = *from else {
            return Self::Own(own.expect("a rank that keeps something has a source"));
        };
        let StreamHead::Here(slot, at, end) = heads[k] else { return Self::Bytes(&[]) };
        match transport.lent(slot) {
            Some(array) => Self::Lent(array),
            None => Self::Bytes(&transport.received(slot)[at..end]),
        }
    }

    /// For columns from the next one on, each of which takes `part` bytes of it.
    fn feed(&self, walk: &GatherWalk, dims: &[Merged], part: usize) -> Feed<'_> {
        match (self, self.array()) {
            (_, Some(array)) => {
                let (at, step) = walk.place(dims, array.shape());
                Feed::Array(array, at, step)
            }
            (Self::Bytes(bytes), _) => Feed::Packed(bytes, part),
            _ => unreachable!("an array or bytes"),
        }
    }

    fn array(&self) -> Option<&Source<'t>> {
        match self {
            Self::Own(array) => Some(array),
            Self::Lent(array) => Some(array),
            Self::Bytes(_) => None,
        }
    }
}

/// Bytes that there are of a source now.
fn bytes_here(heads: &[StreamHead], from: &Supplier) -> usize {
    match *from {
        Supplier::Own => usize::MAX,
        Supplier::Stream(k) => match heads[k] {
            StreamHead::Here(_, at, end) => end - at,
            _ => 0,
        },
    }
}

/// Of the next `most` columns, those that are there as a whole; none if one was begun.
fn complete(walk: &GatherWalk, from: &[Supplier], heads: &[StreamHead], most: usize) -> usize {
    if walk.written > 0 {
        return 0;
    }
    let of_each = from.iter().zip(&walk.parts).map(|(from, part)| bytes_here(heads, from) / part);
    of_each.fold(most, usize::min)
}

/// Whether an array is better gathered than written message by message, if that can be. Messages of a problem that is turned are
/// not in the order of addresses.
fn worth(item: &Load<'_>) -> bool {
    let copied = item.destination.as_ref().is_none_or(|destination| destination.update().is_none());
    let ordered = !item.planned.problem.turned;
    copied
        && ordered
        && item.planned.gather.unwrap_or_else(|| is_far(item))
        && item.planned.problem.part == Part::Whole
}

/// Whether an array lies in memory, and what is written is not soon read again.
fn is_far(item: &Load<'_>) -> bool {
    let bytes = item.destination.as_ref().map_or(0, |destination| destination.shape().bytes());
    bytes >= LEAST && item.planned.problem.bytes(item.planned.element as u64) >= FAR
}

/// Whether an array is written past the caches.
fn is_past(item: &Load<'_>) -> bool {
    let untouched = item.destination.as_ref().is_some_and(Destination::is_untouched);
    item.planned.gather == Some(true) || is_far(item) && !untouched
}
