//! WHICH piece is next, in one direction? Walks over the messages of one rank, a stream for each peer, by turns or as its user
//! asks for them. Sender and receiver of a stream walk alike.

use super::Items;
use super::stream::{Direction, Stream, Work, streams};
use crate::layout::Rank;
use crate::plan::Piece;
use crate::planned::Turns;
use crate::transport::Transport;
use std::collections::VecDeque;

/// Walks over the works of one direction.
pub struct Cursor {
    direction: Direction,
    streams: Vec<Stream>,
    turns: Turns,
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
    pub fn new(direction: Direction, items: &Items<'_>, turns: Turns) -> Self {
        Self {
            direction,
            streams: streams(direction, items),
            turns,
            begun: 0,
            open: VecDeque::new(),
            current: None,
        }
    }

    /// Whether nothing more was found.
    pub fn is_done(&self) -> bool {
        self.streams.iter().all(Stream::is_done)
    }

    /// The next work by turns, cut for `transport`. What `scratch` holds does not matter.
    pub fn peek<T: Transport>(
        &mut self,
        items: &Items<'_>,
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Work> {
        while self.current.is_none() {
            let k = self.turn()?;
            if self.peek_at(k, items, transport, scratch).is_some() {
                self.current = Some(k);
            }
        }
        self.streams[self.current?].next.as_ref()
    }

    /// The work that `peek` showed.
    pub fn take(&mut self) -> Option<Work> {
        let k = self.current.take()?;
        let work = self.streams[k].next.take();
        if !self.streams[k].is_done() {
            self.open.push_back(k);
        }
        work
    }

    /// The stream whose turn it is: one that is not begun yet, by message only after the one before.
    fn turn(&mut self) -> Option<usize> {
        let fresh = self.turns == Turns::ByRegion || self.open.is_empty();
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

    /// The next work of stream number `k`, where nobody asks by turns.
    pub fn peek_at<T: Transport>(
        &mut self,
        k: usize,
        items: &Items<'_>,
        transport: &T,
        scratch: &mut Piece,
    ) -> Option<&Work> {
        let stream = &mut self.streams[k];
        if stream.next.is_none() {
            let capacity = transport.capacity(stream.peer);
            stream.next = self.direction.work(stream, items, capacity, scratch);
        }
        stream.next.as_ref()
    }

    /// The work that `peek_at` showed.
    pub fn take_at(&mut self, k: usize) -> Option<Work> {
        self.streams[k].next.take()
    }
}
