//! All dimensions scheduled as one. What the messages of a dimension are taken to be is a small graph, each edge of which stands for so
//! many senders and receivers, each with each: a product of such graphs is one again, and is scheduled as classes are ([`ClassOrder`]).
//!
//! A dimension counts by its classes, or message by message; or it is taken to be complete, which those of few processes and many
//! blocks nearly are.

use super::super::certificate::Certificate;
use super::super::classes::{ClassOrder, Classes, Member};
use super::super::dimension::Line;
use super::super::figures::longest_of;
use super::super::graph::{Edge, Graph};
use super::super::lookup::Lookup;
use super::super::traffic::Traffic;
use super::super::without;
use super::short;

/// Edges of the product of small graphs of several dimensions, at the most.
const EDGES: usize = 1 << 12;

/// The schedule.
#[derive(Clone, Debug)]
pub struct Together {
    dims: Vec<Structure>,
    order: ClassOrder,
}

/// What the messages of a dimension are taken to be.
#[derive(Clone, Debug)]
enum Structure {
    Classes(Classes),
    /// Message by message; how many there are.
    Listed(Lookup, usize),
    /// A message from each process to each.
    Complete,
}

/// The structures of all dimensions, the product of their small graphs, and what its edges stand for.
struct Way {
    dims: Vec<Structure>,
    small: Graph,
    copies: (u64, u64),
    /// The longest message that all dimensions have together which are taken to be complete.
    longest: u64,
}

impl Together {
    /// All dimensions by classes, with figures in elements, if that takes fewer steps than `steps`.
    pub fn by_classes(traffic: &Traffic, steps: u64) -> Option<(Self, Certificate)> {
        Way::by_classes(traffic)?.scheduled(steps)
    }

    /// One dimension message by message, the others complete: the same of the one that takes the fewest steps.
    pub fn listed(traffic: &Traffic, steps: u64) -> Option<(Self, Certificate)> {
        let ways = (0..traffic.lines.len()).filter_map(|dim| Way::listed(traffic, dim));
        ways.min_by_key(Way::steps)?.scheduled(steps)
    }

    /// Whether the figures are those of all messages, if all of them are sent.
    pub fn is_exact(&self) -> bool {
        self.dims.iter().all(|dim| matches!(dim, Structure::Classes(classes) if classes.periods().1))
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.order.steps()
    }

    /// The step of the message between the processes at `from` and `to`; `None` if there is none.
    pub fn step(&self, traffic: &Traffic, from: &[u32], to: &[u32]) -> Option<u64> {
        let mut all = Member { edge: 0, sender: 0, receiver: 0 };
        for (dim, (line, (&p, &q))) in self.dims.iter().zip(traffic.lines.iter().zip(from.iter().zip(to))) {
            let (member, edges) = match dim {
                Structure::Classes(classes) => (classes.member(p, q)?, classes.small().edges().len()),
                Structure::Listed(found, edges) => {
                    let edge = usize::try_from(found.get(p, q)?).ok()?;
                    (Member { edge, sender: 0, receiver: 0 }, *edges)
                }
                Structure::Complete => (Member { edge: 0, sender: p.into(), receiver: q.into() }, 1),
            };
            let (b, a) = dim.copies(line);
            all.edge = all.edge * edges + member.edge;
            all.sender = all.sender * b + member.sender;
            all.receiver = all.receiver * a + member.receiver;
        }
        Some(self.order.step(&all))
    }
}

impl Structure {
    /// Senders and receivers that an edge stands for.
    fn copies(&self, line: &Line) -> (u64, u64) {
        match self {
            Self::Classes(classes) => classes.blow_up(),
            Self::Listed(..) => (1, 1),
            Self::Complete => (line.senders().into(), line.receivers().into()),
        }
    }

    /// The messages of one of them.
    fn graph(&self, line: &Line) -> Option<Graph> {
        match self {
            Self::Classes(classes) => Some(classes.small().clone()),
            Self::Listed(..) => short(line).cloned(),
            Self::Complete => Some(one_message()),
        }
    }
}

/// What every edge combines with and stays what it is.
fn one_message() -> Graph {
    Graph::new(1, 1, vec![Edge { sender: 0, receiver: 0, bytes: 1 }])
}

impl Way {
    /// All dimensions by classes.
    fn by_classes(traffic: &Traffic) -> Option<Self> {
        let classes: Vec<&Classes> = traffic.lines.iter().map(Line::classes).collect::<Option<_>>()?;
        let edges = classes.iter().try_fold(1usize, |n, of| n.checked_mul(of.small().edges().len()))?;
        let dims = classes.into_iter().cloned().map(Structure::Classes).collect();
        (edges <= EDGES && !without::is_out("classes together")).then(|| Self::of(traffic, dims))?
    }

    /// One dimension message by message, if they are few, and the others complete.
    fn listed(traffic: &Traffic, dim: usize) -> Option<Self> {
        if without::is_out("blown-up dimensions") {
            return None;
        }
        let graph = short(&traffic.lines[dim])?;
        let mut dims = vec![Structure::Complete; traffic.lines.len()];
        dims[dim] = Structure::Listed(Lookup::new(graph, 0..), graph.edges().len());
        Self::of(traffic, dims)
    }

    fn of(traffic: &Traffic, dims: Vec<Structure>) -> Option<Self> {
        let (mut small, mut copies, mut longest) = (one_message(), (1, 1), 1u64);
        for (dim, line) in dims.iter().zip(&traffic.lines) {
            let (b, a) = dim.copies(line);
            small = tensor(&small, &dim.graph(line)?);
            copies = (copies.0 * b, copies.1 * a);
            if let Structure::Complete = dim {
                longest = longest.saturating_mul(longest_of(line));
            }
        }
        Some(Self { dims, small, copies, longest })
    }

    /// The schedule of the product, if it takes fewer steps than `steps`.
    fn scheduled(self, steps: u64) -> Option<(Together, Certificate)> {
        if self.steps() >= steps {
            return None;
        }
        let order = ClassOrder::new(&self.small, self.copies).filter(|order| order.steps() < steps)?;
        let mut certificate = order.certificate.clone();
        certificate.cost = certificate.cost.saturating_mul(self.longest);
        Some((Together { dims: self.dims, order }, certificate))
    }

    /// No schedule takes fewer steps.
    fn steps(&self) -> u64 {
        let (send, receive) = self.small.most();
        u64::from(send).saturating_mul(self.copies.1).max(u64::from(receive).saturating_mul(self.copies.0))
    }
}

/// Every edge of `a` with every edge of `b`, in row-major order.
fn tensor(a: &Graph, b: &Graph) -> Graph {
    let pair = |x: &Edge, y: &Edge| Edge {
        sender: x.sender * b.senders() + y.sender,
        receiver: x.receiver * b.receivers() + y.receiver,
        bytes: x.bytes.saturating_mul(y.bytes),
    };
    let edges = a.edges().iter().flat_map(|x| b.edges().iter().map(move |y| pair(x, y))).collect();
    Graph::new(a.senders() * b.senders(), a.receivers() * b.receivers(), edges)
}
