//! Grids of two and more dimensions (Sudarsan and Ribbens 2007): the schedules of the dimensions combined.
//!
//! If message p1 -> q1 goes in step s1 of the rows' schedule and p2 -> q2 in step s2 of the columns', let (p1, p2) -> (q1, q2)
//! go in step s1 n2 + s2: a port that is once in each step of either is once in each step of both, growing and
//! shrinking. The cost is the product of the costs. The steps are fewest if the same side, senders or receivers, is
//! busiest in all dimensions; else (growing rows while shrinking columns, say) the classes of all dimensions are
//! scheduled together: a product of class structures is one again.

use super::certificate::Certificate;
use super::circulant::Port;
use super::classes::{ClassOrder, Classes};
use super::dimension::{Line, LineOrder};
use super::graph::{Bounds, Edge, Graph};
use super::order::Order;
use super::traffic::Traffic;

/// Edges of the product of the small graphs, at the most.
const TOGETHER: usize = 1 << 12;

/// Fewest steps, then least cost, of what combines; `None` where a dimension has too many messages to be listed.
pub fn order(traffic: &Traffic) -> Option<(Order, Certificate)> {
    let (order, certificate) = apart_only(traffic)?;
    let together = || together(traffic).filter(|_| traffic.copies() == (1, 1));
    if certificate.fewest_steps() {
        return Some((order, certificate));
    }
    match together() {
        Some((classes, order)) if better(&order.certificate, &certificate, traffic.element) => {
            let mut certificate = scaled(&order.certificate, traffic.element);
            certificate.messages = traffic.messages();
            Some((Order::Together(classes, order), certificate))
        }
        _ => Some((order, certificate)),
    }
}

/// The product of the dimensions' own schedules. Copies of the destination are one more dimension, in which one process
/// sends to all; of several copies of the source each rank reads the nearest, which is no product.
pub fn apart_only(traffic: &Traffic) -> Option<(Order, Certificate)> {
    let (1, copies) = traffic.copies() else { return None };
    let lines: Vec<LineOrder> =
        traffic.lines.iter().map(|line| line.order().cloned()).collect::<Option<_>>()?;
    let certificate = apart(traffic, &lines)?;
    let one = Order::Product(lines);
    Some((if copies > 1 { Order::Copies(Box::new(one), copies) } else { one }, certificate))
}

fn better(together: &Certificate, apart: &Certificate, element: u64) -> bool {
    (together.steps, together.cost * element) < (apart.steps, apart.cost)
}

fn scaled(c: &Certificate, element: u64) -> Certificate {
    let Bounds { steps, cost, load } = c.bounds;
    let bounds = Bounds { steps, cost: cost * element, load: load * element };
    Certificate { steps: c.steps, cost: c.cost * element, bounds, messages: c.messages }
}

/// The figures of the product: products of the figures.
fn apart(traffic: &Traffic, lines: &[LineOrder]) -> Option<Certificate> {
    let figures = traffic.lines.iter().zip(lines).map(|(line, order)| Figures::of(line, order));
    let mut all: Vec<Figures> = figures.collect::<Option<_>>()?;
    all.push(Figures::copies(traffic.copies().1));
    let product = |of: fn(&Figures) -> u64| all.iter().map(of).fold(1, u64::saturating_mul);
    let load = product(|f| f.send.elements).max(product(|f| f.receive.elements));
    // A dimension that stays on one process changes nothing but lengths.
    let alone = all.iter().filter(|f| f.steps > 1).count() <= 1;
    let bounds = Bounds {
        steps: product(|f| f.send.messages).max(product(|f| f.receive.messages)),
        cost: traffic.element.saturating_mul(if alone { product(|f| f.cost_bound) } else { load }),
        load: traffic.element.saturating_mul(load),
    };
    let cost = traffic.element.saturating_mul(product(|f| f.cost));
    Some(Certificate { steps: product(|f| f.steps), cost, bounds, messages: traffic.messages() })
}

/// Figures of one dimension, in elements.
struct Figures {
    steps: u64,
    cost: u64,
    cost_bound: u64,
    /// The busiest sender: the most messages of one, and the most elements of one.
    send: Port,
    receive: Port,
}

impl Figures {
    /// One process sends to so many.
    fn copies(count: u64) -> Self {
        let (send, receive) = (Port { messages: count, elements: count }, Port { messages: 1, elements: 1 });
        Self { steps: count, cost: count, cost_bound: count, send, receive }
    }

    fn of(line: &Line, order: &LineOrder) -> Option<Self> {
        Some(match order {
            LineOrder::Circulant(circulant) => {
                // All messages of a step are equal, and all ports of a side are busy in every step.
                let (send, receive) = circulant.ports();
                let load = send.elements.max(receive.elements);
                Self { steps: circulant.steps(), cost: load, cost_bound: load, send, receive }
            }
            LineOrder::Classes(classes, order) => {
                let (send, receive) = busiest(classes.small(), classes.blow_up());
                let c = &order.certificate;
                Self { steps: c.steps, cost: c.cost, cost_bound: c.bounds.cost, send, receive }
            }
            LineOrder::Listed(at, _) => {
                let graph = line.graph()?;
                let steps: Vec<u32> = graph.edges().iter().map(|e| at[&(e.sender, e.receiver)]).collect();
                let c = Certificate::count(graph, &steps);
                let (send, receive) = busiest(graph, (1, 1));
                Self { steps: c.steps, cost: c.cost, cost_bound: c.bounds.cost, send, receive }
            }
        })
    }
}

/// The most messages and the most elements of a sender and of a receiver, where edges are blown up.
fn busiest(graph: &Graph, (b, a): (u64, u64)) -> (Port, Port) {
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

/// The product of all dimensions' class structures, scheduled as one.
fn together(traffic: &Traffic) -> Option<(Vec<Classes>, ClassOrder)> {
    let classes: Option<Vec<Classes>> = traffic.lines.iter().map(|line| line.classes().cloned()).collect();
    let classes = classes?;
    let edges = classes.iter().try_fold(1usize, |n, c| n.checked_mul(c.small().edges().len()))?;
    if edges > TOGETHER {
        return None;
    }
    let mut small = Graph::new(1, 1, vec![Edge { sender: 0, receiver: 0, bytes: 1 }]);
    let mut copies = (1, 1);
    for c in &classes {
        small = tensor(&small, c.small());
        copies = (copies.0 * c.blow_up().0, copies.1 * c.blow_up().1);
    }
    let order = ClassOrder::new(&small, copies)?;
    Some((classes, order))
}

/// Every edge of `a` with every edge of `b`, in row-major order.
fn tensor(a: &Graph, b: &Graph) -> Graph {
    let pair = |x: &Edge, y: &Edge| Edge {
        sender: x.sender * b.senders() + y.sender,
        receiver: x.receiver * b.receivers() + y.receiver,
        bytes: x.bytes * y.bytes,
    };
    let edges = a.edges().iter().flat_map(|x| b.edges().iter().map(move |y| pair(x, y))).collect();
    Graph::new(a.senders() * b.senders(), a.receivers() * b.receivers(), edges)
}

#[cfg(test)]
mod table_2;
#[cfg(test)]
pub(super) mod tests;
