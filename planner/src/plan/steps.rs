//! Messages of a rank and their steps, in a redistribution between grids.

use super::partners::Partners;
use super::{Message, MessagePart, PhaseSide, Place, Share, small};
use crate::layout::distribution::{Rank, places};
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
        let Problem { dims, to, .. } = self.problem;
        let (me, own) = (self.me, dims.len());
        let copies: Vec<Vec<u32>> = places(&to.extents()[own..]).collect();
        let mut there = vec![0; to.extents().len()];
        // With copies of the source, the number of partners may be far above the number of messages, so no room is
        // reserved.
        let expected = if self.problem.source_has_copies() { 0 } else { partners.count() };
        let mut side = self.side(&partners, expected, |side, which, coords| {
            there[..own].copy_from_slice(coords);
            for copy in &copies {
                there[own..].copy_from_slice(copy);
                let peer = to.rank(&there);
                if peer != me.rank && *self.problem.source(&at[..own], peer) == *at {
                    self.add(side, (peer, which), at, &there);
                }
            }
        });
        sort(&mut side.messages, |peer| me.rank_distance(me.rank, peer));
        partners.complete(side)
    }

    /// Returns the messages from other ranks to this rank, at `at` of the destination's grid.
    pub(super) fn build_receives(&self, at: &[u32], partners: Partners) -> PhaseSide {
        let (me, from) = (self.me, &self.problem.from);
        let mut side = self.side(&partners, partners.count(), |side, which, coords| {
            let there = self.problem.source(coords, me.rank);
            let peer = from.rank(&there);
            if peer != me.rank {
                self.add(side, (peer, which), &there, at);
            }
        });
        sort(&mut side.messages, |peer| me.rank_distance(peer, me.rank));
        partners.complete(side)
    }

    /// Creates a side without shares, with room for `expected` messages. Calls `add` with the numbers and coordinates
    /// of each partner, to append the messages with that partner.
    fn side(
        &self,
        partners: &Partners,
        expected: usize,
        mut add: impl FnMut(&mut PhaseSide, &[u32], &[u32]),
    ) -> PhaseSide {
        let dims = self.problem.dims.len();
        let (messages, which) = (Vec::with_capacity(expected), Vec::with_capacity(expected * dims));
        let mut side = PhaseSide { messages, which, ..PhaseSide::default() };
        partners.each(|which, coords| {
            if moves_any(self.problem.part, partners.shared(which)) {
                add(&mut side, which, coords);
            }
        });
        side
    }

    /// Adds the message from the process at `from` to the process at `to`, or each of its parts if the schedule cuts
    /// it. `peer` is the rank at the other end, and `which` its partner numbers.
    fn add(&self, side: &mut PhaseSide, (peer, which): (Rank, &[u32]), from: &[u32], to: &[u32]) {
        let at = small(side.which.len());
        side.which.extend_from_slice(which);
        let parts = self.order.parts(from, to);
        if parts.is_empty() {
            let step = self.order.step(from, to).expect("every message has a step");
            side.messages.push(Message { peer, step, at, part: None, view: None });
        }
        let of = parts.last().map_or(1, |last| last.from + last.bytes);
        for part in parts {
            let number = Some(small(side.parts.len()));
            side.parts.push(MessagePart { from: part.from, to: part.from + part.bytes, of });
            side.messages.push(Message { peer, step: part.step.into(), at, part: number, view: None });
        }
    }
}

/// Sorts messages by step and, within a step, by the distance `ahead`. A schedule may put several messages of a rank
/// into one step, and all ranks must order them alike.
fn sort(messages: &mut [Message], ahead: impl Fn(Rank) -> u32) {
    messages.sort_by(|a, b| a.step.cmp(&b.step).then_with(|| ahead(a.peer).cmp(&ahead(b.peer))));
}

/// Returns whether any element moves in the product of these shares.
pub(super) fn moves_any<'a, const D: usize>(
    part: Part,
    mut shares: impl Iterator<Item = &'a Share<D>> + Clone,
) -> bool {
    match part {
        Part::Whole => shares.all(|share| !share.local.is_empty()),
        _ => part.moves_any(shares.map(Share::indices_to_cut)),
    }
}
