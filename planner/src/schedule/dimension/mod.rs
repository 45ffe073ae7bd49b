//! Messages and structure of one dimension of a redistribution. Each figure is computed at most once, on demand.
//! Several dimensions are combined in [`traffic`](super::traffic).

use super::blocks::{EqualBlocks, UnequalBlocks};
use super::classes::Classes;
use super::graph::{Edge, Graph};
use super::limits::{MAX_COLOURED, MAX_EXAMINED_RUNS, MAX_LISTED};
use super::loads::{self, Port};
use super::planning_budget::Effort;
use super::walk::WalkFigures;
use crate::layout::distribution::{Axis, Dist};
use crate::layout::intersect::Overlap;
use num_integer::Integer;
use std::cell::OnceCell;

/// One dimension of a traffic, with cached figures.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// Distributions of its source and destination.
    pub overlap: Overlap,
    /// Maximum number of messages that may be listed while a program waits.
    list: u64,
    classes: OnceCell<Option<Classes>>,
    graph: OnceCell<Option<Graph>>,
    busiest: OnceCell<(Port, Port)>,
    walked: OnceCell<Option<WalkFigures>>,
}

impl Dimension {
    /// Wraps `overlap`; figures are computed when they are needed.
    pub fn new(overlap: Overlap) -> Self {
        let (classes, graph) = (OnceCell::new(), OnceCell::new());
        let (busiest, walked) = (OnceCell::new(), OnceCell::new());
        Self { overlap, list: Effort::MAX.list, classes, graph, busiest, walked }
    }

    /// Limits the number of messages that may be listed while a program waits.
    pub fn with_list_limit(self, list: u64) -> Self {
        Self { list, ..self }
    }

    /// Returns the number of source processes.
    pub fn senders(&self) -> u32 {
        self.overlap.from.dist.procs()
    }

    /// Returns the number of destination processes.
    pub fn receivers(&self) -> u32 {
        self.overlap.to.dist.procs()
    }

