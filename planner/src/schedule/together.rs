//! Schedules several dimensions as one.
//!
//! A small graph describes the messages of each dimension: each edge stands for a complete graph of several senders and
//! receivers. The product of the small graphs describes the messages of all dimensions, and [`BlownUp`] schedules it.
//! The small graph of a dimension has one edge for each class of messages, one edge for each message, or a single edge,
//! as if each process sent a message to each process of the other side. The last is nearly true of dimensions with few
//! processes and many blocks.

use super::blocks::sides;
use super::blown_up::BlownUp;
use super::classes::{Classes, Member};
use super::course::ClosedForm;
use super::dimension::Dimension;
use super::graph::{Edge, Graph};
use super::limits::MAX_SCANNED;
use super::lookup::Lookup;
use super::order::Order;
use super::without;
use std::sync::Arc;

/// Schedule of the product of all dimensions.
#[derive(Debug)]
pub struct Together {
    dims: Vec<Factor>,
    order: BlownUp,
}

/// Messages of a dimension, the number of edges of its small graph, and the numbers of senders and receivers that each
/// edge stands for.
#[derive(Debug)]
struct Factor {
    messages: FactorMessages,
    edges: usize,
    copies: (u64, u64),
}

#[derive(Debug)]
enum FactorMessages {
    Classes(Classes),
    /// The messages, one by one.
    Listed(Lookup),
    /// A message from each process to each process of the other side.
    Complete,
}

/// Returns the schedule of one or several dimensions by their classes, or the reason why there is none.
pub fn by_classes(dims: &[&Dimension]) -> Result<ClosedForm, String> {
    let too_many = || "there are too many classes of messages".to_string();
    let mut edges = 1usize;
    let mut structures = Vec::new();
    for dim in dims {
        sides(&dim.overlap)?;
        let classes = dim.classes().ok_or_else(too_many)?;
        edges = edges.saturating_mul(classes.small().edges().len());
        structures.push(classes);
    }
    if dims.len() > 1 && (edges as u64 > MAX_SCANNED || without::is_left_out("classes together")) {
        return Err(too_many());
    }
    let factor = |classes: &&Classes| (Factor::of_classes(classes), classes.small().clone());
    let exact = structures.iter().all(|classes| classes.periods().1);
    Together::in_closed_form(structures.iter().map(factor), 1, exact).ok_or_else(too_many)
}

/// Returns the schedule with one dimension listed message by message and the others treated as complete. Lists the
/// dimension that gives the fewest steps. Returns an error if every dimension has too many messages.
pub fn complete(dims: &[&Dimension]) -> Result<ClosedForm, String> {
    let too_many = || "there are too many messages in every dimension".to_string();
    // (Steps if dimension `d` is listed, `d`, its messages).
    let listed = |d: usize| {
        let graph = dims[d].small_graph()?;
        let (send, receive) = graph.max_degrees();
        let others = || dims.iter().enumerate().filter(|&(other, _)| other != d);
        let senders = others().fold(u64::from(receive), |n, (_, dim)| n.saturating_mul(dim.senders().into()));
        let receivers =
            others().fold(u64::from(send), |n, (_, dim)| n.saturating_mul(dim.receivers().into()));
        Some((senders.max(receivers), d, graph))
    };
    let all = (0..dims.len()).filter_map(listed);
    let (_, listed, graph) = all.min_by_key(|&(steps, d, _)| (steps, d)).ok_or_else(too_many)?;
    let longest = |(d, dim): (usize, &&Dimension)| if d == listed { 1 } else { dim.shared_elements_bound() };
    let longest = dims.iter().enumerate().map(longest).fold(1, u64::saturating_mul);
    let factor = |(d, dim): (usize, &&Dimension)| match d == listed {
        true => (Factor::listed(graph), graph.clone()),
        false => (Factor::complete(dim), one_message()),
    };
    Together::in_closed_form(dims.iter().enumerate().map(factor), longest, false).ok_or_else(too_many)
}

impl Together {
    /// Schedules the product of the small graphs. Each edge of a complete dimension counts as 1 element; `longest` is
    /// an upper bound of the elements that two processes share along all complete dimensions.
    fn in_closed_form(
        factors: impl Iterator<Item = (Factor, Graph)>,
        longest: u64,
        exact: bool,
    ) -> Option<ClosedForm> {
        let (mut dims, mut small, mut copies) = (Vec::new(), one_message(), (1u64, 1u64));
        for (factor, graph) in factors {
            small = tensor(&small, &graph);
            copies = (copies.0.checked_mul(factor.copies.0)?, copies.1.checked_mul(factor.copies.1)?);
            dims.push(factor);
        }
        let order = BlownUp::new(&small, copies)?;
        let (steps, cost) = (order.steps(), order.certificate.cost.saturating_mul(longest));
        Some(ClosedForm { order: Arc::new(Self { dims, order }), steps, cost, exact })
    }
}

impl Factor {
    fn of_classes(classes: &Classes) -> Self {
        let edges = classes.small().edges().len();
        Self { messages: FactorMessages::Classes(classes.clone()), edges, copies: classes.blow_up() }
    }

    fn listed(graph: &Graph) -> Self {
        let messages = FactorMessages::Listed(Lookup::new(graph, 0..));
        Self { messages, edges: graph.edges().len(), copies: (1, 1) }
    }

    fn complete(dim: &Dimension) -> Self {
        let copies = (dim.senders().into(), dim.receivers().into());
        Self { messages: FactorMessages::Complete, edges: 1, copies }
    }

    /// Returns the edge of the message from process `p` to process `q`, and the message's place in the complete graph
    /// of that edge. `None` if there is no such message.
    fn member(&self, p: u32, q: u32) -> Option<Member> {
        match &self.messages {
            FactorMessages::Classes(classes) => classes.member(p, q),
            FactorMessages::Listed(found) => {
                let edge = usize::try_from(found.get(p, q)?).ok()?;
                Some(Member { edge, sender: 0, receiver: 0 })
            }
            FactorMessages::Complete => Some(Member { edge: 0, sender: p.into(), receiver: q.into() }),
        }
    }
}

impl Order for Together {
    fn steps(&self) -> u64 {
        self.order.steps()
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let mut all = Member { edge: 0, sender: 0, receiver: 0 };
        for ((dim, &p), &q) in self.dims.iter().zip(from).zip(to) {
            let member = dim.member(p, q)?;
            all.edge = all.edge * dim.edges + member.edge;
            all.sender = all.sender * dim.copies.0 + member.sender;
            all.receiver = all.receiver * dim.copies.1 + member.receiver;
        }
        Some(self.order.step(&all))
    }
}

/// The neutral element of [`tensor`].
fn one_message() -> Graph {
    Graph::new(1, 1, vec![Edge { sender: 0, receiver: 0, bytes: 1 }])
}

/// Returns the product of two graphs: combines every edge of `a` with every edge of `b`, in row-major order.
fn tensor(a: &Graph, b: &Graph) -> Graph {
    let pair = |x: &Edge, y: &Edge| Edge {
        sender: x.sender * b.senders() + y.sender,
        receiver: x.receiver * b.receivers() + y.receiver,
        bytes: x.bytes.saturating_mul(y.bytes),
    };
    let edges = a.edges().iter().flat_map(|x| b.edges().iter().map(move |y| pair(x, y))).collect();
    Graph::new(a.senders() * b.senders(), a.receivers() * b.receivers(), edges)
}
