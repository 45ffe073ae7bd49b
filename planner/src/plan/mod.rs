//! One rank's messages and self copies of a redistribution, in the order of its steps.
//!
//! A [`RankPhase`] is one phase: a single redistribution with its schedule, restricted to this rank. [`Phases`] lists
//! all phases of a redistribution. A message is a product: in each dimension, the indices that two coordinates share.
//! Messages therefore refer to index sets in small tables, one per dimension. A phase holds no addresses of arrays, so
//! it serves every call with an equal [`Problem`].

mod boxes;
mod irregular;
mod merged;
mod partners;
mod phases;
mod pieces;
mod product;
mod rank_phase;
pub mod relabel;
mod spread;
mod steps;
pub mod topology;

pub use boxes::{BoxShare, ReceivedBoxes, SectionBox, SectionBoxes};
pub use irregular::{ListedMessage, ListedMessages};
pub use merged::{Merged, Stretch};
pub use phases::{Phases, Received};
pub use pieces::{Piece, Pieces};
pub use product::{Product, Share, Strips};
pub use rank_phase::{Both, RankPhase};

use crate::layout::distribution::Rank;
use crate::layout::problem::Problem;
use crate::layout::strides::ArrayView;
use std::sync::Arc;

/// All messages of one rank in one direction.
#[derive(Default, Debug)]
pub struct PhaseSide {
    /// Per dimension, a table of index sets. Without boxes, each is shared with one partner coordinate.
    shares: Vec<Vec<Share<1>>>,
    /// Per message and dimension, the entry of `shares`.
    which: Vec<u32>,
    /// The messages, in the order of the steps.
    pub messages: Vec<Message>,
    /// The parts that messages are cut into.
    parts: Vec<MessagePart>,
    /// Arrays of the storage, which messages refer to by number; empty if the storage is a single array.
    views: Arc<[ArrayView]>,
}

/// The self copy of a rank: one product, or one per pair of boxes that intersect.
#[derive(Debug)]
pub struct SelfCopy {
    shares: Vec<Vec<Share<2>>>,
    /// Per product and dimension, the entry of `shares`.
    which: Vec<u32>,
    /// Per product, the numbers of its arrays in the `views` of the sends (source) and of the receives (destination).
    views: Vec<[Option<usize>; 2]>,
}

/// A message to or from `peer`, or a part of one. Small, since a rank may have 100,000 messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The rank at the other end.
    pub peer: Rank,
    /// Its step in the schedule.
    pub step: u64,
    /// First entry of this message in [`PhaseSide::which`].
    at: u32,
    /// Number of its part in [`PhaseSide::parts`], if the message is cut.
    part: Option<u32>,
    /// Number of the array in [`PhaseSide::views`] that it refers to, if the storage consists of several arrays.
    view: Option<u32>,
}

/// A part of a message: the fraction from `from / of` to `to / of`.
#[derive(Clone, Copy, Debug)]
struct MessagePart {
    from: u64,
    to: u64,
    of: u64,
}

/// Returns a number of messages, shares or arrays as 32 bits.
fn small(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32")
}

impl PhaseSide {
    /// Returns the elements of `message`, in local indices of this side's array.
    #[inline]
    pub fn product(&self, message: &Message) -> Product<'_, 1> {
        Product { shares: &self.shares, which: self.share_numbers(message) }
    }

    /// Returns the entry of [`PhaseSide::shares`] that `message` refers to, per dimension.
    #[inline]
    pub fn share_numbers(&self, message: &Message) -> &[u32] {
        let at = message.at as usize;
        &self.which[at..at + self.shares.len()]
    }

    /// Returns the array that `message` refers to, if the storage consists of several arrays.
    #[inline]
    pub fn view(&self, message: &Message) -> Option<&ArrayView> {
        message.view.map(|view| &self.views[view as usize])
    }

    /// Returns all arrays of the storage that messages may refer to.
    #[inline]
    pub fn views(&self) -> &[ArrayView] {
        &self.views
    }

    /// Returns the index sets of all messages in dimension `d`.
    #[inline]
    pub fn shares(&self, d: usize) -> &[Share<1>] {
        self.shares.get(d).map_or(&[], Vec::as_slice)
    }

    /// Sets `piece` to the positions of the product in `message`: all, or a range of the last dimension that has
    /// several positions.
    pub fn positions(&self, message: &Message, piece: &mut Piece) {
        piece.set(self.product(message).whole());
        let Some(part) = message.part else { return };
        let MessagePart { from, to, of } = self.parts[part as usize];
        let cut = |total: u64, at: u64| {
            let place = u128::from(total) * u128::from(at) / u128::from(of);
            u64::try_from(place).expect("a part of a u64 fits in a u64")
        };
        piece.cut(|all| cut(all.end, from)..cut(all.end, to));
    }
}

impl SelfCopy {
    /// Returns the number of products, which is at least 1.
    #[inline]
    pub fn count(&self) -> usize {
        self.views.len()
    }

    /// Returns product `k`, in local indices of the source (coordinate 0) and of the destination (coordinate 1).
    #[inline]
    pub fn product(&self, k: usize) -> Product<'_, 2> {
        let dims = self.shares.len();
        Product { shares: &self.shares, which: &self.which[k * dims..(k + 1) * dims] }
    }

    /// Iterates over all products of the self copy.
    pub fn products(&self) -> impl Iterator<Item = Product<'_, 2>> {
        (0..self.count()).map(|k| self.product(k))
    }
}

/// A rank's coordinates in a redistribution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The rank itself, in the enclosing communicator.
    pub rank: Rank,
    /// Its coordinates in the source's grid, if it is in that grid.
    pub from: Option<Vec<u32>>,
    /// Its coordinates in the destination's grid, if it is in that grid.
    pub to: Option<Vec<u32>>,
    /// Number of ranks in the enclosing communicator.
    pub ranks: u32,
}

impl Place {
    /// Returns the place of `rank` in `problem`; the communicator has `ranks` ranks. Costs one search of each grid.
    pub fn of(problem: &Problem, rank: Rank, ranks: u32) -> Self {
        Self { rank, from: problem.from.find(rank), to: problem.to.find(rank), ranks }
    }

    /// Returns the distance from the sender to the receiver of a message, modulo the number of ranks.
    pub fn rank_distance(&self, sender: Rank, receiver: Rank) -> u32 {
        (receiver.0 + self.ranks - sender.0) % self.ranks
    }
}

#[cfg(test)]
mod tests;