    /// Returns the class structure, if there is one. The structure replaces a list of messages.
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.get_or_init(|| Classes::new(&self.overlap)).as_ref()
    }

    /// Returns the class structure if it describes the messages exactly.
    fn exact_classes(&self) -> Option<&Classes> {
        // Skips the search for classes if the section is shorter than a period.
        self.messages_in_periods().and_then(|_| self.classes()).filter(|classes| classes.periods().1)
    }

    /// Returns the figures of a walk along the section, if each process has at most one block on each side and a side
    /// is GEN_BLOCK.
    pub fn walk_figures(&self) -> Option<&WalkFigures> {
        self.walked.get_or_init(|| WalkFigures::new(&self.overlap)).as_ref()
    }

    /// Returns the messages, with their numbers of elements in place of bytes. `None` if there may be more than
    /// [`MAX_LISTED`], if counting shared elements takes long, or if no rank has all owners.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph
            .get_or_init(|| (self.message_bound() <= MAX_LISTED).then(|| self.list_messages())?)
            .as_ref()
    }

    /// Returns the messages if they are few enough to be listed while a program waits, or if a side is INDIRECT: one
    /// walk along its list finds all of them.
    pub fn quick_graph(&self) -> Option<&Graph> {
        (self.messages_at_most() <= self.list || loads::is_listed(&self.overlap)).then(|| self.graph())?
    }

    fn list_messages(&self) -> Option<Graph> {
        let mut edges = Vec::new();
        let listed =
            || if loads::is_listed(&self.overlap) { self.overlap.messages_along_lists() } else { None };
        if let Some(messages) = self.overlap.single_block_messages().or_else(listed) {
            let edge = |(sender, receiver, bytes)| Edge { sender, receiver, bytes };
            edges.extend(messages.into_iter().map(edge));
        } else if let Some(found) = self.walk_blocks() {
            edges = found;
        } else if self.overlap.is_partial()
            || self.pairs().saturating_mul(self.overlap.search_cost()) > MAX_EXAMINED_RUNS
        {
            return None;
        } else {
            for sender in 0..self.senders() {
                for receiver in self.overlap.destinations(sender) {
                    let bytes = self.overlap.shared(sender, receiver).total();
                    edges.push(Edge { sender, receiver, bytes });
                }
            }
        }
        Some(Graph::new(self.senders(), self.receivers(), edges))
    }

    /// Finds all messages by a walk along the blocks of both sides. `None` unless each side has one block size, and the
    /// walk passes fewer blocks than a search pair by pair would examine runs.
    fn walk_blocks(&self) -> Option<Vec<Edge>> {
        let (from, to) = (
            EqualBlocks::new(&self.overlap.from, self.overlap.len)?,
            EqualBlocks::new(&self.overlap.to, self.overlap.len)?,
        );
        let blocks = from.count.saturating_add(to.count);
        let by_pairs = self.pairs().saturating_mul(self.overlap.search_cost());
        let few = blocks <= MAX_LISTED && blocks <= by_pairs && !self.overlap.is_partial();
        let edge = |(sender, receiver, bytes)| Edge { sender, receiver, bytes };
        few.then(|| from.intersections(&to, self.overlap.len).into_iter().map(edge).collect())
    }

    /// Returns the number of messages, or an upper bound if counting takes long.
    pub fn messages(&self) -> u64 {
        let counted = || self.quick_graph().map(|graph| graph.edges().len() as u64);
        let walked = || self.walk_figures().map(|walked| walked.messages);
        self.messages_in_periods().or_else(counted).or_else(walked).unwrap_or_else(|| self.messages_at_most())
    }

    /// Returns the number of messages, or an upper bound if the section has no whole period.
    pub fn message_bound(&self) -> u64 {
        self.messages_in_periods().unwrap_or_else(|| self.messages_at_most())
    }

    /// Returns the number of messages if the section has a whole period.
    fn messages_in_periods(&self) -> Option<u64> {
        let cycle = |axis: &Axis| {
            let dealt = axis.round_robin()?;
            Some(if dealt.procs == 1 { 1 } else { u128::from(dealt.block) * u128::from(dealt.procs) })
        };
        // Skips the search for classes if the section is shorter than a period.
        let (from, to, len) =
            (cycle(&self.overlap.from)?, cycle(&self.overlap.to)?, u128::from(self.overlap.len));
        if from > len || to > len || from.lcm(&to) > len {
            return None;
        }
        let classes = self.classes().filter(|classes| classes.periods().0 > 0)?;
        let (b, a) = classes.blow_up();
        Some(classes.small().edges().len() as u64 * classes.copies_per_edge() * a * b)
    }

    fn pairs(&self) -> u64 {
        u64::from(self.senders()) * u64::from(self.receivers())
    }

    /// Returns an upper bound of the number of messages: the number of pairs of processes, of blocks on both sides, or
    /// of elements, whichever is smallest.
    fn messages_at_most(&self) -> u64 {
        let pairs = self.pairs();
        let blocks = |axis| {
            let equal = || EqualBlocks::new(axis, self.overlap.len).map(|blocks| blocks.count);
            let unequal = || UnequalBlocks::new(axis, self.overlap.len).map(|_| axis.dist.procs().into());
            let listed = || match &axis.dist {
                Dist::Indirect(dist) => dist.count(),
                _ => None,
            };
            equal().or_else(unequal).or_else(listed).unwrap_or(self.overlap.len)
        };
        let intersections = blocks(&self.overlap.from).saturating_add(blocks(&self.overlap.to));
        pairs.min(intersections).min(self.overlap.len)
    }

    /// Returns the maximum numbers of messages and of elements of a sender and of a receiver, or lower bounds of these
    /// if counting all messages takes long.
    pub fn busiest_ports(&self) -> (Port, Port) {
        let of_classes = |of: &Classes| loads::busiest_ports(of.small(), of.blow_up());
        let classes = || self.exact_classes().map(of_classes);
        let counted = || self.quick_graph().map(|graph| loads::busiest_ports(graph, (1, 1)));
        let walked = || self.walk_figures().map(|walked| (walked.send, walked.receive));
        let known = || classes().or_else(counted).or_else(walked);
        *self.busiest.get_or_init(|| known().unwrap_or_else(|| loads::estimate_busiest_ports(&self.overlap)))
    }

    /// Returns a lower bound of the cost of every schedule, in elements.
    pub fn cost_bound(&self) -> u64 {
        let classes = || self.exact_classes().map(|of| of.small().bounds(of.blow_up()).cost);
        let counted = || self.quick_graph().map(|graph| graph.bounds((1, 1)).cost);
        let walked = || self.walk_figures().map(|walked| walked.cost_bound);
        let known = classes().or_else(counted).or_else(walked);
        known.unwrap_or_else(|| self.load())
    }

    /// Returns the maximum number of elements of a process, or a lower bound of it.
    pub fn load(&self) -> u64 {
        let (send, receive) = self.busiest_ports();
        send.elements.max(receive.elements)
    }

    /// Returns an upper bound of the number of elements that two processes share.
    pub fn shared_elements_bound(&self) -> u64 {
        if let Some(graph) = self.quick_graph() {
            return graph.edges().iter().map(|e| e.bytes).max().unwrap_or(0);
        }
        let (send, receive) = self.busiest_ports();
        loads::shared_elements_bound(&self.overlap, send, receive)
    }

    /// Returns the messages if they are few enough to be coloured while a program waits. The limit is [`MAX_COLOURED`]
    /// if redistributions last so long that the planning budget is the largest one.
    pub fn small_graph(&self) -> Option<&Graph> {
        let most = if self.list == Effort::MAX.list { MAX_COLOURED } else { self.list };
        let graph = self.quick_graph().or_else(|| (self.message_bound() <= most).then(|| self.graph())?);
        graph.filter(|graph| graph.edges().len() as u64 <= most)
    }
}

#[cfg(test)]
mod tests;
