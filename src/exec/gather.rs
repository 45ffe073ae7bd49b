//! Gathers arrays: writes a destination in the order of addresses, each cache line once. Each run is read from the
//! rank's own source, a sender's slot or an array that a sender exposes.
//!
//! Each sender packs its elements in the receiver's order of writing, and may cut this stream of bytes anywhere. The
//! receiver returns a slot when all its bytes are used.
//!
//! This cannot deadlock. The receiver waits only for the first unused bytes of a stream. If no slot has them, no
//! message from that sender to this rank is in flight, so the sender has a free slot: it keeps one for each receiver
//! without a message in flight ([`super::next_send`]).

use super::Load;
use super::copier::Copier;
use super::cursor::Cursor;
use super::exposed::ExposedProducts;
use super::items::Items;
use super::line::{SourceLayout, index};
use super::stream::{Direction, Packet};
use super::walk::{GatherWalk, Holder};
use crate::layout::problem::Part;
use crate::pack::place::DeviceArray;
use crate::pack::{Destination, LineInput, Source};
use crate::plan::{Merged, Piece};
use crate::transport::{Slot, Transport};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum bytes written by one call of `advance`, so that the rank also sends.
const STRIP_BYTES: usize = 64 << 10;
/// Minimum bytes of a destination gathered by default. Below it, building the list of runs does not pay off.
const MIN_DESTINATION_BYTES: usize = 2 << 20;
/// Minimum bytes of a section assumed to lie in memory, not in the caches that the ranks of a node share.
const MIN_SECTION_BYTES: u64 = 32 << 20;

/// The arrays of an execution that are gathered, and their progress.
pub(super) struct Gather {
    /// Next slot of each stream.
    heads: Vec<StreamHead>,
    /// Unfinished arrays; the last one is written next.
    walks: Vec<GatherWalk>,
    /// True if nothing can be written until a message arrives.
    starved: bool,
    /// The expected packet of each stream.
    packets: Vec<Option<Packet>>,
    device_reads: DeviceReads,
    /// Holders and layouts of the current columns' sources; kept to reuse the allocations.
    holders: Vec<Holder>,
    layouts: Vec<SourceLayout>,
}

/// Exposed arrays in a device's memory. The host cannot read them, so a kernel packs each piece into a buffer.
#[derive(Default)]
struct DeviceReads {
    products: ExposedProducts,
    /// Piece of each stream; empty if the stream's slot has bytes or an array in the host's memory.
    buffers: Vec<Vec<u8>>,
    /// An array that could not be read.
    failed: Option<Arc<DeviceArray>>,
}

/// Next slot of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StreamHead {
    Nothing,
    /// A message of this many bytes is expected in this slot.
    Expected(Slot, usize),
    /// The slot has arrived; its bytes from the first offset to the second are unused.
    Arrived(Slot, usize, usize),
}

