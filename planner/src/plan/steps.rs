//! Messages of a rank and their steps, in a redistribution between grids.

use super::partners::Partners;
use super::{Message, MessagePart, PhaseSide, Place, Share};
use crate::layout::distribution::places;
use crate::layout::problem::{Part, Problem};
use crate::schedule::order::Order;

/// The inputs that determine the steps of a rank's messages.
pub(super) struct Steps<'a> {
    pub(super) problem: &'a Problem,
    pub(super) me: &'a Place,
    pub(super) order: &'a dyn Order,
}

impl Steps<'_> {
    /// Returns the messages from this rank, at `at` of the source's grid, to all other ranks that read its copy.
    pub(super) fn build_sends(&self, at: &[u32], partners: Partners) -> PhaseSide {
        let Problem { dims, to, part, .. } = self.problem;
        let (me, own) = (self.me, dims.len());
        let (mut messages, mut all) = (Vec::new(), Vec::new());
        for which in partners.combinations().filter(|which| moves_any(*part, partners.shared(which))) {
            let mut there = partners.place(&which);
            there.resize(to.extents().len(), 0);
            for copy in places(&to.extents()[own..]) {
                there[own..].copy_from_slice(&copy);
                let peer = to.rank(&there);
                if peer != me.rank && self.problem.source(&at[..own], peer) == at {
                    self.message(at, &there, |step, part| {
                        messages.push(Message { peer, step, at: all.len(), part, view: None })
                    });
                    all.extend(&which);
                }
            }
        }
        partners.side(all, messages, |peer| me.rank_distance(me.rank, peer))
    }

    /// Returns the messages from other ranks to this rank, at `at` of the destination's grid.
    pub(super) fn build_receives(&self, at: &[u32], partners: Partners) -> PhaseSide {
        let Problem { from, part, .. } = self.problem;
        let me = self.me;
        let (mut messages, mut all) = (Vec::new(), Vec::new());
        for which in partners.combinations().filter(|which| moves_any(*part, partners.shared(which))) {
            let there = self.problem.source(&partners.place(&which), me.rank);
            let peer = from.rank(&there);
            if peer != me.rank {
                self.message(&there, at, |step, part| {
                    messages.push(Message { peer, step, at: all.len(), part, view: None })
                });
                all.extend(&which);
            }
        }
        partners.side(all, messages, |peer| me.rank_distance(peer, me.rank))
    }

    /// Calls `add` with the step of a message, or with the step of each of its parts if the schedule cuts it.
    fn message(&self, from: &[u32], to: &[u32], mut add: impl FnMut(u64, MessagePart)) {
        let parts = self.order.parts(from, to);
        let of = parts.last().map_or(1, |last| last.from + last.bytes);
        for part in parts {
            add(part.step.into(), MessagePart { from: part.from, to: part.from + part.bytes, of });
        }
        if parts.is_empty() {
            let step = self.order.step(from, to).expect("every message has a step");
            add(step, MessagePart::WHOLE);
        }
    }
}

/// Returns whether any element moves in the product of these shares.
pub(super) fn moves_any<'a, const D: usize>(
    part: Part,
    mut shares: impl Iterator<Item = &'a Share<D>> + Clone,
) -> bool {
    match part {
        Part::Whole => shares.all(|share| !share.local.is_empty()),
        _ => part.moves_any(shares.map(|share| &share.indices)),
    }
}
