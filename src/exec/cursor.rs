//! WHICH piece is next, in one direction? Walks over the messages of one rank, a stream for each peer, by turns or as its user
//! asks for them. Sender and receiver of a stream walk alike.

use super::state::Items;
use super::stream::{Direction, Packet, Stream, streams};
use crate::layout::distribution::Rank;
use crate::plan::Piece;
use crate::plan::planned::PieceOrder;
use crate::transport::Transport;
use std::collections::VecDeque;

/// Walks over the packets of one direction.
pub struct Cursor {
    direction: Direction,
    streams: Vec<Stream>,
    order: PieceOrder,
    /// Streams that had a turn.
    begun: usize,
    /// Those of them that have more, in the order of their turns.
    open: VecDeque<usize>,
    /// Whose turn it is.
    current: Option<usize>,
}

impl Cursor {
    /// All messages of `items` in that direction.
    #[inline]
    pub fn new(direction: Direction, items: &Items<'_>, order: PieceOrder) -> Self {
        Self {
            direction,
            streams: streams(direction, items),
            order,
            begun: 0,
            open: VecDeque::new(),
            current: None,
        }
    }

    /// Back to the first message: nothing is cut.
    pub fn rewind(&mut self) {
        self.streams.iter_mut().for_each(Stream::rewind);
        (self.begun, self.current) = (0, None);
        self.open.clear();
    }

    /// Whether nothing more was found.
    pub fn is_done(&self) -> bool {
        self.streams.iter().all(Stream::is_done)
    }

    /// The next packet by turns, cut for `transport`. What `scratch` holds does not matter.
    #[inline]
    pub fn peek<T: Transport>(
        &mut self,
        items: &Items<'_>,
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Packet> {
        // Who waits asks often: it costs nothing to hear that there is no more.
        if self.current.is_none() && (self.begun < self.streams.len() || !self.open.is_empty()) {
            self.find(items, transport, scratch);
        }
        self.streams[self.current?].next.as_ref()
    }

    /// Looks for the next packet.
    fn find<T: Transport>(&mut self, items: &Items<'_>, transport: &T, scratch: &mut Piece) {
        while let Some(k) = self.turn() {
            if self.peek_at(k, items, transport, scratch).is_some() {
                self.current = Some(k);
                return;
            }
        }
    }

    /// The packet that `peek` showed.
    #[inline]
    pub fn take(&mut self) -> Option<Packet> {
        let k = self.current.take()?;
        let packet = self.streams[k].next.take();
        if !self.streams[k].is_done() {
            self.open.push_back(k);
        }
        packet
    }

    /// The stream whose turn it is: one that is not begun yet, by message only after the one before.
    fn turn(&mut self) -> Option<usize> {
        let fresh = self.order == PieceOrder::ByRegion || self.open.is_empty();
        if !fresh || self.begun == self.streams.len() {
            return self.open.pop_front();
        }
        self.begun += 1;
        Some(self.begun - 1)
    }

    /// The peers, one a stream.
    pub fn peers(&self) -> impl ExactSizeIterator<Item = Rank> {
        self.streams.iter().map(|stream| stream.peer)
    }

    /// How many streams.
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// The peer of stream number `k`.
    pub fn peer(&self, k: usize) -> Rank {
        self.streams[k].peer
    }

    /// Whether nothing more was found in stream number `k`.
    pub fn is_done_at(&self, k: usize) -> bool {
        self.streams[k].is_done()
    }

    /// The next packet of stream number `k`, where nobody asks by turns.
    #[inline]
    pub fn peek_at<T: Transport>(
        &mut self,
        k: usize,
        items: &Items<'_>,
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Packet> {
        let stream = &mut self.streams[k];
        if stream.next.is_none() {
            let capacity = transport.capacity(stream.peer);
            stream.next = self.direction.packet(stream, items, capacity, scratch);
        }
        stream.next.as_ref()
    }

    /// The packet that `peek_at` showed.
    pub fn take_at(&mut self, k: usize) -> Option<Packet> {
        self.streams[k].next.take()
    }
}
