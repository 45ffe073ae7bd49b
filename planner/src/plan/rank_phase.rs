//! One rank's part of one phase, and its construction from a schedule.

use super::partners::Partners;
use super::steps::{Steps, moves_any};
use super::{Merged, PhaseSide, Place, SelfCopy, Share};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use crate::layout::strides::{ArrayView, Shape};
use crate::schedule::order::Order;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Local indices of a message in the sender's and in this rank's array: per dimension, a table with one entry.
pub type Both = Vec<Vec<Share<2>>>;

/// Maximum number of stretches that are listed per dimension; each takes 40 bytes.
const MAX_STRETCHES: u64 = 1 << 16;

/// One rank's part of one phase.
#[derive(Debug)]
pub struct RankPhase {
    /// The redistribution that this phase carries out.
    pub problem: Problem,
    /// This rank's coordinates in the grids of the problem.
    pub me: Place,
    /// Messages to other ranks, in the order of the steps.
    pub sends: PhaseSide,
    /// Messages from other ranks, in the order of the steps.
    pub receives: PhaseSide,
    /// Self copy: elements that this rank has in both arrays, in local indices of both.
    pub copy: Option<SelfCopy>,
    /// Number of elements that this rank has in both arrays beside those of `copy`; they are written when the phase is
    /// done.
    pub apart: u64,
    /// Whether no message is cut. Without boxes, at most one message then goes from one rank to another. Equal on all
    /// ranks.
    pub whole: bool,
    /// Merged view of each dimension, computed on first use; see [`RankPhase::merged`].
    pub(super) merged: OnceLock<Option<Vec<Merged>>>,
    /// Index sets in both arrays, by number of the received message; computed on first use, see [`RankPhase::both`].
    pub(super) both: Mutex<BTreeMap<usize, Arc<Both>>>,
}

impl RankPhase {
    /// Builds the phase of the rank at `me`. `order` gives the steps of messages; `whole` must be true if it cuts none.
    /// Time and memory are proportional to that rank's own messages.
    pub fn new(problem: Problem, me: &Place, (order, whole): (&dyn Order, bool)) -> Self {
        let sends = me.from.as_ref().map(|at| Partners::new(&problem, (at, true), |_, _| None));
        // Reuses the index sets that this rank shares with itself, which the send side has computed.
        let own = |d: usize| sends.as_ref()?.share(d, me.to.as_ref()?[d]);
        let known = |d: usize, coord| own(d).filter(|_| me.from.as_ref().is_some_and(|at| at[d] == coord));
        let receives = me.to.as_ref().map(|at| Partners::new(&problem, (at, false), known));
        let copy = me.from.as_ref().zip(receives.as_ref()).and_then(|(at, receives)| {
            let both = |(d, dim): (usize, &Overlap)| {
                let (from, to) = (at[d], me.to.as_ref()?[d]);
                let shares = [own(d)?, receives.share(d, from)?];
                Some(Share::of_both(shares, [&dim.from, &dim.to], || dim.shared(from, to)))
            };
            self_copy(&problem, problem.dims.iter().enumerate().map(both).collect::<Option<_>>()?)
        });
        let steps = Steps { problem: &problem, me, order };
        let sends = me.from.as_ref().zip(sends).map(|(at, partners)| steps.build_sends(at, partners));
        let receives = me.to.as_ref().zip(receives).map(|(at, partners)| steps.build_receives(at, partners));
        let (sends, receives) = (sends.unwrap_or_default(), receives.unwrap_or_default());
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart: 0, whole, merged, both }
    }

    /// Returns whether this rank has elements in both arrays.
    #[inline]
    pub fn has_both_arrays(&self) -> bool {
        self.copy.is_some() || self.apart > 0
    }

    /// Returns the numbers of messages sent and received. Messages between boxes that travel together count once.
    pub fn counts(&self) -> [u64; 2] {
        [&self.sends, &self.receives].map(|side| match self.problem.in_boxes() {
            false => side.messages.len() as u64,
            true => side.messages.chunk_by(|a, b| a.peer == b.peer).count() as u64,
        })
    }

    /// Returns the source and destination views of product `k` of the self copy; see [`PhaseSide::view`].
    pub fn kept_views(&self, k: usize) -> [Option<&ArrayView>; 2] {
        let [from, to] = self.copy.as_ref().map_or([None; 2], |kept| kept.views[k]);
        [from.map(|view| &self.sends.views[view]), to.map(|view| &self.receives.views[view])]
    }

    /// Returns the origin of each local index of this rank, per dimension. Returns `None` if the rank is outside the
    /// destination's grid, if a dimension has more than `MAX_STRETCHES` stretches before adjacent ones are merged, or
    /// if the rank cannot compute the senders' local indices.
    pub fn index_origins(&self) -> Option<&[Merged]> {
        let list = || {
            let known = self.problem.source_is_known_to_all();
            let ends = self.problem.dims.iter().zip(self.me.to.as_ref().filter(|_| known)?);
            ends.map(|(dim, &to)| Merged::new(dim, to, MAX_STRETCHES)).collect()
        };
        self.merged.get_or_init(list).as_deref()
    }

    /// Returns the local indices of received message `message` in the sender's and in this rank's array, for a sender
    /// that exposes its array. Caches the result: finding the runs of irregular index sets takes many times as long as
    /// copying them.
    pub fn both(&self, message: usize) -> Arc<Both> {
        let mut known = self.both.lock().unwrap_or_else(PoisonError::into_inner);
        let side = &self.receives;
        let find = || {
            let from = self.problem.from.find(side.messages[message].peer).expect("a sender has a place");
            let to = self.me.to.as_ref().expect("a receiver has a place");
            let both = |(dim, (&p, &q)): (&Overlap, (&u32, &u32))| {
                vec![Share::new(dim.shared(p, q), [&dim.from, &dim.to])]
            };
            Arc::new(self.problem.dims.iter().zip(from.iter().zip(to)).map(both).collect())
        };
        known.entry(message).or_insert_with(find).clone()
    }

    /// Returns the shape of this rank's intermediate array if this phase writes one: dense, with elements of `element`
    /// bytes. Returns `None` if the rank is outside the destination's grid.
    pub fn shape(&self, element: usize) -> Option<Shape> {
        let extent = |(dim, &coord): (&Overlap, &u32)| dim.to.count_owned_up_to(dim.len, coord);
        let extents: Vec<u64> = self.problem.dims.iter().zip(self.me.to.as_ref()?).map(extent).collect();
        Some(Shape::dense(element, &extents))
    }
}

/// Builds the self copy from the indices that both local arrays share in each dimension.
pub(super) fn self_copy(problem: &Problem, shares: Vec<Share<2>>) -> Option<SelfCopy> {
    moves_any(problem.part, shares.iter()).then(|| {
        let shares: Vec<_> = shares.into_iter().map(|share| vec![share]).collect();
        SelfCopy { which: vec![0; shares.len()], shares, views: vec![[None; 2]] }
    })
}
