//! Order of the packets in one direction: a stream per peer, taken in turns or as the caller selects. Both ends of a
//! stream take its packets in the same order.

use super::items::Items;
use super::stream::{Direction, Packet, Stream, streams};
use crate::layout::distribution::Rank;
use crate::plan::Piece;
use crate::plan::rank_plan::PieceOrder;
use crate::transport::Transport;
use std::collections::VecDeque;

pub struct Cursor {
    direction: Direction,
    streams: Vec<Stream>,
    /// Number of streams whose end has not been found.
    unfinished: usize,
    order: PieceOrder,
    /// Number of streams that have had a turn.
    begun: usize,
    /// Streams that have begun and may have more packets, in the order of their turns.
    open: VecDeque<usize>,
    /// Stream of the packet that `peek` returned last, if it has not been taken.
    current: Option<usize>,
}

impl Cursor {
    #[inline]
    pub fn new(direction: Direction, items: &Items<'_>, order: PieceOrder) -> Self {
        let streams = streams(direction, items);
        Self {
            direction,
            unfinished: streams.len(),
            streams,
            order,
            begun: 0,
            open: VecDeque::new(),
            current: None,
        }
    }

    pub fn rewind(&mut self) {
        self.streams.iter_mut().for_each(Stream::rewind);
        (self.unfinished, self.begun, self.current) = (self.streams.len(), 0, None);
        self.open.clear();
    }

    /// Decides which streams travel early: those of at most `limit` bytes.
    pub fn decide_early(&mut self, items: &Items<'_>, limit: usize, scratch: &mut Piece) {
        self.streams.iter_mut().for_each(|stream| self.direction.decide_early(stream, items, limit, scratch));
    }

    /// Returns whether an early stream may have a packet that was not taken.
    pub fn has_early(&self) -> bool {
        self.unfinished > 0 && self.streams.iter().any(|stream| stream.early && !stream.is_done())
    }

    pub fn is_early(&self, k: usize) -> bool {
        self.streams[k].early
    }

    /// Returns whether a search has found the end of every stream.
    pub fn is_done(&self) -> bool {
        self.unfinished == 0
    }

    /// Returns the next packet in turn, cut for `transport`. Overwrites `scratch`.
    #[inline]
    pub fn peek<T: Transport>(
        &mut self,
        items: &Items<'_>,
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Packet> {
        // This is polled often while the rank waits, so the negative answer must be cheap.
        if self.current.is_none() && (self.begun < self.streams.len() || !self.open.is_empty()) {
            self.find(items, transport, scratch);
        }
        self.streams[self.current?].next.as_ref()
    }

    fn find<T: Transport>(&mut self, items: &Items<'_>, transport: &T, scratch: &mut Piece) {
        while let Some(k) = self.turn() {
            if self.peek_at(k, items, transport, scratch).is_some() {
                self.current = Some(k);
                return;
            }
        }
    }

    /// Takes the packet that `peek` returned.
    #[inline]
    pub fn take(&mut self) -> Option<Packet> {
        let k = self.current.take()?;
        let packet = self.take_at(k);
        if !self.streams[k].is_done() {
            self.open.push_back(k);
        }
        packet
    }

    /// Chooses the next stream. Ordered by region, all streams begin, and then take turns. Ordered by message, a stream
    /// begins only if no stream is open.
    fn turn(&mut self) -> Option<usize> {
        let fresh = self.order == PieceOrder::ByRegion || self.open.is_empty();
        if !fresh || self.begun == self.streams.len() {
            return self.open.pop_front();
        }
        self.begun += 1;
        Some(self.begun - 1)
    }

    pub fn peers(&self) -> impl ExactSizeIterator<Item = Rank> {
        self.streams.iter().map(|stream| stream.peer)
    }

    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    pub fn peer(&self, k: usize) -> Rank {
        self.streams[k].peer
    }

    /// Returns whether a search has found the end of stream `k`.
    pub fn is_done_at(&self, k: usize) -> bool {
        self.streams[k].is_done()
    }

    /// Returns the next packet of stream `k`, regardless of turns.
    #[inline]
    pub fn peek_at<T: Transport>(
        &mut self,
        k: usize,
        items: &Items<'_>,
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Packet> {
        let stream = &mut self.streams[k];
        if stream.next.is_none() && !stream.is_done() {
            let capacity = if stream.early { usize::MAX } else { transport.capacity(stream.peer) };
            stream.next = self.direction.packet(stream, items, capacity, scratch);
            self.unfinished -= usize::from(stream.is_done());
        }
        stream.next.as_ref()
    }

    /// Takes the packet that `peek_at` returned.
    pub fn take_at(&mut self, k: usize) -> Option<Packet> {
        let packet = self.streams[k].next.take()?;
        self.unfinished -= usize::from(self.streams[k].is_done());
        Some(packet)
    }
}
