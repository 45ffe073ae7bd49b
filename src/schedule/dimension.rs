//! One dimension of a redistribution by itself: its messages, its structure, and the best order of them.
//!
//! What is asked for is worked out once. It knows one dimension; that there may be others is [`traffic`](super::traffic)'s
//! affair.

use super::circulant::Circulant;
use super::classes::{ClassOrder, Classes};
use super::graph::{Edge, Graph};
use crate::layout::Dist;
use crate::overlap::Overlap;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Messages that are listed one by one, at the most.
pub const LISTED: u64 = 1 << 21;

/// One dimension of the traffic.
#[derive(Debug)]
pub struct Line {
    /// The redistribution of this dimension.
    pub dim: Overlap,
    classes: OnceCell<Option<Classes>>,
    graph: OnceCell<Option<Graph>>,
    order: OnceCell<Option<LineOrder>>,
}

impl Line {
    /// The dimension `dim`.
    pub fn new(dim: Overlap) -> Self {
        Self { dim, classes: OnceCell::new(), graph: OnceCell::new(), order: OnceCell::new() }
    }

    /// Source processes.
    pub fn senders(&self) -> u32 {
        self.dim.from.dist.procs()
    }

    /// Destination processes.
    pub fn receivers(&self) -> u32 {
        self.dim.to.dist.procs()
    }

    /// Its class structure, if it has one: then nothing of it need be listed.
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.get_or_init(|| Classes::new(&self.dim)).as_ref()
    }

    /// Its schedule in closed form, if it has one.
    pub fn circulant(&self) -> Option<Circulant> {
        Circulant::new(&self.dim)
    }

    /// Its messages, with elements for bytes. Costs time in proportion to them; `None` if there may be more than
    /// [`LISTED`], or if nobody knows them all.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.get_or_init(|| self.list()).as_ref()
    }

    /// The best order of this dimension by itself.
    pub fn order(&self) -> Option<&LineOrder> {
        self.order.get_or_init(|| line_order(self)).as_ref()
    }

    fn list(&self) -> Option<Graph> {
        let mut edges = Vec::new();
        let listed = || if self.is_listed() { self.dim.along_lists() } else { None };
        if let Some(line) = self.dim.along_the_line().or_else(listed) {
            edges.extend(line.into_iter().map(|(sender, receiver, bytes)| Edge { sender, receiver, bytes }));
        } else if self.pairs() <= LISTED && !self.dim.is_partial() {
            for sender in 0..self.senders() {
                for receiver in self.dim.destinations(sender) {
                    let bytes = self.dim.shared(sender, receiver).total();
                    edges.push(Edge { sender, receiver, bytes });
                }
            }
        } else {
            return None;
        }
        Some(Graph::new(self.senders(), self.receivers(), edges))
    }

    fn is_listed(&self) -> bool {
        [&self.dim.from, &self.dim.to].iter().any(|axis| matches!(axis.dist, Dist::Indirect(_)))
    }

    fn pairs(&self) -> u64 {
        u64::from(self.senders()) * u64::from(self.receivers())
    }

    /// The number of messages, or of pairs of processes where that cannot be counted.
    pub fn messages(&self) -> u64 {
        if let Some(classes) = self.classes() {
            let (b, a) = classes.blow_up();
            return classes.small().edges().len() as u64 * classes.tied() * a * b;
        }
        self.graph().map_or_else(|| self.pairs(), |graph| graph.edges().len() as u64)
    }
}

/// The steps of one dimension's messages.
#[derive(Clone, Debug)]
pub enum LineOrder {
    /// In closed form.
    Circulant(Circulant),
    /// By classes.
    Classes(Classes, ClassOrder),
    /// One by one: by (source process, destination process).
    Listed(HashMap<(u32, u32), u32>, u64),
}

impl LineOrder {
    /// The number of steps.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Circulant(c) => c.steps(),
            Self::Classes(_, order) => order.steps(),
            Self::Listed(_, steps) => *steps,
        }
    }

    /// The step of the message from process `p` to process `q`; `None` if there is none.
    pub fn step(&self, p: u32, q: u32) -> Option<u64> {
        match self {
            Self::Circulant(c) => c.step(p, q),
            Self::Classes(classes, order) => classes.member(p, q).map(|member| order.step(&member)),
            Self::Listed(steps, _) => steps.get(&(p, q)).map(|&step| step.into()),
        }
    }
}

/// The best order of one dimension by itself: fewest steps, equal messages where that can be had. `None` where it has no
/// structure and too many messages.
fn line_order(line: &Line) -> Option<LineOrder> {
    if let Some(circulant) = line.circulant() {
        return Some(LineOrder::Circulant(circulant));
    }
    let by_classes = line.classes().and_then(|classes| {
        let order = ClassOrder::new(classes.small(), classes.blow_up())?;
        Some(LineOrder::Classes(classes.clone(), order))
    });
    by_classes.or_else(|| {
        let graph = line.graph()?;
        let steps = super::gen_block::colour(graph);
        let count = steps.iter().max().map_or(0, |&step| u64::from(step) + 1);
        let at = graph.edges().iter().zip(steps).map(|(e, step)| ((e.sender, e.receiver), step)).collect();
        Some(LineOrder::Listed(at, count))
    })
}
