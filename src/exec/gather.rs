//! Gathering: a rank writes its array in the order of addresses. It reads each run from its own source array, a
//! sender's slot or an array that a sender exposes. So each cache line of the destination is written once, as a whole.
//!
//! Each sender packs its elements in the receiver's order of writing, and may cut this stream of bytes anywhere. The
//! receiver uses the bytes that it needs next, and returns a slot when all its bytes are used.
//!
//! This cannot deadlock. The receiver waits only for the first unused bytes of a stream. If no slot has these bytes, no
//! message from that sender to this rank is in flight. Then the sender has a free slot: it keeps one for each receiver
//! without a message in flight.

use super::Load;
use super::cursor::Cursor;
use super::items::Items;
use super::lent::LentProducts;
use super::line::{SourceLayout, index};
use super::share::Tools;
use super::stream::{Direction, Packet};
use super::walk::{GatherWalk, Holder};
use crate::layout::problem::Part;
use crate::pack::place::DeviceArray;
use crate::pack::{Destination, Feed, Source};
use crate::plan::{Merged, Piece};
use crate::transport::{Slot, Transport};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes written before `advance` returns, so that the rank also sends.
const STRIP_BYTES: usize = 64 << 10;
/// Smallest destination, in bytes, that is gathered by default. Below it, building the list of runs does not pay off.
const MIN_DESTINATION_BYTES: usize = 2 << 20;
/// Smallest section, in bytes, that is assumed to lie in memory, and not in the caches that the ranks of a node share.
const MIN_SECTION_BYTES: u64 = 32 << 20;

/// The arrays of an exchange that are gathered, and their progress.
pub(super) struct Gather {
    /// State of each stream's next slot.
    heads: Vec<StreamHead>,
    /// Arrays that are not finished; the last entry is written next.
    walks: Vec<GatherWalk>,
    /// Whether nothing more can be written until a message arrives.
    starved: bool,
    /// The expected packet of each stream.
    packets: Vec<Option<Packet>>,
    device_reads: DeviceReads,
    /// Holders and layouts of the sources of the current columns; kept to reuse the allocations.
    from: Vec<Holder>,
    laid: Vec<SourceLayout>,
}

/// Pieces of arrays that senders expose in the memory of a device. The host cannot read them, so a kernel packs each into a
/// buffer.
#[derive(Default)]
struct DeviceReads {
    products: LentProducts,
    /// The piece of each stream; empty if the stream's slot has bytes or an array in the host's memory.
    buffers: Vec<Vec<u8>>,
    /// An array that could not be read.
    failed: Option<Arc<DeviceArray>>,
}

/// State of the next slot of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StreamHead {
    Nothing,
    /// A message of this many bytes is expected in this slot.
    Expected(Slot, usize),
    /// This slot has arrived; its bytes between these two offsets are not used yet.
    Here(Slot, usize, usize),
}

impl Gather {
    /// Prepares to gather all arrays of `items` that receive messages. `None` if there are none, or if writing them
    /// message by message is faster or the only way. `oversubscribed` is whether ranks share cores.
    pub fn new(items: &Items<'_>, receiving: &Cursor, oversubscribed: bool) -> Option<Self> {
        let receives = |item: &usize| !items.phase(*item).receives.messages.is_empty();
        let all = (0..items.loads.len()).filter(receives).rev();
        if !all.clone().all(|item| should_gather(&items.loads[item])) {
            return None;
        }
        let streams: HashMap<_, _> = receiving.peers().enumerate().map(|(k, peer)| (peer, k)).collect();
        let walk = |item: usize| GatherWalk::new(item, &items.loads[item], items.phase(item), &streams);
        let walks: Option<Vec<GatherWalk>> = all.map(walk).collect();
        let mut walks = walks.filter(|walks| !walks.is_empty())?;
        // A rank begins after its own elements, so that ranks do not all wait for the same sender. Ranks that share
        // cores all begin at the lowest index: a rank that waits yields its core to that sender.
        for walk in walks.iter_mut().filter(|_| !oversubscribed) {
            let plan = &items.loads[walk.item].plan;
            walk.turn(items.phase(walk.item).merged()?, plan.me.rank);
        }
        let count = receiving.peers().len();
        let heads = vec![StreamHead::Nothing; count];
        let packets = (0..count).map(|_| None).collect();
        let device_reads = DeviceReads { buffers: vec![Vec::new(); count], ..DeviceReads::default() };
        Some(Self { heads, walks, starved: false, packets, device_reads, from: Vec::new(), laid: Vec::new() })
    }

