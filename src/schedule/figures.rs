//! Figures of one dimension by itself, in elements: what an order of its messages takes, and what none can do without.
//!
//! Exact where the section has whole periods, whose messages are all of a few lengths, and where messages are few enough to
//! be counted. Elsewhere costs are upper bounds and what no schedule can do without are lower ones: the truth lies between.

use super::blocks::{Even, Uneven};
use super::certificate::Certificate;
use super::dimension::{Line, LineOrder};
use super::graph::Graph;
use super::walked::Walked;
use crate::layout::{Axis, Dist};
use crate::overlap::Overlap;
use std::ops::Range;

/// Processes whose elements are added up one after the other, at the most.
const ADDED_UP: u32 = 1 << 12;

/// What the busiest process of a side has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// Messages.
    pub messages: u64,
    /// Elements.
    pub elements: u64,
}

/// Figures of an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Steps that carry a message; at most so many if not exact.
    pub steps: u64,
    /// The sum of each step's longest message; at most that if not exact.
    pub cost: u64,
    /// No schedule costs less.
    pub cost_bound: u64,
    /// The most messages of a sender, and the most elements; no fewer if not exact.
    pub send: Port,
    /// The same of a receiver.
    pub receive: Port,
    /// Whether steps, cost and messages are exact.
    pub exact: bool,
}

impl Figures {
    /// One process sends to so many.
    pub fn copies(count: u64) -> Self {
        let (send, receive) = (Port { messages: count, elements: count }, Port { messages: 1, elements: 1 });
        Self { steps: count, cost: count, cost_bound: count, send, receive, exact: true }
    }

    /// Those of `order`, the messages being those of `line`.
    pub fn of(line: &Line, order: &LineOrder) -> Self {
        if let LineOrder::Listed(_, certificate) = order {
            return Self::counted(line, certificate);
        }
        let whole = match order {
            LineOrder::Circulant(circulant) if circulant.periods().1 => {
                // All messages of a step are equal, and all ports of a side are busy in every step.
                let (send, receive) = circulant.ports();
                let load = send.elements.max(receive.elements);
                Some(Self {
                    steps: circulant.steps(),
                    cost: load,
                    cost_bound: load,
                    send,
                    receive,
                    exact: true,
                })
            }
            LineOrder::Classes(classes, order) if classes.periods().1 => {
                let ports = busiest(classes.small(), classes.blow_up());
                Some(Self::exact(&order.certificate, ports))
            }
            _ => None,
        };
        whole
            .or_else(|| Self::recounted(line, order))
            .or_else(|| if let LineOrder::Ring(ring) = order { ring.figures() } else { None })
            .or_else(|| Self::walked(line, order))
            .unwrap_or_else(|| Self::bounded(line, order))
    }

    /// Of messages that were listed.
    fn counted(line: &Line, certificate: &Certificate) -> Self {
        let ports = line.graph().map_or_else(|| line.busiest(), |graph| busiest(graph, (1, 1)));
        Self::exact(certificate, ports)
    }

    /// Where all messages were counted.
    fn exact(c: &Certificate, (send, receive): (Port, Port)) -> Self {
        Self { steps: c.steps, cost: c.cost, cost_bound: c.bounds.cost, send, receive, exact: true }
    }

    /// Counted message by message, where there are few.
    fn recounted(line: &Line, order: &LineOrder) -> Option<Self> {
        let graph = line.quick()?;
        let step = |p, q| u32::try_from(order.step(p, q)?).ok();
        let steps: Vec<u32> =
            graph.edges().iter().map(|e| step(e.sender, e.receiver)).collect::<Option<_>>()?;
        Some(Self::counted(line, &Certificate::count(graph, &steps)))
    }

    /// Those of the closed form, counted by walks, where messages are on a line.
    pub(super) fn walked(line: &Line, order: &LineOrder) -> Option<Self> {
        let LineOrder::Ring(_) = order else { return None };
        let &Walked { send, receive, cost_bound, .. } = line.walked()?;
        let costs = line.costs()?;
        let steps = costs.iter().filter(|&&cost| cost > 0).count() as u64;
        Some(Self { steps, cost: costs.iter().sum(), cost_bound, send, receive, exact: true })
    }

    /// Between bounds.
    pub(super) fn bounded(line: &Line, order: &LineOrder) -> Self {
        let (send, receive) = line.busiest();
        let load = send.elements.max(receive.elements);
        let steps = order.steps();
        let cost = match order {
            LineOrder::Circulant(circulant) => {
                let (send, receive) = circulant.ports();
                send.elements.max(receive.elements)
            }
            LineOrder::Classes(_, order) => order.certificate.cost,
            _ => u64::MAX,
        };
        let cost = cost.min(steps.saturating_mul(longest(&line.dim, send, receive)));
        Self { steps, cost: cost.max(load), cost_bound: load, send, receive, exact: false }
    }
}

