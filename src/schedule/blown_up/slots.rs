//! A schedule for a graph that is H blown up, however large the blow-up: every edge of a small multigraph H stands for a complete graph of b senders
//! and a receivers (and all that g0 times, disjointly, which changes nothing). Minimum steps if the colouring has the fewest.
//!
//! The least number of steps is the larger of a x (most edges at a sender of H) and b x (most at a receiver). Say it is
//! the former, so that senders are busiest (else read it backwards). Time is cut into that many *slots* of a steps. A
//! sender works on one edge in a slot, sending to its a receivers in turn: sender i sends to receiver j in step i + j
//! (mod a). Each receiver is then busy for b steps, one after the other, so a receiver of H can take part
//! in a/b edges in a slot (rounded down), each with its own shift. What remains is to give the edges of H slots: an edge colouring in
//! which a receiver may be m = a/b times in a slot, which is one of the graph in which each receiver is split into m.
//! That needs no more slots than the senders do, unless rounding a/b down hurts; then the senders of an edge are taken
//! in smaller groups, as edges of their own, in the extreme one by one, where a/1 is exact.

use super::super::certificate::Certificate;
use super::super::classes::Member;
use super::super::colouring;
use super::super::graph::{Edge, Graph};
use super::super::limits::LISTED;
use num_integer::Integer;

/// TimeSlots of time for the edges of H.
#[derive(Debug)]
pub struct TimeSlots {
    /// Whether the roles are exchanged: receivers are busiest.
    backwards: bool,
    /// Steps of a slot: the copies of a receiver of H.
    slot: u64,
    /// Copies of a sender in a group, and groups of an edge.
    group: u64,
    groups: u64,
    /// Of each (edge, group): its slot and its shift within it.
    place: Vec<(u32, u64)>,
}

impl TimeSlots {
    /// A schedule for `small` with `senders` x `receivers` copies of its ends, with its steps and its cost; `None` if that takes too
    /// many groups.
    pub fn new(small: &Graph, copies: (u64, u64)) -> Option<(Self, u64, u64)> {
        let (grouped, shape) = Self::grouped(small, copies)?;
        let steps = colouring::colour(&grouped.graph);
        let place =
            steps.iter().zip(&grouped.part).map(|(&step, &part)| (step, part * shape.group)).collect();
        let in_slots = Certificate::count(&grouped.graph, &steps);
        let slot = shape.slot;
        Some((Self { place, ..shape }, in_slots.steps * slot, in_slots.cost * slot))
    }

    /// The graph whose colours are slots, and what slots are; without their places.
    fn grouped(small: &Graph, (senders, receivers): (u64, u64)) -> Option<(Grouped, Self)> {
        let (send, receive) = small.degrees();
        let most = |degrees: Vec<u32>| u64::from(degrees.into_iter().max().unwrap_or(0));
        let (send, receive) = (most(send), most(receive));
        // From either side, if it is the busiest: (a = slot, b = copies, slots, the most edges at a receiver).
        let forwards =
            (receivers * send >= senders * receive).then(|| group(receivers, senders, send, receive));
        let back = (senders * receive >= receivers * send).then(|| group(senders, receivers, receive, send));
        let groups = |group: &Option<u64>, copies: u64| group.map(|group| copies.div_ceil(group));
        let (ahead, behind) = (groups(&forwards.flatten(), senders), groups(&back.flatten(), receivers));
        let backwards = match (ahead, behind) {
            (Some(ahead), Some(behind)) => behind < ahead,
            (ahead, _) => ahead.is_none(),
        };
        let graph = if backwards { &small.transposed() } else { small };
        let (slot, group, groups) = if backwards {
            (senders, back.flatten()?, behind?)
        } else {
            (receivers, forwards.flatten()?, ahead?)
        };
        if groups * u64::try_from(graph.edges().len()).ok()? > LISTED {
            return None;
        }
        let grouped = Grouped::new(graph, groups, slot / group);
        Some((grouped, Self { backwards, slot, group, groups, place: Vec::new() }))
    }

    /// The step of a message.
    pub fn step(&self, member: &Member) -> u64 {
        let (i, j) =
            if self.backwards { (member.receiver, member.sender) } else { (member.sender, member.receiver) };
        let (group, i) = i.div_rem(&self.group);
        let at = member.edge as u64 * self.groups + group;
        let (slot, shift) = self.place[usize::try_from(at).expect("an edge that exists")];
        u64::from(slot) * self.slot + (i + j + shift) % self.slot
    }
}

/// The largest group for which the receivers of H need no more slots than its senders: there are `copies` / group groups
/// of an edge (rounded up), and a receiver has room for `slot` / group of them in a slot (rounded down). `None`: so small
/// a group that there would be more than [`LISTED`].
fn group(slot: u64, copies: u64, slots: u64, at_receiver: u64) -> Option<u64> {
    let rooms = 1..=slot.min(LISTED);
    rooms
        .map(|room| (room, (slot / room).min(copies)))
        .find(|(room, group)| copies.div_ceil(*group) * at_receiver <= slots * room)
        .map(|(_, group)| group)
}

/// H with groups of senders as senders of their own, and each receiver split into parts that are once in a slot.
struct Grouped {
    graph: Graph,
    /// Which part of its receiver each edge got.
    part: Vec<u64>,
}

impl Grouped {
    fn new(graph: &Graph, groups: u64, parts: u64) -> Self {
        let (_, receive) = graph.degrees();
        // No receiver needs more parts than it has edges.
        let most = receive.iter().map(|&d| u64::from(d) * groups).max().unwrap_or(1).max(1);
        let parts = parts.clamp(1, most);
        let small = |n: u64| u32::try_from(n).expect("within the limit on edges");
        let count = graph.edges().len() * usize::try_from(groups).expect("within the limit on edges");
        let (mut edges, mut part) = (vec![None; count], vec![0; count]);
        let mut dealt = vec![0; graph.receivers() as usize];
        // Heaviest first, so that messages of one length, which are dealt to different parts, can share a slot.
        for e in graph.heaviest_first() {
            let edge = graph.edges()[e as usize];
            for group in 0..groups {
                let turn = &mut dealt[edge.receiver as usize];
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
