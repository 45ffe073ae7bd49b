//! WHAT does this rank send, receive and copy, in which order?
//!
//! A leg holds this rank's messages of one redistribution only. A message is a product: in each dimension the indices that two coordinates share,
//! so messages refer to index sets in small tables, one per dimension. It never holds pointers, so one leg serves every
//! call with the same [`Problem`].

pub(crate) mod aliasing;
mod boxes;
mod flats;
pub(crate) mod interleaved;
mod irregular;
mod merged;
mod partners;
mod pieces;
pub mod planned;
mod product;
pub mod relabel;
mod route;
mod spread;
mod steps;
pub mod topology;

pub use boxes::{BoxShare, SectionBox, SectionBoxes, ToldBoxes};
pub use flats::{Flats, KnownFlats, Letter};
pub use irregular::{Combining, ListedMessage, ListedMessages, Stages, Writing};
pub use merged::{Merged, Stretch};
use partners::Partners;
pub use pieces::{Piece, Pieces};
pub use product::{Product, Share, Strips};
pub use route::{Both, Route, Told};
use steps::{Steps, moves};

use crate::layout::distribution::Rank;
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use crate::layout::strides::ArrayView;
use crate::schedule::order::Order;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// One rank's part of a redistribution.
#[derive(Debug)]
pub struct Leg {
    /// What moves.
    pub problem: Problem,
    /// Where this rank stands in it.
    pub me: Place,
    /// What this rank sends to others, in the order of the steps.
    pub sends: LegSide,
    /// What this rank receives from others, in the order of the steps.
    pub receives: LegSide,
    /// What this rank holds before and after: local indices in both arrays.
    pub copy: Option<Kept>,
    /// Elements that this rank holds before and after, too, and that are written to their places when the leg is done.
    pub apart: u64,
    /// Whether each message is sent whole: at most one goes from one rank to another. The same on all ranks.
    pub whole: bool,
    /// What comes along each dimension, once it was asked for.
    merged: OnceLock<Option<Vec<Merged>>>,
    /// Of messages to this rank, by number: where their elements are in both arrays, once that was asked for.
    both: Mutex<BTreeMap<usize, Arc<Both>>>,
}

/// The messages of one direction.
#[derive(Default, Debug)]
pub struct LegSide {
    /// Of each dimension, what is shared with each partner coordinate.
    shares: Vec<Vec<Share<1>>>,
    /// Of each message, and of each dimension, which of `shares`.
    which: Vec<u32>,
    /// In the order of the steps.
    pub messages: Vec<Message>,
    /// Where in the storage the arrays lie that messages have a view of.
    views: Arc<[ArrayView]>,
}

/// What a rank keeps for itself: a product, or one for each two boxes that meet.
#[derive(Debug)]
pub struct Kept {
    shares: Vec<Vec<Share<2>>>,
    /// Of each product, and of each dimension, which of `shares`.
    which: Vec<u32>,
    /// Of each product, which of the views of the source and of the destination, if these have any.
    views: Vec<[Option<usize>; 2]>,
}

/// A message to or from `peer`, or part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The other rank.
    pub peer: Rank,
    /// The step that it travels in.
    pub step: u64,
    /// Where its entries in [`LegSide::which`] begin.
    at: usize,
    part: MessagePart,
    /// Which view of the storage it belongs to, if that is no array by itself.
    view: Option<usize>,
}

/// A part of a message: from `from` / `of` of it on, up to `to` / `of`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MessagePart {
    from: u64,
    to: u64,
    of: u64,
}

impl MessagePart {
    const WHOLE: Self = Self { from: 0, to: 1, of: 1 };
}

impl LegSide {
    /// The elements that `message` belongs to, in local indices of this side's array.
    pub fn product(&self, message: &Message) -> Product<'_, 1> {
        Product { shares: &self.shares, which: self.which(message) }
    }

    /// Of each dimension, which of the partner coordinates `message` is exchanged with.
    pub fn which(&self, message: &Message) -> &[u32] {
        &self.which[message.at..message.at + self.shares.len()]
    }

    /// The array in the storage that `message` belongs to, if the storage is no array by itself.
    pub fn view(&self, message: &Message) -> Option<&ArrayView> {
        message.view.map(|view| &self.views[view])
    }

    /// All arrays in the storage that messages may belong to.
    pub fn views(&self) -> &[ArrayView] {
        &self.views
    }

    /// What the messages have in dimension `d`, of any of them.
    pub fn shares(&self, d: usize) -> &[Share<1>] {
        self.shares.get(d).map_or(&[], Vec::as_slice)
    }

    /// Makes `piece` the positions of the product that `message` carries: all, or a part of the last dimension that has
    /// several.
    pub fn positions(&self, message: &Message, piece: &mut Piece) {
        piece.set(self.product(message).whole());
        let MessagePart { from, to, of } = message.part;
        let cut = |total: u64, at: u64| {
            let place = u128::from(total) * u128::from(at) / u128::from(of);
            u64::try_from(place).expect("a part of a u64 fits in a u64")
        };
        if message.part != MessagePart::WHOLE {
            piece.cut(|all| cut(all.end, from)..cut(all.end, to));
        }
    }
}