impl Gather {
    /// Prepares to gather all arrays of `items` that receive messages; `None` if there are none, or if writing them
    /// message by message is faster or the only way. `oversubscribed` is true if ranks share cores.
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
            walk.start_after_own(items.phase(walk.item).index_origins()?, plan.me.rank);
        }
        let count = receiving.peers().len();
        let heads = vec![StreamHead::Nothing; count];
        let packets = (0..count).map(|_| None).collect();
        let device_reads = DeviceReads { buffers: vec![Vec::new(); count], ..DeviceReads::default() };
        Some(Self {
            heads,
            walks,
            starved: false,
            packets,
            device_reads,
            holders: Vec::new(),
            layouts: Vec::new(),
        })
    }

    /// Returns an exposed array in a device's memory that could not be read since the last call.
    pub fn take_failed(&mut self) -> Option<Arc<DeviceArray>> {
        self.device_reads.failed.take()
    }

    pub fn is_done(&self) -> bool {
        self.walks.is_empty()
    }

    /// Expects further packets, and writes about [`STRIP_BYTES`] from the slots that have arrived. Returns whether it
    /// wrote anything.
    pub fn advance<T: Transport>(
        &mut self,
        transport: &mut T,
        receiving: &mut Cursor,
        items: &mut Items<'_>,
        copier: &Copier,
        scratch: &mut Piece,
    ) -> Result<bool, T::Error> {
        self.expect_packets(transport, receiving, items, scratch)?;
        self.accept_arrivals(transport, items, copier, scratch)?;
        if self.starved {
            return Ok(false);
        }
        let (mut any, mut left) = (false, STRIP_BYTES);
        while left > 0 {
            let Some(walk) = self.walks.last() else { break };
            let load = &mut items.loads[walk.item];
            let written = self.write_columns(load, items.phase, &*transport, copier, left);
            self.release_used(transport);
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

    /// Expects the next packet of each stream that expects none.
    fn expect_packets<T: Transport>(
        &mut self,
        transport: &mut T,
        receiving: &mut Cursor,
        items: &Items<'_>,
        scratch: &mut Piece,
    ) -> Result<(), T::Error> {
        for (k, head) in self.heads.iter_mut().enumerate().filter(|(_, head)| **head == StreamHead::Nothing) {
            let Some(packet) = receiving.peek_at(k, items, transport, scratch) else { continue };
            let (peer, bytes) = (packet.peer, packet.bytes);
            if let Some(slot) = transport.expect(peer, bytes, None)? {
                self.packets[k] = receiving.take_at(k);
                *head = StreamHead::Expected(slot, bytes);
            }
        }
        Ok(())
    }

    /// Takes all slots that have arrived, and answers their senders.
    fn accept_arrivals<T: Transport>(
        &mut self,
        transport: &mut T,
        items: &mut Items<'_>,
        copier: &Copier,
        scratch: &mut Piece,
    ) -> Result<(), T::Error> {
        while let Some(slot) = transport.arrived()? {
            let expected = |head: &StreamHead| matches!(head, StreamHead::Expected(at, _) if *at == slot);
            let mut heads = self.heads.iter_mut().enumerate();
            let (k, head) = heads.find(|(_, head)| expected(head)).expect("an expected message");
            let StreamHead::Expected(_, bytes) = *head else { unreachable!("it is expected") };
            *head = StreamHead::Arrived(slot, 0, bytes);
            let packet = self.packets[k].take().expect("a packet is expected");
            if let Some(fragment) = packet.single() {
                transport.answer(slot, items.loads[fragment.item].ends().2);
            }
            match transport.exposed(slot).filter(|array| array.device().is_some()) {
                Some(array) => self.device_reads.read(k, &packet, &array, (items, copier, scratch)),
                None => self.device_reads.buffers[k].clear(),
            }
            self.starved = false;
        }
        Ok(())
    }

    /// Releases the slots whose bytes are all used.
    fn release_used<T: Transport>(&mut self, transport: &mut T) {
        for head in &mut self.heads {
            if let StreamHead::Arrived(slot, at, end) = *head {
                if at == end {
                    transport.release(slot);
                    *head = StreamHead::Nothing;
                }
            }
        }
    }

    /// Writes the next columns that have the same sources, about `max_bytes`; a part of a column if the rest has not
    /// arrived. Returns the number of bytes written.
    fn write_columns<T: Transport>(
        &mut self,
        load: &mut Load<'_>,
        phase: usize,
        transport: &T,
        copier: &Copier,
        max_bytes: usize,
    ) -> usize {
        let Self { heads, walks, device_reads, holders, layouts, .. } = self;
        let Some(walk) = walks.last_mut() else { return 0 };
        let past_caches = writes_past_caches(load);
        let (plan, source, to) = load.ends();
        let dims = plan.phases.list[phase].index_origins().expect("runs are listed before gathering");
        let next = walk.next_columns(dims, to.shape(), holders);
        let max_columns = u64::try_from(max_bytes / walk.bytes).expect("usize fits in u64").max(1);
        let columns = complete_columns(walk, holders, heads, index(next.columns.min(max_columns)));
        let some_missing = || holders.iter().any(|holder| available_bytes(heads, holder) == 0);
        if columns == 0 && walk.written == 0 && some_missing() {
            return 0;
        }
        let buffers = &device_reads.buffers;
        let find = |holder| LineSource::find(holder, (heads, buffers), source, transport);
        let sources: Vec<LineSource> = holders.iter().map(find).collect();
        layouts.clear();
        layouts.extend(sources.iter().map(|source| source.layout(walk)));
        let input = |(source, &part)| LineSource::input(source, walk, dims, part);
        let inputs: Vec<LineInput> = sources.iter().zip(&walk.parts).map(input).collect();
        let (parts, written) = (walk.parts.clone(), walk.written);
        let line = walk.line(dims, to.shape(), plan.element, layouts);
        let (taken, moved) = if columns > 0 {
            copier.gather(to, line, (next.to, next.step, columns), &inputs, past_caches);
            (parts.iter().map(|part| part * columns).collect(), columns * line.bytes())
        } else {
            let available: Vec<_> = holders
                .iter()
                .zip(layouts.iter())
                .map(|(holder, layout)| (available_bytes(heads, holder), *layout == SourceLayout::Packed))
                .collect();
            let part = line.part(written, &available);
            if part.bytes() > 0 {
                copier.gather(to, &part, (next.to, 0, 1), &inputs, past_caches);
            }
            (part.taken(), part.bytes())
        };
        for (holder, taken) in holders.iter().zip(taken) {
            if let Holder::Stream(k) = *holder {
                if let StreamHead::Arrived(_, at, _) = &mut heads[k] {
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
        (items, copier, piece): (&Items<'_>, &Copier, &mut Piece),
    ) {
        let fragment = packet.single().expect("an exposed array is in a packet of its own");
        let phase = items.phase(fragment.item);
        Direction::Receive.product(phase, fragment, piece);
        let product = self.products.product(phase, (fragment.item, fragment.message));
        let buffer = &mut self.buffers[k];
        buffer.resize(packet.bytes, 0);
        copier.read(product, piece, phase.problem.part, array, buffer);
        self.failed = array.failed_device().cloned().or(self.failed.take());
    }
}

/// A source of a line: this rank's array, an exposed array, or packed bytes.
enum LineSource<'t> {
    Own(&'t Source<'t>),
    Exposed(Source<'t>),
    Bytes(&'t [u8]),
}

impl<'t> LineSource<'t> {
    /// Returns the unused elements of `holder`: `own` if this rank has them; else the bytes of the stream's slot, its
    /// exposed array, or the buffer into which a device has packed that array.
    fn find<T: Transport>(
        holder: &Holder,
        (heads, buffers): (&[StreamHead], &'t [Vec<u8>]),
        own: Option<&'t Source<'t>>,
        transport: &'t T,
    ) -> Self {
        let Holder::Stream(k) = *holder else {
            return Self::Own(own.expect("a rank that keeps something has a source"));
        };
        let StreamHead::Arrived(slot, at, end) = heads[k] else { return Self::Bytes(&[]) };
        match transport.exposed(slot) {
            Some(_) if !buffers[k].is_empty() => Self::Bytes(&buffers[k][at..end]),
            Some(array) => Self::Exposed(array),
            None => Self::Bytes(&transport.received(slot)[at..end]),
        }
    }

    fn layout(&self, walk: &GatherWalk) -> SourceLayout {
        self.array().map_or(SourceLayout::Packed, |array| walk.source_layout(array.shape()))
    }

    /// Returns the kernel's input from the next column on. A packed source has `part` bytes of each column.
    fn input(&self, walk: &GatherWalk, dims: &[Merged], part: usize) -> LineInput<'_> {
        match (self, self.array()) {
            (_, Some(array)) => {
                let (at, step) = walk.source_offset(dims, array.shape());
                LineInput::Array(array, at, step)
            }
            (Self::Bytes(bytes), _) => LineInput::Packed(bytes, part),
            _ => unreachable!("an array or bytes"),
        }
    }

    fn array(&self) -> Option<&Source<'t>> {
        match self {
            Self::Own(array) => Some(array),
            Self::Exposed(array) => Some(array),
            Self::Bytes(_) => None,
        }
    }
}

fn available_bytes(heads: &[StreamHead], holder: &Holder) -> usize {
    match *holder {
        Holder::Own => usize::MAX,
        Holder::Stream(k) => match heads[k] {
            StreamHead::Arrived(_, at, end) => end - at,
            _ => 0,
        },
    }
}

/// Returns how many of the next `max_columns` columns have arrived completely; 0 if a column is partly written.
fn complete_columns(
    walk: &GatherWalk,
    holders: &[Holder],
    heads: &[StreamHead],
    max_columns: usize,
) -> usize {
    if walk.written > 0 {
        return 0;
    }
    let of_each = holders.iter().zip(&walk.parts).map(|(holder, part)| available_bytes(heads, holder) / part);
    of_each.fold(max_columns, usize::min)
}

/// Returns whether an array can and should be gathered: as the plan prefers, otherwise if it is assumed to lie in
/// memory. The pieces of a transposed problem are cut in two dimensions, so they are not in the order of addresses.
fn should_gather(load: &Load<'_>) -> bool {
    let copied = load.destination.as_ref().is_none_or(|destination| destination.update().is_none());
    let ordered = !load.plan.problem.is_transposed;
    let on_host = load.devices().next().is_none();
    copied
        && ordered
        && on_host
        && load.plan.gather.unwrap_or_else(|| is_in_memory(load))
        && load.plan.problem.part == Part::Whole
}

/// Returns whether destination and section are so large that they are assumed to lie in memory, not in caches.
fn is_in_memory(load: &Load<'_>) -> bool {
    let bytes = load.destination.as_ref().map_or(0, |destination| destination.shape().bytes());
    bytes >= MIN_DESTINATION_BYTES && load.plan.problem.bytes(load.plan.element as u64) >= MIN_SECTION_BYTES
}

fn writes_past_caches(load: &Load<'_>) -> bool {
    let untouched = load.destination.as_ref().is_some_and(Destination::is_untouched);
    load.plan.gather == Some(true) || is_in_memory(load) && !untouched
}
