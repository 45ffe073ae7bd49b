//! WHICH few ports stand for all? Where processes behave alike, a schedule of any number of them is simulated on one of each kind.
//!
//! Let ports fall into kinds, so that ports of one kind have messages of the same lengths in the same steps, with partners of the
//! same kinds. Then all ports of a kind are in the same state at any time, if nothing distinguishes their partners: they begin
//! alike, and whatever happens to one of them at some time happens to the others. So the graph in which each kind is one port, with
//! a message for each of the steps in which its ports have one, takes as long as all of them ([`clock`](super::clock)). Time and
//! memory do not depend on the number of processes. It exists for
//!
//! - classes on whole periods: tied copies cover one of them, each message once ([`Classes`]), and copies that meet n x n in n
//!   steps are one port ([`ClassOrder::quotient`]);
//! - `circulant` on whole periods with as many senders as receivers: every port is busy in every step, and all messages of a step
//!   are equally long, so one port stands for all;
//! - the same where there are fewer senders than receivers: all senders begin each step at the same time, and no receiver is late,
//!   so one sender and a receiver for each step do, if no other dimension has unequal messages or idle senders;
//! - any messages of one dimension that may be listed;
//! - products of these: kinds of processes are those of their coordinates.
//!
//! What ranks keep for themselves counts as messages.

use super::circulant::Circulant;
use super::classes::Classes;
use super::dimension::{Line, LineOrder};
use super::graph::{Edge, Graph};
use super::order::Order;
use super::traffic::Traffic;
use super::{checkerboard, classes::ClassOrder, without};

/// Messages of such ports that are simulated, at the most: as many as are always searched, however short redistributions are.
pub const MOST: u64 = 1 << 7;

/// Ports that stand for all others, their messages, and the steps of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quotient {
    /// A port for each kind.
    pub graph: Graph,
    /// The step of each message.
    pub steps: Vec<u32>,
}

/// That of `traffic` in `order`, with no more messages than `most`.
pub fn of(traffic: &Traffic, order: &Order, most: u64) -> Option<Quotient> {
    if !traffic.is_whole() || traffic.copies() != (1, 1) || without::is_out("quotients") {
        return None;
    }
    let elements = match order {
        Order::Product(lines) => product(traffic, lines, most)?,
        Order::Together(classes, order) => together(classes, order, most)?,
        _ => return None,
    };
    let Quotient { graph, steps } = elements;
    let bytes = |e: &Edge| Some(Edge { bytes: e.bytes.checked_mul(traffic.element)?, ..*e });
    let edges = graph.edges().iter().map(bytes).collect::<Option<_>>()?;
    Some(Quotient { graph: Graph::new(graph.senders(), graph.receivers(), edges), steps })
}

fn together(classes: &[Classes], order: &ClassOrder, most: u64) -> Option<Quotient> {
    let whole = classes.iter().all(|classes| classes.periods().1);
    let (small, copies) = whole.then(|| checkerboard::product_of(classes))??;
    order.quotient(&small, copies, most)
}

fn product(traffic: &Traffic, orders: &[LineOrder], most: u64) -> Option<Quotient> {
    let (mut all, mut fans) = (None::<Quotient>, false);
    let mut even = true;
    for (line, order) in traffic.lines.iter().zip(orders) {
        let (one, fan) = of_line(line, order, most)?;
        (fans, even) = (fans || fan, even && one.is_even());
        all = Some(match all {
            Some(all) => all.times(&one, most)?,
            None => one,
        });
    }
    all.filter(|_| even || !fans)
}

/// That of one dimension, and whether it has one sender instead of all, and a receiver for each step.
fn of_line(line: &Line, order: &LineOrder, most: u64) -> Option<(Quotient, bool)> {
    match order {
        LineOrder::Circulant(circulant) if circulant.periods().1 => {
            let one = of_circulant(line, circulant, most);
            one.or_else(|| listed(line, order, most).map(|all| (all, false)))
        }
        LineOrder::Classes(classes, order) if classes.periods().1 => {
            let one = order.quotient(classes.small(), classes.blow_up(), most)?;
            Some((one, false))
        }
        _ => listed(line, order, most).map(|all| (all, false)),
    }
}

fn of_circulant(line: &Line, circulant: &Circulant, most: u64) -> Option<(Quotient, bool)> {
    let alike = line.senders() == line.receivers();
    if circulant.ports().0.messages > most || line.senders() > line.receivers() {
        return None;
    }
    let message = |(k, q): (u32, u32)| {
        let receiver = if alike { 0 } else { k };
        let bytes = line.dim.shared(0, q).total();
        Some((Edge { sender: 0, receiver, bytes }, u32::try_from(circulant.step(0, q)?).ok()?))
    };
    let messages = (0..).zip(line.dim.destinations(0)).map(message).collect::<Option<Vec<_>>>()?;
    let (edges, steps): (Vec<Edge>, Vec<u32>) = messages.into_iter().unzip();
    let receivers = if alike { 1 } else { u32::try_from(edges.len()).ok()? };
    Some((Quotient { graph: Graph::new(1, receivers, edges), steps }, !alike))
}

/// All processes, where they have few messages.
fn listed(line: &Line, order: &LineOrder, most: u64) -> Option<Quotient> {
    let graph = line.quick().filter(|graph| graph.edges().len() as u64 <= most)?;
    let step = |e: &Edge| u32::try_from(order.step(e.sender, e.receiver)?).ok();
    let steps = graph.edges().iter().map(step).collect::<Option<_>>()?;
    Some(Quotient { graph: graph.clone(), steps })
}

impl Quotient {
    /// Whether all senders have a message in every step, and all messages of a step are equally long.
    fn is_even(&self) -> bool {
        let count = self.steps.iter().max().map_or(0, |&step| step as usize + 1);
        let mut lengths = vec![(0, 0); count];
        for (e, &step) in self.graph.edges().iter().zip(&self.steps) {
            let (length, senders) = &mut lengths[step as usize];
            if *senders > 0 && *length != e.bytes {
                return false;
            }
            (*length, *senders) = (e.bytes, *senders + 1);
        }
        lengths.iter().all(|&(_, senders)| senders == self.graph.senders())
    }

    /// The product of two dimensions: every message with every one.
    fn times(&self, other: &Self, most: u64) -> Option<Self> {
        let (count, others) = (self.steps.len() as u64, other.steps.len() as u64);
        let steps = other.steps.iter().max().map_or(1, |&step| u64::from(step) + 1);
        if count * others > most {
            return None;
        }
        let (mut edges, mut all) = (Vec::new(), Vec::new());
        for (a, &s) in self.graph.edges().iter().zip(&self.steps) {
            for (b, &t) in other.graph.edges().iter().zip(&other.steps) {
                edges.push(Edge {
                    sender: a.sender * other.graph.senders() + b.sender,
                    receiver: a.receiver * other.graph.receivers() + b.receiver,
                    bytes: a.bytes.checked_mul(b.bytes)?,
                });
                all.push(u32::try_from(u64::from(s) * steps + u64::from(t)).ok()?);
            }
        }
        let senders = self.graph.senders().checked_mul(other.graph.senders())?;
        let receivers = self.graph.receivers().checked_mul(other.graph.receivers())?;
        Some(Self { graph: Graph::new(senders, receivers, edges), steps: all })
    }
}

#[cfg(test)]
mod tests;
