//! Numbers of messages and bytes of a node, by kind.

use std::ops::{AddAssign, Sub};

/// A number of messages, and their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Volume {
    /// Number of these messages, each counted once.
    pub messages: u64,
    /// Bytes of all these messages.
    pub bytes: u64,
}

/// Messages of one kind of a node in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Part {
    /// Messages to, or from, other nodes.
    pub between: Volume,
    /// Messages to, or from, all other ranks, those of the node included.
    pub with_own: Volume,
    /// Maxima over the node's ranks, messages within the node included. They may belong to different ranks.
    pub busiest: Volume,
}

/// Messages of a node in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flow {
    /// Early and long messages together.
    pub all: Part,
    /// Early messages: those of at most the bytes that the tally was made for.
    pub early: Part,
    /// Messages that are not early.
    pub long: Part,
    /// Number of other nodes at the other end of a message.
    pub nodes: u64,
    /// Number of other nodes at the other end of an early message.
    pub early_nodes: u64,
}

/// Messages to, from and within one node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NodeTally {
    /// Messages that the ranks of the node send.
    pub sent: Flow,
    /// Messages that they receive.
    pub received: Flow,
    /// Messages between ranks of the node.
    pub within: Volume,
    /// Bytes that ranks of the node keep.
    pub kept: u64,
}

impl Volume {
    pub(super) fn max(self, other: Self) -> Self {
        Self { messages: self.messages.max(other.messages), bytes: self.bytes.max(other.bytes) }
    }
}

impl Flow {
    pub(super) fn parts(&mut self) -> [&mut Part; 3] {
        [&mut self.all, &mut self.early, &mut self.long]
    }
}

/// Messages by kind: all, early and long ones.
pub(super) type Kinds = [Volume; 3];

impl AddAssign for Volume {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}

impl Sub for Volume {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { messages: self.messages - other.messages, bytes: self.bytes - other.bytes }
    }
}

/// Adds `more` to `sum`, kind by kind.
pub(super) fn add(sum: &mut Kinds, more: &Kinds) {
    sum.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
}