impl Kept {
    /// How many products: at least one.
    pub fn count(&self) -> usize {
        self.views.len()
    }

    /// The elements of product number `k`, in local indices of the source (coordinate 0) and of the destination.
    pub fn product(&self, k: usize) -> Product<'_, 2> {
        let dims = self.shares.len();
        Product { shares: &self.shares, which: &self.which[k * dims..(k + 1) * dims] }
    }

    /// All of them.
    pub fn products(&self) -> impl Iterator<Item = Product<'_, 2>> {
        (0..self.count()).map(|k| self.product(k))
    }
}

/// Where a rank stands in a redistribution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The rank itself.
    pub rank: Rank,
    /// Its place in the source's grid.
    pub from: Option<Vec<u32>>,
    /// Its place in the destination's grid.
    pub to: Option<Vec<u32>>,
    /// Ranks in the enclosing communicator.
    pub ranks: u32,
}

impl Place {
    /// The place of `rank`, one of `ranks`, in a problem. Costs no more than a look at the grids.
    pub fn of(problem: &Problem, rank: Rank, ranks: u32) -> Self {
        Self { rank, from: problem.from.find(rank), to: problem.to.find(rank), ranks }
    }

    /// Ranks from the sender of a message on to its receiver.
    pub fn ahead(&self, sender: Rank, receiver: Rank) -> u32 {
        (receiver.0 + self.ranks - sender.0) % self.ranks
    }
}

impl Leg {
    /// That of the rank at `me`, whose messages go in the given order, whole or not. Costs time and
    /// memory in proportion to that rank's own messages.
    pub fn new(problem: Problem, me: &Place, (order, whole): (&dyn Order, bool)) -> Self {
        let sends = me.from.as_ref().map(|at| Partners::new(&problem, (at, true), |_, _| None));
        // What the rank shares with itself was found then.
        let own = |d: usize| sends.as_ref()?.share(d, me.to.as_ref()?[d]);
        let known = |d: usize, coord| own(d).filter(|_| me.from.as_ref().is_some_and(|at| at[d] == coord));
        let receives = me.to.as_ref().map(|at| Partners::new(&problem, (at, false), known));
        let copy = me.from.as_ref().zip(receives.as_ref()).and_then(|(at, receives)| {
            let both = |(d, dim): (usize, &Overlap)| {
                Some(Share::of_both([own(d)?, receives.share(d, at[d])?], [&dim.from, &dim.to]))
            };
            kept(&problem, problem.dims.iter().enumerate().map(both).collect::<Option<_>>()?)
        });
        let steps = Steps { problem: &problem, me, order };
        let sends = me.from.as_ref().zip(sends).map(|(at, partners)| steps.sends(at, partners));
        let receives = me.to.as_ref().zip(receives).map(|(at, partners)| steps.receives(at, partners));
        let (sends, receives) = (sends.unwrap_or_default(), receives.unwrap_or_default());
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart: 0, whole, merged, both }
    }

    /// Whether the rank holds anything before and after.
    pub fn keeps(&self) -> bool {
        self.copy.is_some() || self.apart > 0
    }

    /// Messages that the rank sends, and that it receives, where those between boxes that travel together are one.
    pub fn counts(&self) -> [u64; 2] {
        [&self.sends, &self.receives].map(|side| match self.problem.in_boxes() {
            false => side.messages.len() as u64,
            true => side.messages.chunk_by(|a, b| a.peer == b.peer).count() as u64,
        })
    }

    /// The arrays in both storages that product number `k` of what the rank keeps belongs to, where these are no arrays by themselves.
    pub fn kept_views(&self, k: usize) -> [Option<&ArrayView>; 2] {
        let [from, to] = self.copy.as_ref().map_or([None; 2], |kept| kept.views[k]);
        [from.map(|view| &self.sends.views[view]), to.map(|view| &self.receives.views[view])]
    }
}

/// What a rank has before and after, whose places share so much along each dimension.
fn kept(problem: &Problem, shares: Vec<Share<2>>) -> Option<Kept> {
    moves(problem.part, shares.iter()).then(|| {
        let shares: Vec<_> = shares.into_iter().map(|share| vec![share]).collect();
        Kept { which: vec![0; shares.len()], shares, views: vec![[None; 2]] }
    })
}

#[cfg(test)]
mod tests;
