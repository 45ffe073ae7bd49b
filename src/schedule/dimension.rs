//! One dimension of a redistribution by itself: its messages, its structure, and the best order of them.
//!
//! What is asked for is worked out once. It knows one dimension; that there may be others is [`traffic`](super::traffic)'s
//! affair.

mod order;

pub use order::LineOrder;

use super::blocks::{Even, Uneven};
use super::certificate::Certificate;
use super::circulant::Circulant;
use super::classes::{ClassOrder, Classes};
use super::effort::Effort;
use super::figures::{self, Port, busiest};
use super::graph::{Edge, Graph};
use super::lookup::Lookup;
use super::ring::Ring;
use super::walked::{self, Walked};
use super::{colouring, without};
use crate::layout::{Axis, Dist};
use crate::overlap::Overlap;
use num_integer::Integer;
use std::cell::OnceCell;
use std::sync::Arc;

/// Messages that are listed one by one, at the most.
pub const LISTED: u64 = 1 << 21;
/// Runs that are looked at to list the messages pair by pair, where no walk along the section finds them: some 0.5 s.
const LOOKED_AT: u64 = 1 << 25;
/// How many times as many blocks as pairs are walked along rather than asking pair by pair.
const WALKED: u64 = 4;
/// Messages of one dimension that are always ordered one by one, at the most.
const FEW: u64 = 1 << 12;

/// One dimension of the traffic.
#[derive(Debug)]
pub struct Line {
    /// The redistribution of this dimension.
    pub dim: Overlap,
    classes: OnceCell<Option<Classes>>,
    by_classes: OnceCell<Option<LineOrder>>,
    graph: OnceCell<Option<Graph>>,
    order: OnceCell<LineOrder>,
    busiest: OnceCell<(Port, Port)>,
    ring: OnceCell<Ring>,
    kinds: OnceCell<Option<Ring>>,
    walked: OnceCell<Option<Walked>>,
    costs: OnceCell<Option<Vec<u64>>>,
    effort: Effort,
}

impl Line {
    /// The dimension `dim`.
    pub fn new(dim: Overlap) -> Self {
        Self {
            dim,
            classes: OnceCell::new(),
            by_classes: OnceCell::new(),
            graph: OnceCell::new(),
            order: OnceCell::new(),
            busiest: OnceCell::new(),
            ring: OnceCell::new(),
            kinds: OnceCell::new(),
            walked: OnceCell::new(),
            costs: OnceCell::new(),
            effort: Effort::MOST,
        }
    }

