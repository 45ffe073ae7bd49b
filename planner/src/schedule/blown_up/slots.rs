//! Schedules a blown-up graph by time slots. The effort depends on the number of groups of senders over all edges of H,
//! not on the number of messages.
//!
//! Each edge of the small multigraph H stands for a complete graph of b senders and a receivers. (If the whole graph
//! occurs g0 times, on disjoint processes, one schedule serves all of them.) Let u be the maximum number of edges at a
//! sender of H, and v that at a receiver. The busiest sending process has a u messages, and the busiest receiving one
//! has b v, so a schedule has at least as many steps as the larger number. Below, a u is the larger number; otherwise
//! senders and receivers exchange their roles.
//!
//! Time is divided into u *slots* of a steps each. In a slot, all b copies of a sender work on one edge of H: copy i
//! sends to copy j of the receiver in step i + j (mod a) of the slot. This keeps each copy of the receiver busy for b
//! consecutive steps (mod a). So a receiver of H has time for m = a/b edges in a slot, rounded down. Each of these
//! edges has its own shift, which is added to i + j.
//!
//! It remains to assign a slot to each edge of H, with at most one edge of a sender and m edges of a receiver in a
//! slot. An edge colouring does this if each receiver is first split into m parts. It needs u slots if no part has more
//! than u edges. As a/b is rounded down, a part may have more. The senders of an edge are then divided into smaller
//! groups, and each group becomes a separate edge. If a group is one sender, m = a needs no rounding.

use super::super::certificate::Certificate;
use super::super::classes::Member;
use super::super::colouring;
use super::super::graph::{Edge, Graph};
use super::super::limits::MAX_LISTED;
use num_integer::Integer;

#[derive(Debug)]
pub struct TimeSlots {
    /// True if the roles are exchanged because receivers are busiest.
    backwards: bool,
    /// Length of a slot in steps: a, the number of copies of a receiver of H.
    slot: u64,
    /// Number of copies of a sender in a group.
    group: u64,
    groups: u64,
    /// (Slot, shift within the slot), by (edge, group).
    place: Vec<(u32, u64)>,
}

impl TimeSlots {
    /// Schedules `small` with `copies` (senders, receivers) for each edge. Returns the schedule, its steps and its
    /// cost; `None` if there are more than [`MAX_LISTED`] groups.
    pub fn new(small: &Graph, copies: (u64, u64)) -> Option<(Self, u64, u64)> {
        let (grouped, shape) = Self::group_senders(small, copies)?;
        let steps = colouring::colour(&grouped.graph);
        let place =
            steps.iter().zip(&grouped.part).map(|(&step, &part)| (step, part * shape.group)).collect();
        let in_slots = Certificate::count(&grouped.graph, &steps);
        let slot = shape.slot;
        Some((Self { place, ..shape }, in_slots.steps * slot, in_slots.cost * slot))
    }

    /// Returns the graph whose edge colouring assigns the slots, and the schedule with an empty `place`.
    fn group_senders(small: &Graph, (senders, receivers): (u64, u64)) -> Option<(Grouped, Self)> {
        let (send, receive) = small.degrees();
        let max_degree = |degrees: Vec<u32>| u64::from(degrees.into_iter().max().unwrap_or(0));
        let (send, receive) = (max_degree(send), max_degree(receive));
        // If both sides are equally busy, both directions are tried, and the direction with fewer groups is taken. The
        // arguments are (a, b, u, v); `backward_size` has the roles exchanged.
        let forward_size =
            (receivers * send >= senders * receive).then(|| largest_group(receivers, senders, send, receive));
        let backward_size =
            (senders * receive >= receivers * send).then(|| largest_group(senders, receivers, receive, send));
        let groups = |group: &Option<u64>, copies: u64| group.map(|group| copies.div_ceil(group));
        let (forward_groups, backward_groups) =
            (groups(&forward_size.flatten(), senders), groups(&backward_size.flatten(), receivers));
        let backwards = match (forward_groups, backward_groups) {
            (Some(forward_groups), Some(backward_groups)) => backward_groups < forward_groups,
            (forward_groups, _) => forward_groups.is_none(),
        };
        let graph = if backwards { &small.transposed() } else { small };
        let (slot, group, groups) = if backwards {
            (senders, backward_size.flatten()?, backward_groups?)
        } else {
            (receivers, forward_size.flatten()?, forward_groups?)
        };
        if groups * u64::try_from(graph.edges().len()).ok()? > MAX_LISTED {
            return None;
        }
        let grouped = Grouped::new(graph, groups, slot / group);
        Some((grouped, Self { backwards, slot, group, groups, place: Vec::new() }))
    }

    pub fn step(&self, member: &Member) -> u64 {
        let (i, j) =
            if self.backwards { (member.receiver, member.sender) } else { (member.sender, member.receiver) };
        let (group, i) = i.div_rem(&self.group);
        let at = member.edge as u64 * self.groups + group;
        let (slot, shift) = self.place[usize::try_from(at).expect("an edge that exists")];
        u64::from(slot) * self.slot + (i + j + shift) % self.slot
    }
}

/// Returns the largest size of a group with which a receiver of H needs at most `slots` slots for its `at_receiver`
/// edges. An edge has `copies` / size groups, rounded up. A receiver has room for `slot` / size groups in a slot,
/// rounded down. `None` if a receiver would need room for more than [`MAX_LISTED`] groups in a slot.
fn largest_group(slot: u64, copies: u64, slots: u64, at_receiver: u64) -> Option<u64> {
    let rooms = 1..=slot.min(MAX_LISTED);
    rooms
        .map(|room| (room, (slot / room).min(copies)))
        .find(|(room, group)| copies.div_ceil(*group) * at_receiver <= slots * room)
        .map(|(_, group)| group)
}

/// The graph whose edge colouring assigns slots. Its senders are the groups of senders of H, and its receivers are the
/// parts into which each receiver of H is split.
struct Grouped {
    graph: Graph,
    /// Part of the receiver, for each edge of `graph`.
    part: Vec<u64>,
}

impl Grouped {
    fn new(graph: &Graph, groups: u64, parts: u64) -> Self {
        let (_, receive) = graph.degrees();
        // No receiver needs more parts than it has edges.
        let max_edges = receive.iter().map(|&d| u64::from(d) * groups).max().unwrap_or(1).max(1);
        let parts = parts.clamp(1, max_edges);
        let small = |n: u64| u32::try_from(n).expect("within the limit on edges");
        let count = graph.edges().len() * usize::try_from(groups).expect("within the limit on edges");
        let (mut edges, mut part) = (vec![None; count], vec![0; count]);
        let mut edge_counts = vec![0; graph.receivers() as usize];
        // Each receiver's edges go to its parts in turn, the heaviest first. So messages of equal length go to
        // different parts, and can share a slot.
        for e in graph.heaviest_first() {
            let edge = graph.edges()[e as usize];
            for group in 0..groups {
                let turn = &mut edge_counts[edge.receiver as usize];
                let at = usize::try_from(u64::from(e) * groups + group).expect("within the limit on edges");
                part[at] = *turn % parts;
                *turn += 1;
                edges[at] = Some(Edge {
                    sender: small(u64::from(edge.sender) * groups + group),
                    receiver: small(u64::from(edge.receiver) * parts + part[at]),
                    bytes: edge.bytes,
                });
            }
        }
        let edges = edges.into_iter().map(|e| e.expect("every edge was dealt")).collect();
        let (senders, receivers) =
            (u64::from(graph.senders()) * groups, u64::from(graph.receivers()) * parts);
        Self { graph: Graph::new(small(senders), small(receivers), edges), part }
    }
}
