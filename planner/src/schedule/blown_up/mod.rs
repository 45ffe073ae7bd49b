//! Schedules a small graph H that is blown up: each edge stands for a complete graph of several senders and receivers.
//!
//! There are two methods: time slots (`slots`) for any number of copies, and coloured squares (`ColouredSquares`) for
//! few copies. The schedule with fewer steps is taken, or the cheaper one of two with equally many steps.

mod slots;

use super::certificate::Certificate;
use super::classes::Member;
use super::colouring;
use super::graph::{Edge, Graph};
use super::limits::MAX_SLOW_SEARCH;
use num_integer::Integer;
use slots::TimeSlots;

/// Schedule of a blown-up graph.
#[derive(Debug)]
pub struct BlownUp {
    method: Method,
    /// Figures of the whole schedule.
    pub certificate: Certificate,
}

#[derive(Debug)]
enum Method {
    TimeSlots(TimeSlots),
    Squares(ColouredSquares),
}

impl BlownUp {
    /// Schedules `small`, with each edge blown up to `copies` (senders, receivers). `None` if the graph is too large
    /// for both methods.
    pub fn new(small: &Graph, copies: (u64, u64)) -> Option<Self> {
        let bounds = small.bounds(copies);
        let messages = small.edges().len() as u64 * copies.0 * copies.1;
        let order = |method, steps, cost| Self {
            method,
            certificate: Certificate { steps, cost, bounds, messages, exact: true, kept: false },
        };
        let slots = TimeSlots::new(small, copies)
            .map(|(slots, steps, cost)| order(Method::TimeSlots(slots), steps, cost));
        let best = |order: &Self| order.certificate.fewest_steps() && order.certificate.least_cost();
        // An optimal schedule needs no alternative.
        if slots.as_ref().is_some_and(best) {
            return slots;
        }
        let squares = ColouredSquares::new(small, copies)
            .map(|(squares, steps, cost)| order(Method::Squares(squares), steps, cost));
        slots.into_iter().chain(squares).min_by_key(|order| (order.steps(), order.certificate.cost))
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> u64 {
        self.certificate.steps
    }

    /// Returns the step of a message.
    pub fn step(&self, member: &Member) -> u64 {
        match &self.method {
            Method::TimeSlots(slots) => slots.step(member),
            Method::Squares(squares) => squares.step(member),
        }
    }
}

/// Schedule by squares of n x n messages. An edge of H stands for b senders and a receivers; with n = gcd(a, b), these
/// are b/n x a/n squares. The squares are coloured like messages. A colour becomes n steps, in which each square sends
/// its n x n messages.
#[derive(Debug)]
struct ColouredSquares {
    /// b/n: squares of an edge along its senders.
    senders: u64,
    /// a/n: squares of an edge along its receivers.
    receivers: u64,
    /// n: messages along a side of a square.
    square_side: u64,
    /// Colour of each square, by (edge of H, square's row, square's column).
    steps: Vec<u32>,
}

impl ColouredSquares {
    /// Returns the schedule, its number of steps and its cost; `None` if there are more than [`MAX_SLOW_SEARCH`]
    /// squares.
    fn new(small: &Graph, copies: (u64, u64)) -> Option<(Self, u64, u64)> {
        let (graph, shape) = Self::graph(small, copies)?;
        let steps = colouring::colour(&graph);
        let c = Certificate::count(&graph, &steps);
        let square_side = shape.square_side;
        Some((Self { steps, ..shape }, c.steps * square_side, c.cost * square_side))
    }

    /// Returns the graph with one edge for each n x n square, and the schedule without its colours.
    fn graph(small: &Graph, (b, a): (u64, u64)) -> Option<(Graph, Self)> {
        let square_side = a.gcd(&b);
        let (senders, receivers) = (b / square_side, a / square_side);
        let count = u64::try_from(small.edges().len()).ok()?.checked_mul(senders)?.checked_mul(receivers)?;
        if count > MAX_SLOW_SEARCH {
            return None;
        }
        let narrow = |n: u64| u32::try_from(n).ok();
        let (all_s, all_r) = (
            narrow(u64::from(small.senders()) * senders)?,
            narrow(u64::from(small.receivers()) * receivers)?,
        );
        let (each_s, each_r) = (narrow(senders)?, narrow(receivers)?);
        let mut edges = Vec::new();
        for e in small.edges() {
            for (i, j) in (0..each_s).flat_map(|i| (0..each_r).map(move |j| (i, j))) {
                let (sender, receiver) = (e.sender * each_s + i, e.receiver * each_r + j);
                edges.push(Edge { sender, receiver, bytes: e.bytes });
            }
        }
        let graph = Graph::new(all_s, all_r, edges);
        Some((graph, Self { senders, receivers, square_side, steps: Vec::new() }))
    }

    fn step(&self, member: &Member) -> u64 {
        let ((i, each_s), (j, each_r)) =
            (member.sender.div_rem(&self.square_side), member.receiver.div_rem(&self.square_side));
        let at = (member.edge as u64 * self.senders + i) * self.receivers + j;
        let first = self.steps[usize::try_from(at).expect("an edge that exists")];
        u64::from(first) * self.square_side + (each_s + each_r) % self.square_side
    }
}

#[cfg(test)]
mod tests;