    /// The same where so many messages may be looked at one by one while a program waits.
    pub fn within(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// The messages that may be looked at one by one while a program waits.
    pub fn effort(&self) -> Effort {
        self.effort
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

    /// The order by a formula, if there is one.
    pub fn circulant(&self) -> Option<LineOrder> {
        if without::is_out("circulant everywhere") {
            return None;
        }
        Circulant::new(&self.dim).map(LineOrder::Circulant)
    }

    /// The order by classes, if there is one.
    pub fn by_classes(&self) -> Option<&LineOrder> {
        let order = || {
            let classes = self.classes()?;
            let order = ClassOrder::new(classes.small(), classes.blow_up())?;
            Some(LineOrder::Classes(classes.clone(), order))
        };
        self.by_classes.get_or_init(order).as_ref()
    }

    /// The order by where processes first meet.
    pub fn ring(&self) -> &Ring {
        self.ring.get_or_init(|| Ring::new(&self.dim, self.walked()))
    }

    /// The same, in fewer steps by kinds of meetings where there may be fewer.
    pub fn ring_of_fewest(&self) -> &Ring {
        let ring = self.ring();
        let fewer = || {
            let (send, receive) = self.busiest();
            let may = ring.steps() > send.messages.max(receive.messages);
            may.then(|| ring.of_kinds(self.effort.list))?
        };
        self.kinds.get_or_init(fewer).as_ref().unwrap_or(ring)
    }

    /// Its messages, counted by a walk, where they are on a line and a side is a list of sizes.
    pub fn walked(&self) -> Option<&Walked> {
        self.walked.get_or_init(|| Walked::new(&self.dim)).as_ref()
    }

    /// The longest message of each step of [`Line::ring`], where messages are on a line.
    pub fn costs(&self) -> Option<&[u64]> {
        self.costs.get_or_init(|| walked::costs(&self.dim, self.ring())).as_deref()
    }

    /// The order of messages that are listed, if they are not too many: fewest steps.
    pub fn listed(&self) -> Option<LineOrder> {
        if let Some(known @ LineOrder::Listed(..)) = self.order.get() {
            return Some(known.clone());
        }
        let few = self.graph()?.edges().len() as u64 <= self.effort.search;
        let graph = self.graph()?;
        let steps = if few { colouring::colour(graph) } else { colouring::fewest(graph) };
        let certificate = Certificate::count(graph, &steps);
        Some(LineOrder::Listed(Arc::new(Lookup::new(graph, steps)), certificate))
    }

    /// Its messages, with elements for bytes. Costs time in proportion to them; `None` if there may be more than
    /// [`LISTED`], if it takes long to count what two processes share, or if nobody knows them all.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.get_or_init(|| (self.about() <= LISTED).then(|| self.list())?).as_ref()
    }

    /// Its messages, if they may be listed while a program waits, or a side is a list of runs: there one walk finds all.
    pub fn quick(&self) -> Option<&Graph> {
        (self.messages_at_most() <= self.effort.list || self.is_listed()).then(|| self.graph())?
    }

    /// The best order of this dimension by itself.
    pub fn order(&self) -> &LineOrder {
        self.order.get_or_init(|| order::best(self))
    }

    fn list(&self) -> Option<Graph> {
        let mut edges = Vec::new();
        let listed = || if self.is_listed() { self.dim.along_lists() } else { None };
        if let Some(line) = self.dim.along_the_line().or_else(listed) {
            edges.extend(line.into_iter().map(|(sender, receiver, bytes)| Edge { sender, receiver, bytes }));
        } else if let Some(met) = self.met() {
            edges = met;
        } else if self.dim.is_partial() || self.pairs().saturating_mul(self.dim.looks()) > LOOKED_AT {
            return None;
        } else {
            for sender in 0..self.senders() {
                for receiver in self.dim.destinations(sender) {
                    let bytes = self.dim.shared(sender, receiver).total();
                    edges.push(Edge { sender, receiver, bytes });
                }
            }
        }
        Some(Graph::new(self.senders(), self.receivers(), edges))
    }

    /// All messages by a walk along the blocks of both sides, where they are of one size each and not many more than pairs.
    fn met(&self) -> Option<Vec<Edge>> {
        let (from, to) = (Even::new(&self.dim.from, self.dim.len)?, Even::new(&self.dim.to, self.dim.len)?);
        let blocks = from.count.saturating_add(to.count);
        let few = blocks <= LISTED && blocks / WALKED <= self.pairs() && !self.dim.is_partial();
        let edge = |(sender, receiver, bytes)| Edge { sender, receiver, bytes };
        few.then(|| from.meetings(&to, self.dim.len).into_iter().map(edge).collect())
    }

    /// Whether a side is dealt by a list.
    pub fn is_listed(&self) -> bool {
        [&self.dim.from, &self.dim.to].iter().any(|axis| matches!(axis.dist, Dist::Indirect(_)))
    }

    /// The number of messages, or no fewer where that takes long to count.
    pub fn messages(&self) -> u64 {
        let counted = || self.quick().map(|graph| graph.edges().len() as u64);
        let walked = || self.walked().map(|walked| walked.messages);
        self.of_whole_periods().or_else(counted).or_else(walked).unwrap_or_else(|| self.messages_at_most())
    }

    /// The number of messages, or no fewer where the section has no whole period.
    pub fn about(&self) -> u64 {
        self.of_whole_periods().unwrap_or_else(|| self.messages_at_most())
    }

    /// The number of messages, where the section has a whole period.
    fn of_whole_periods(&self) -> Option<u64> {
        let cycle = |axis: &Axis| {
            let dealt = axis.round_robin()?;
            Some(if dealt.procs == 1 { 1 } else { u128::from(dealt.block) * u128::from(dealt.procs) })
        };
        // Classes need not be found where the section is shorter.
        let (from, to, len) = (cycle(&self.dim.from)?, cycle(&self.dim.to)?, u128::from(self.dim.len));
        if from > len || to > len || from.lcm(&to) > len {
            return None;
        }
        let classes = self.classes().filter(|classes| classes.periods().0 > 0)?;
        let (b, a) = classes.blow_up();
        Some(classes.small().edges().len() as u64 * classes.tied() * a * b)
    }

    /// Pairs of a sender and a receiver.
    fn pairs(&self) -> u64 {
        u64::from(self.senders()) * u64::from(self.receivers())
    }

    /// There are no more messages: pairs of processes, meetings of blocks, or elements.
    fn messages_at_most(&self) -> u64 {
        let pairs = self.pairs();
        let blocks = |axis| {
            let even = || Even::new(axis, self.dim.len).map(|even| even.count);
            let uneven = || Uneven::new(axis, self.dim.len).map(|_| axis.dist.procs().into());
            let listed = || match &axis.dist {
                Dist::Indirect(dist) => dist.count(),
                _ => None,
            };
            even().or_else(uneven).or_else(listed).unwrap_or(self.dim.len)
        };
        let meetings = blocks(&self.dim.from).saturating_add(blocks(&self.dim.to));
        pairs.min(meetings).min(self.dim.len)
    }

    /// The most messages and the most elements of a sender and of a receiver, or no more than that where all messages
    /// would have to be counted.
    pub fn busiest(&self) -> (Port, Port) {
        let count = || match (self.quick(), self.walked()) {
            (Some(graph), _) => busiest(graph, (1, 1)),
            (None, Some(walked)) => (walked.send, walked.receive),
            (None, None) => figures::estimated(self),
        };
        *self.busiest.get_or_init(count)
    }
}

#[cfg(test)]
mod tests;