/// The most messages and the most elements of a sender and of a receiver, where edges are blown up.
pub fn busiest(graph: &Graph, (b, a): (u64, u64)) -> (Port, Port) {
    let none = Port { messages: 0, elements: 0 };
    let (mut send, mut receive) =
        (vec![none; graph.senders() as usize], vec![none; graph.receivers() as usize]);
    for e in graph.edges() {
        for (port, copies) in [(&mut send[e.sender as usize], a), (&mut receive[e.receiver as usize], b)] {
            port.messages += copies;
            port.elements += copies * e.bytes;
        }
    }
    let most = |ports: Vec<Port>| {
        ports.into_iter().fold(none, |most, port| Port {
            messages: most.messages.max(port.messages),
            elements: most.elements.max(port.elements),
        })
    };
    (most(send), most(receive))
}

/// The same of the messages of `line`, or no more than that, without a look at all of them.
pub fn estimated(line: &Line) -> (Port, Port) {
    let dim = &line.dim;
    if line.is_listed() {
        // What one process has is found by a walk along the list, and not known to others where none has it.
        let some = |procs: u32| Port { messages: dim.len.min(1), elements: dim.len.div_ceil(procs.into()) };
        return (some(line.senders()), some(line.receivers()));
    }
    let most =
        |coords: Vec<u32>, procs: u32, partners: &dyn Fn(u32) -> u64, elements: &dyn Fn(u32) -> u64| Port {
            messages: coords.iter().map(|&coord| partners(coord)).max().unwrap_or(0),
            // Some process has no less than its share.
            elements: coords
                .iter()
                .map(|&coord| elements(coord))
                .max()
                .unwrap_or(0)
                .max(dim.len.div_ceil(procs.into())),
        };
    let send = most(
        busy(&dim.from, &dim.to, dim.len),
        line.senders(),
        &|p| dim.destinations(p).len() as u64,
        &|p| dim.sends(p),
    );
    let receive =
        most(busy(&dim.to, &dim.from, dim.len), line.receivers(), &|q| dim.sources(q).len() as u64, &|q| {
            dim.receives(q)
        });
    (send, receive)
}

/// Processes of a side among which is the one with the most elements, and which have about the most messages.
fn busy(axis: &Axis, other: &Axis, len: u64) -> Vec<u32> {
    let mut coords: Vec<u32> = if let Some(even) = Even::new(axis, len) {
        let last = (even.count - 1) % even.procs;
        let places = [0, 1, 2, last, last + 1, last + even.procs - 1, even.procs / 2];
        let fullest = Even::new(other, len).and_then(|other| even.fullest(&other));
        places.into_iter().chain(fullest).map(|place| even.coord(place % even.procs)).collect()
    } else if let Some(uneven) = Uneven::new(axis, len) {
        let largest = uneven.spans().max_by_key(|(_, span)| span.end - span.start);
        let blocks = |other: Even| move |span: &Range<u64>| other.at(span.end - 1) - other.at(span.start);
        let touches = Even::new(other, len).map(blocks);
        let fullest = touches.and_then(|touches| uneven.spans().max_by_key(|(_, span)| touches(span)));
        largest.into_iter().chain(fullest).map(|(coord, _)| coord).collect()
    } else {
        let procs = axis.dist.procs();
        if is_sampled(axis, len) { vec![0, procs / 2, procs - 1] } else { (0..procs).collect() }
    };
    coords.sort_unstable();
    coords.dedup();
    coords
}

/// Whether only some processes of a side are looked at, so that another one may have more.
fn is_sampled(axis: &Axis, len: u64) -> bool {
    let known = Even::new(axis, len).is_some() || Uneven::new(axis, len).is_some();
    !known && axis.dist.procs() > ADDED_UP
}

/// At most so many elements are shared by two processes.
pub fn longest_of(line: &Line) -> u64 {
    if let Some(graph) = line.quick() {
        return graph.edges().iter().map(|e| e.bytes).max().unwrap_or(0);
    }
    let (send, receive) = line.busiest();
    longest(&line.dim, send, receive)
}

/// At most so many elements are shared by two processes, where no sender has more than `send` and no receiver more than
/// `receive`.
fn longest(dim: &Overlap, send: Port, receive: Port) -> u64 {
    let (from, to) = (Even::new(&dim.from, dim.len), Even::new(&dim.to, dim.len));
    // Of lists that are not walked along, no more is known than the mean of what processes have: so one may have all.
    let listed = [&dim.from, &dim.to].iter().any(|axis| matches!(axis.dist, Dist::Indirect(_)));
    let most = |axis, port: Port| match listed || is_sampled(axis, dim.len) {
        true => dim.len,
        false => port.elements,
    };
    let (sent, received) = (most(&dim.from, send), most(&dim.to, receive));
    // A stretch of elements and what one process has of it, which is dealt out evenly.
    let of = |stretch: u64, even: &Even| {
        if even.procs == 1 {
            stretch
        } else {
            stretch.div_ceil(even.cycle()).saturating_mul(even.block).min(stretch)
        }
    };
    let by_blocks =
        |mine: &Even, theirs: &Even| mine.count.div_ceil(mine.procs).saturating_mul(of(mine.block, theirs));
    let bound = match (&from, &to) {
        (Some(from), Some(to)) => by_blocks(from, to).min(by_blocks(to, from)),
        (None, Some(to)) if Uneven::new(&dim.from, dim.len).is_some() => of(sent, to),
        (Some(from), None) if Uneven::new(&dim.to, dim.len).is_some() => of(received, from),
        _ => u64::MAX,
    };
    bound.min(sent).min(received)
}
