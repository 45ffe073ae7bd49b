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

use super::certificate::Certificate;
use super::graph::{Edge, Graph};
use super::{colouring, pairs};
use parts::Parts;

/// Messages for which that is looked for while a program waits, at the most.
pub const MOST: u64 = 1 << 11;
/// Lengths t, at the most.
const LENGTHS: usize = 8;
/// Steps beyond the fewest that are tried, at the most; and without a lower cost, in a row.
const MORE: u32 = 12;
const IN_VAIN: u32 = 2;

/// Steps for the messages of `graph`, in several ways: the first has the fewest steps, each further one more of them at a
/// lower cost.
pub fn front(graph: &Graph) -> Vec<Vec<u32>> {
    let fewest = colouring::colour(graph);
    let least = Certificate::count(graph, &fewest);
    let mut best = least.cost;
    let mut front = vec![((least.steps, least.cost), fewest)];
    let lengths = lengths(graph);
    let mut in_vain = 0;
    for more in 0..=MORE {
        if best == least.bounds.cost || in_vain > IN_VAIN {
            break;
        }
        let steps = pairs::improve(graph, within(graph, graph.max_degree() + more, &lengths));
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

/// The lengths of messages, ascending, by which steps are divided: a step of the bound's cost each, but those of the longest.
fn lengths(graph: &Graph) -> Vec<u64> {
    let mut degrees = (vec![0; graph.senders() as usize], vec![0; graph.receivers() as usize]);
    let (mut most, mut lengths) = (0, Vec::new());
    for e in graph.heaviest_first().into_iter().map(|e| graph.edges()[e as usize]) {
        for degree in [&mut degrees.0[e.sender as usize], &mut degrees.1[e.receiver as usize]] {
            *degree += 1;
            if *degree > most {
                most = *degree;
                lengths.push(e.bytes);
            }
        }
    }
    let longest = lengths.first().copied().unwrap_or(0);
    // The shortest of all may be a step of its own where there is one more than the fewest.
    lengths.extend(graph.edges().iter().map(|e| e.bytes).min());
    lengths.retain(|&length| length < longest);
    lengths.sort_unstable();
    lengths.dedup();
    let every = lengths.len().div_ceil(LENGTHS).max(1);
    lengths.into_iter().step_by(every).collect()
}

/// Steps for all messages, at most `count` of them, as many as can be of the shortest length, then of the next.
fn within(graph: &Graph, count: u32, lengths: &[u64]) -> Vec<u32> {
    let mut steps = vec![0; graph.edges().len()];
    let mut left: Vec<u32> = (0..).take(steps.len()).collect();
    let (mut room, mut used) = (count, 0);
    for &length in lengths {
        let Some((dear, cheap)) = divide(graph, &left, length, room) else { continue };
        room -= cheap.steps;
        used = colour(graph, &cheap.messages, used, &mut steps);
        left = dear;
    }
    colour(graph, &left, used, &mut steps);
    steps
}

/// Messages for so many steps.
struct Cheap {
    steps: u32,
    messages: Vec<u32>,
}

/// The messages of `left`, which have `count` steps, in those of the dearer steps and those of as many as can be that cost no
/// more than `length`; `None` if there can be none.
fn divide(graph: &Graph, left: &[u32], length: u64, count: u32) -> Option<(Vec<u32>, Cheap)> {
    let parts = Parts::new(graph, left, length);
    // The least number of dearer steps: with one more of them there are parts, too.
    let (mut low, mut high) = (parts.dear_at_least(), count);
    let mut best = None;
    while low < high {
        let dear = low + (high - low) / 2;
        match parts.fit(dear, count - dear) {
            Some(cheap) => (best, high) = (Some((count - dear, cheap)), dear),
            None => low = dear + 1,
        }
    }
    let (steps, cheap) = best?;
    let (messages, dear) = left.iter().zip(cheap).partition::<Vec<_>, _>(|&(_, cheap)| cheap);
    let only = |all: Vec<(&u32, bool)>| all.into_iter().map(|(&edge, _)| edge).collect();
    Some((only(dear), Cheap { steps, messages: only(messages) }))
}

/// Gives `messages` steps from `first` on, as few as there can be, and returns the step behind them.
fn colour(graph: &Graph, messages: &[u32], first: u32, steps: &mut [u32]) -> u32 {
    let edges: Vec<Edge> = messages.iter().map(|&edge| graph.edges()[edge as usize]).collect();
    let part = Graph::new(graph.senders(), graph.receivers(), edges);
    for (&edge, step) in messages.iter().zip(colouring::fewest(&part)) {
        steps[edge as usize] = first + step;
    }
    first + part.max_degree()
}

#[cfg(test)]
mod tests;
