//! Steps against cost: schedules of which none has both no more steps and a lower cost.
//!
//! A step more than the fewest may save bytes: what forces a long message and many short ones into the same few steps is
//! that all steps of the busiest port are full. Say there are n steps, of which the last n2 may cost t at the most. That
//! can be done if and only if the messages no longer than t fall into two parts, of which one has at most n2 messages a
//! port, and the other one, together with all longer messages, at most n1 = n - n2: by König's theorem each part can be
//! coloured by itself. Whether there are such parts is found by alternating paths ([`parts`]), and the more steps are
//! cheap, the better. The dearer part is then divided in the same way by a longer t. With two lengths of messages, the cost
//! is the least that so many steps can have; with more of them, which messages the first division leaves to the dearer
//! steps may not be best for the next, so pairs of steps are improved at the end ([`pairs`](super::pairs)).
//!
//! The lengths t are those which the bound on the cost has: where the messages longer than t of some port become more.

mod parts;
mod wide;

use wide::Wide;

use super::certificate::Certificate;
use super::graph::Graph;
use super::{colouring, pairs};
use parts::Parts;

/// Messages for which that is looked for while a program waits, at the most.
pub const MOST: u64 = 1 << 11;
/// Lengths t, at the most.
const LENGTHS: usize = 8;
/// Steps beyond the fewest that are tried, at the most; and without a lower cost, in a row.
const MORE: u32 = 12;
const IN_VAIN: u32 = 2;

/// How many messages a sender may have in a step, and a receiver.
type Room = (u32, u32);
const ONE: Room = (1, 1);

/// Steps for the messages of `graph`, in several ways: the first has the fewest steps, each further one more of them at a
/// lower cost.
pub fn front(graph: &Graph) -> Vec<Vec<u32>> {
    let fewest = colouring::colour(graph);
    let known = Certificate::count(graph, &fewest);
    let mut best = known.cost;
    let mut front = vec![((known.steps, known.cost), fewest)];
    let lengths = thinned(lengths(graph, least(graph, ONE)), LENGTHS);
    let mut in_vain = 0;
    for more in 0..=MORE {
        if best == known.bounds.cost || in_vain > IN_VAIN {
            break;
        }
        let steps = within(graph, ONE, graph.max_degree() + more, &lengths).steps;
        let steps = pairs::improve(graph, steps);
        let found = Certificate::count(graph, &steps);
        in_vain = if found.cost < best { 0 } else { in_vain + 1 };
        best = best.min(found.cost);
        front.push(((found.steps, found.cost), steps));
    }
    undominated(&mut front, |&(figures, _)| figures);
    front.into_iter().map(|(_, steps)| steps).collect()
}

/// Leaves, by steps and cost, those of which none other has both no more steps and no higher cost; of equal ones the first.
pub fn undominated<T>(all: &mut Vec<T>, figures: impl Fn(&T) -> (u64, u64)) {
    all.sort_by_key(&figures);
    let mut least = u64::MAX;
    all.retain(|one| {
        let cost = figures(one).1;
        let lower = cost < least;
        least = least.min(cost);
        lower
    });
}

/// How long at least the longest message of each step is, longest first: one with a k-th message of some port of that length
/// goes in the k-th such step at the earliest.
fn least(graph: &Graph, room: Room) -> Vec<u64> {
    let mut degrees = (vec![0u32; graph.senders() as usize], vec![0u32; graph.receivers() as usize]);
    let mut least = Vec::new();
    for e in graph.heaviest_first().into_iter().map(|e| graph.edges()[e as usize]) {
        for (degree, room) in
            [(&mut degrees.0[e.sender as usize], room.0), (&mut degrees.1[e.receiver as usize], room.1)]
        {
            *degree += 1;
            if degree.div_ceil(room) as usize > least.len() {
                least.push(e.bytes);
            }
        }
    }
    least
}

/// The lengths of messages, ascending, by which steps are divided: those of the bound's steps but for the longest.
fn lengths(graph: &Graph, mut lengths: Vec<u64>) -> Vec<u64> {
    let longest = lengths.first().copied().unwrap_or(0);
    // The shortest of all may be a step of its own where there is one more than the fewest.
    lengths.extend(graph.edges().iter().map(|e| e.bytes).min());
    lengths.retain(|&length| length < longest);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// No more than `most` of them.
fn thinned(lengths: Vec<u64>, most: usize) -> Vec<u64> {
    let every = lengths.len().div_ceil(most).max(1);
    lengths.into_iter().step_by(every).collect()
}

/// Steps for all messages, at most `count` of them, as many as can be of the shortest length, then of the next.
fn within(graph: &Graph, room: Room, count: u32, lengths: &[u64]) -> Wide {
    let mut wide = Wide::new(graph, room);
    let mut left: Vec<u32> = (0..).take(wide.steps.len()).collect();
    let (mut free, mut used) = (count, 0);
    for &length in lengths {
        let Some((dear, cheap)) = divide(graph, room, &left, length, free) else { continue };
        free -= cheap.steps;
        used = wide.colour(graph, &cheap.messages, used);
        left = dear;
    }
    wide.colour(graph, &left, used);
    wide
}

/// Messages for so many steps.
struct Cheap {
    steps: u32,
    messages: Vec<u32>,
}

/// The messages of `left`, which have `count` steps, in those of the dearer steps and those of as many as can be that cost no
/// more than `length`; `None` if there can be none.
fn divide(graph: &Graph, room: Room, left: &[u32], length: u64, count: u32) -> Option<(Vec<u32>, Cheap)> {
    // Most lengths are too short for even one step, which is soon seen.
    if parts::dear_at_least(graph, room, left, length) >= count {
        return None;
    }
    let parts = Parts::new(graph, room, left, length);
    // The least number of dearer steps: with one more of them there are parts, too.
    let (mut low, mut high) = (parts.dear_at_least(), count);
    let mut best = None;
    // Mostly it is the least that can be thought of.
    let mut dear = low;
    while low < high {
        match parts.fit(dear, count - dear) {
            Some(cheap) => (best, high) = (Some((count - dear, cheap)), dear),
            None => low = dear + 1,
        }
        dear = low + high.saturating_sub(low) / 2;
    }
    let (steps, cheap) = best?;
    let (messages, dear) = left.iter().zip(cheap).partition::<Vec<_>, _>(|&(_, cheap)| cheap);
    let only = |all: Vec<(&u32, bool)>| all.into_iter().map(|(&edge, _)| edge).collect();
    Some((only(dear), Cheap { steps, messages: only(messages) }))
}

#[cfg(test)]
mod tests;
