//! Builds a rank's messages when elements are named by lists of indices.
//!
//! A rank asks for elements of an array (it *gathers* them) or provides values for them (it *scatters* them). It sends
//! its lists to the owners while it plans, so both ends of a message have its indices. Along the dimension of the
//! lists, a message has the listed indices in ascending order of the owner's local indices; along the other dimensions
//! it is a product. So these messages are executed like those of any other phase. The rank with a list applies the
//! list's order and repetitions in its own stages.

use super::{Message, PhaseSide, Place, RankPhase, SelfCopy, Share, small};
use crate::layout::distribution::Rank;
use crate::layout::intersect::Runs;
use crate::layout::problem::Problem;
use std::sync::{Mutex, OnceLock};

/// A message to or from `peer`, as a product of local indices.
#[derive(Debug)]
pub struct ListedMessage {
    /// The rank at the other end.
    pub peer: Rank,
    /// Local indices along each dimension.
    pub dims: Vec<Runs<1>>,
}

/// A rank's messages in one redistribution of listed elements.
#[derive(Debug, Default)]
pub struct ListedMessages {
    /// Messages to others, at most one per rank.
    pub sends: Vec<ListedMessage>,
    /// Messages from others, at most one per rank.
    pub receives: Vec<ListedMessage>,
    /// Self copy, if there is one: local indices in both arrays, along each dimension.
    pub kept: Option<Vec<Runs<2>>>,
    /// Number of elements that the rank copies to itself without a stage, when the phase is done.
    pub apart: u64,
}

impl RankPhase {
    /// Builds the phase of the rank at `me`. Steps are those of the caterpillar: the message from rank p to rank q of P
    /// goes in step (q - p) mod P.
    pub fn listed(problem: Problem, me: &Place, listed: ListedMessages) -> Self {
        let ListedMessages { sends, receives, kept, apart } = listed;
        let dims = problem.dims.len();
        let sends = side(dims, sends, |peer| me.rank_distance(me.rank, peer));
        let receives = side(dims, receives, |peer| me.rank_distance(peer, me.rank));
        let share = |local: Runs<2>| vec![Share::local(local)];
        let copy = kept.map(|kept| SelfCopy {
            shares: kept.into_iter().map(share).collect(),
            which: vec![0; dims],
            views: vec![[None; 2]],
        });
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart, whole: true, merged, both }
    }
}

/// Builds one side of a phase, with its messages in the order of their steps.
fn side(dims: usize, mut messages: Vec<ListedMessage>, step: impl Fn(Rank) -> u32) -> PhaseSide {
    messages.sort_by_key(|message| step(message.peer));
    let mut side = PhaseSide { shares: vec![Vec::new(); dims], ..PhaseSide::default() };
    for (k, ListedMessage { peer, dims }) in (0u32..).zip(messages) {
        let (at, step) = (small(side.which.len()), step(peer).into());
        side.messages.push(Message { peer, step, at, part: None, view: None });
        for (table, local) in side.shares.iter_mut().zip(dims) {
            table.push(Share::local(local));
            side.which.push(k);
        }
    }
    side
}
