//! Time slots: a schedule of H blown up whose effort does not depend on the size of the blow-up. Every edge of the
//! small multigraph H stands for a complete graph of b senders and a receivers. (All that occurs g0 times, disjointly,
//! which changes nothing.) It has the fewest steps if the colouring has.
//!
//! The fewest steps are the larger of a x (most edges at a sender of H) and b x (most at a receiver). Say the former is
//! larger, so that senders are busiest; otherwise exchange the roles. Time is cut into *slots* of a steps, as many as
//! the most edges at a sender of H. A sender works on one edge in a slot, and sends to its a receivers in turn: sender
//! i sends to receiver j in step i + j (mod a). Each receiver is then busy for b consecutive steps. So a receiver of H
//! can take part in m = a/b edges in a slot (rounded down), each with its own shift.
//!
//! It remains to assign slots to the edges of H. That is an edge colouring with up to m edges of a receiver in a slot.
//! It becomes an ordinary edge colouring if each receiver is split into m. It needs no more slots than the senders do,
//! unless rounding a/b down hurts. In that case the senders of an edge are divided into smaller groups, as edges of
//! their own; in the extreme one by one, where a/1 is exact.

use super::super::certificate::Certificate;
use super::super::classes::Member;
use super::super::colouring;
use super::super::graph::{Edge, Graph};
use super::super::limits::LISTED;
use num_integer::Integer;

#[derive(Debug)]
pub struct TimeSlots {
    /// True if the roles are exchanged because receivers are busiest.
    backwards: bool,
    /// Steps of a slot: the copies of a receiver of H.
    slot: u64,
    /// Copies of a sender in a group, and groups of an edge.
    group: u64,
    groups: u64,
    /// (Slot, shift within the slot), by (edge, group).
    place: Vec<(u32, u64)>,
}

impl TimeSlots {
    /// Schedules `small` with `copies` (senders, receivers) for each edge. Returns the schedule, its steps and its
    /// cost; `None` if there are more than [`LISTED`] groups.
    pub fn new(small: &Graph, copies: (u64, u64)) -> Option<(Self, u64, u64)> {
        let (grouped, shape) = Self::group_senders(small, copies)?;
        let steps = colouring::colour(&grouped.graph);
        let place =
            steps.iter().zip(&grouped.part).map(|(&step, &part)| (step, part * shape.group)).collect();
        let in_slots = Certificate::count(&grouped.graph, &steps);
        let slot = shape.slot;
        Some((Self { place, ..shape }, in_slots.steps * slot, in_slots.cost * slot))
    }

    /// Returns the graph whose colours are slots, and the shape of the slots, without the slots of the edges.
    fn group_senders(small: &Graph, (senders, receivers): (u64, u64)) -> Option<(Grouped, Self)> {
        let (send, receive) = small.degrees();
        let most = |degrees: Vec<u32>| u64::from(degrees.into_iter().max().unwrap_or(0));
        let (send, receive) = (most(send), most(receive));
        // From each side that is busiest: the arguments are (a = slot, b = copies, slots, most edges at a receiver).
        let forwards =
            (receivers * send >= senders * receive).then(|| largest_group(receivers, senders, send, receive));
        let back =
            (senders * receive >= receivers * send).then(|| largest_group(senders, receivers, receive, send));
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

    pub fn step(&self, member: &Member) -> u64 {
        let (i, j) =
            if self.backwards { (member.receiver, member.sender) } else { (member.sender, member.receiver) };
        let (group, i) = i.div_rem(&self.group);
        let at = member.edge as u64 * self.groups + group;
        let (slot, shift) = self.place[usize::try_from(at).expect("an edge that exists")];
        u64::from(slot) * self.slot + (i + j + shift) % self.slot
    }
}

/// Returns the largest group that lets the receivers of H do with no more slots than its senders. An edge has `copies`
/// / group groups (rounded up), and a receiver has room for `slot` / group of them in a slot (rounded down). `None` if
/// a slot would need room for more than [`LISTED`] groups.
fn largest_group(slot: u64, copies: u64, slots: u64, at_receiver: u64) -> Option<u64> {
    let rooms = 1..=slot.min(LISTED);
    rooms
        .map(|room| (room, (slot / room).min(copies)))
        .find(|(room, group)| copies.div_ceil(*group) * at_receiver <= slots * room)
        .map(|(_, group)| group)
}

/// H with each group of senders as a sender, and with each receiver split into parts that occur once in a slot.
struct Grouped {
    graph: Graph,
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
        // Heaviest first, so that messages of one length, which go to different parts, can share a slot.
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