    /// Returns an array in the memory of a device that could not be read since the last call.
    pub fn take_failed(&mut self) -> Option<Arc<DeviceArray>> {
        self.device_reads.failed.take()
    }

    pub fn is_done(&self) -> bool {
        self.walks.is_empty()
    }

    /// Expects further packets, and writes about [`STRIP_BYTES`] bytes at most from the slots that have arrived.
    /// Returns whether it wrote anything.
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
                self.packets[k] = receiving.take_at(k);
                *head = StreamHead::Expected(slot, bytes);
            }
        }
        while let Some(slot) = transport.arrived()? {
            let expected = |head: &StreamHead| matches!(head, StreamHead::Expected(at, _) if *at == slot);
            let mut heads = self.heads.iter_mut().enumerate();
            let (k, head) = heads.find(|(_, head)| expected(head)).expect("an expected message");
            let StreamHead::Expected(_, bytes) = *head else { unreachable!("it is expected") };
            *head = StreamHead::Here(slot, 0, bytes);
            let packet = self.packets[k].take().expect("a packet is expected");
            if let Some(fragment) = packet.single() {
                transport.answer(slot, items.loads[fragment.item].ends().2);
            }
            match transport.lent(slot).filter(|array| array.device().is_some()) {
                Some(array) => self.device_reads.read(k, &packet, &array, (items, tools, scratch)),
                None => self.device_reads.buffers[k].clear(),
            }
            self.starved = false;
        }
        if self.starved {
            return Ok(false);
        }
        let (mut any, mut left) = (false, STRIP_BYTES);
        while left > 0 {
            let Some(walk) = self.walks.last() else { break };
            let written = self.columns(&mut items.loads[walk.item], items.phase, &*transport, tools, left);
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

    /// Writes the next columns that have the same sources, about `most` bytes at most. Writes a part of a column if not
    /// all of it has arrived. Returns the number of bytes written.
    fn columns<T: Transport>(
        &mut self,
        item: &mut Load<'_>,
        phase: usize,
        transport: &T,
        tools: &Tools,
        most: usize,
    ) -> usize {
        let Self { heads, walks, device_reads, from, laid, .. } = self;
        let Some(walk) = walks.last_mut() else { return 0 };
        let past = writes_past_caches(item);
        let (plan, source, to) = item.ends();
        let dims = plan.phases.list[phase].merged().expect("runs are listed before gathering");
        let next = walk.next(dims, to.shape(), from);
        let most = u64::try_from(most / walk.bytes).expect("usize fits in u64").max(1);
        let columns = complete_columns(walk, from, heads, index(next.columns.min(most)));
        if columns == 0 && walk.written == 0 && from.iter().any(|from| available_bytes(heads, from) == 0) {
            return 0;
        }
        let read = &device_reads.buffers;
        let find = |from| LineSource::find(from, (heads, read), source, transport);
        let sources: Vec<LineSource> = from.iter().map(find).collect();
        laid.clear();
        laid.extend(
            sources
                .iter()
                .map(|source| source.array().map_or(SourceLayout::Packed, |a| walk.laid(a.shape()))),
        );
        let feed = |(source, &part)| LineSource::feed(source, walk, dims, part);
        let feeds: Vec<Feed> = sources.iter().zip(&walk.parts).map(feed).collect();
        let (parts, written) = (walk.parts.clone(), walk.written);
        let line = walk.line(dims, to.shape(), plan.element, laid);
        let (taken, moved) = if columns > 0 {
            tools.gather(to, line, (next.to, next.step, columns), &feeds, past);
            (parts.iter().map(|part| part * columns).collect(), columns * line.bytes())
        } else {
            let left: Vec<_> = from
                .iter()
                .zip(laid.iter())
                .map(|(from, laid)| (available_bytes(heads, from), *laid == SourceLayout::Packed))
                .collect();
            let part = line.part(written, &left);
            if part.bytes() > 0 {
                tools.gather(to, &part, (next.to, 0, 1), &feeds, past);
            }
            (part.taken(), part.bytes())
        };
        for (from, taken) in from.iter().zip(taken) {
            if let Holder::Stream(k) = *from {
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

impl DeviceReads {
    /// Reads the piece of `packet`, which stream `k` expects, from the exposed `array`.
    #[cold]
    fn read(
        &mut self,
        k: usize,
        packet: &Packet,
        array: &Source<'_>,
        (items, tools, piece): (&Items<'_>, &Tools, &mut Piece),
    ) {
        let fragment = packet.single().expect("an exposed array is in a packet of its own");
        let phase = items.phase(fragment.item);
        Direction::Receive.product(phase, fragment, piece);
        let product = self.products.product(phase, (fragment.item, fragment.message));
        let buffer = &mut self.buffers[k];
        buffer.resize(packet.bytes, 0);
        tools.read(product, piece, phase.problem.part, array, buffer);
        self.failed = array.failed_device().cloned().or(self.failed.take());
    }
}

/// A source of a line: this rank's array, an exposed array, or packed bytes.
enum LineSource<'t> {
    Own(&'t Source<'t>),
    Lent(Source<'t>),
    Bytes(&'t [u8]),
}

impl<'t> LineSource<'t> {
    fn find<T: Transport>(
        from: &Holder,
        (heads, read): (&[StreamHead], &'t [Vec<u8>]),
        own: Option<&'t Source<'t>>,
        transport: &'t T,
    ) -> Self {
        let Holder::Stream(k) = *from else {
            return Self::Own(own.expect("a rank that keeps something has a source"));
        };
        let StreamHead::Here(slot, at, end) = heads[k] else { return Self::Bytes(&[]) };
        match transport.lent(slot) {
            Some(_) if !read[k].is_empty() => Self::Bytes(&read[k][at..end]),
            Some(array) => Self::Lent(array),
            None => Self::Bytes(&transport.received(slot)[at..end]),
        }
    }

    /// Returns this source as input of the kernel, from the next column on. A packed source has `part` bytes of each
    /// column.
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

fn available_bytes(heads: &[StreamHead], from: &Holder) -> usize {
    match *from {
        Holder::Own => usize::MAX,
        Holder::Stream(k) => match heads[k] {
            StreamHead::Here(_, at, end) => end - at,
            _ => 0,
        },
    }
}

/// Returns how many of the next `most` columns have arrived completely; 0 if a column is partly written.
fn complete_columns(walk: &GatherWalk, from: &[Holder], heads: &[StreamHead], most: usize) -> usize {
    if walk.written > 0 {
        return 0;
    }
    let of_each = from.iter().zip(&walk.parts).map(|(from, part)| available_bytes(heads, from) / part);
    of_each.fold(most, usize::min)
}

/// Returns whether an array can and should be gathered. If the plan has no preference, it is gathered if it is assumed
/// to lie in memory. Arrays of a turned problem cannot be gathered: their pieces are cut in two dimensions, so they are
/// not in the order of addresses.
fn should_gather(item: &Load<'_>) -> bool {
    let copied = item.destination.as_ref().is_none_or(|destination| destination.update().is_none());
    let ordered = !item.plan.problem.turned;
    let on_host = item.devices().next().is_none();
    copied
        && ordered
        && on_host
        && item.plan.gather.unwrap_or_else(|| is_in_memory(item))
        && item.plan.problem.part == Part::Whole
}

/// Returns whether destination and section are so large that they are assumed to lie in memory, not in caches.
fn is_in_memory(item: &Load<'_>) -> bool {
    let bytes = item.destination.as_ref().map_or(0, |destination| destination.shape().bytes());
    bytes >= MIN_DESTINATION_BYTES && item.plan.problem.bytes(item.plan.element as u64) >= MIN_SECTION_BYTES
}

fn writes_past_caches(item: &Load<'_>) -> bool {
    let untouched = item.destination.as_ref().is_some_and(Destination::is_untouched);
    item.plan.gather == Some(true) || is_in_memory(item) && !untouched
}
