//! One dimension of a redistribution by itself: its messages and its structure.
//!
//! What is asked for is worked out once. It knows one dimension; that there may be others is [`traffic`](super::traffic)'s
//! affair, and in which order messages go that of the rivals.

use super::blocks::{Even, Uneven};
use super::classes::Classes;
use super::effort::Effort;
use super::graph::{Edge, Graph};
use super::limits::{COLOURED, LISTED, LOOKED_AT};
use super::loads::{self, Port};
use super::walked::Walked;
use crate::layout::distribution::{Axis, Dist};
use crate::layout::intersect::Overlap;
use num_integer::Integer;
use std::cell::OnceCell;

/// One dimension of the traffic.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// Its redistribution.
    pub overlap: Overlap,
    /// Messages that may be listed while a program waits.
    list: u64,
    classes: OnceCell<Option<Classes>>,
    graph: OnceCell<Option<Graph>>,
    busiest: OnceCell<(Port, Port)>,
    walked: OnceCell<Option<Walked>>,
}

impl Dimension {
    /// The dimension `overlap`.
    pub fn new(overlap: Overlap) -> Self {
        let (classes, graph) = (OnceCell::new(), OnceCell::new());
        let (busiest, walked) = (OnceCell::new(), OnceCell::new());
        Self { overlap, list: Effort::MOST.list, classes, graph, busiest, walked }
    }

    /// The same where so many messages may be listed while a program waits.
    pub fn within(self, list: u64) -> Self {
        Self { list, ..self }
    }

    /// Source processes.
    pub fn senders(&self) -> u32 {
        self.overlap.from.dist.procs()
    }

    /// Destination processes.
    pub fn receivers(&self) -> u32 {
        self.overlap.to.dist.procs()
    }

    /// Its class structure, if it has one: then nothing of it need be listed.
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.get_or_init(|| Classes::new(&self.overlap)).as_ref()
    }

    /// The same where it is that of all messages as they are.
    fn all_by_classes(&self) -> Option<&Classes> {
        // A section that is shorter than a period has no whole one, and its classes need not be found.
        self.of_whole_periods().and_then(|_| self.classes()).filter(|classes| classes.periods().1)
    }

    /// Its messages, counted by a walk, where they are on a line and a side is a list of sizes.
    pub fn walked(&self) -> Option<&Walked> {
        self.walked.get_or_init(|| Walked::new(&self.overlap)).as_ref()
    }

    /// Its messages, with elements for bytes. Costs time in proportion to them; `None` if there may be more than
    /// [`LISTED`], if it takes long to count what two processes share, or if nobody knows them all.
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.get_or_init(|| (self.about() <= LISTED).then(|| self.list())?).as_ref()
    }

    /// Its messages, if they may be listed while a program waits, or a side is a list of runs: there one walk finds all.
    pub fn quick(&self) -> Option<&Graph> {
        (self.messages_at_most() <= self.list || loads::is_listed(&self.overlap)).then(|| self.graph())?
    }

    fn list(&self) -> Option<Graph> {
        let mut edges = Vec::new();
        let listed = || if loads::is_listed(&self.overlap) { self.overlap.along_lists() } else { None };
        if let Some(line) = self.overlap.along_the_line().or_else(listed) {
            edges.extend(line.into_iter().map(|(sender, receiver, bytes)| Edge { sender, receiver, bytes }));
        } else if let Some(met) = self.met() {
            edges = met;
        } else if self.overlap.is_partial() || self.pairs().saturating_mul(self.overlap.looks()) > LOOKED_AT {
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

    /// All messages by a walk along the blocks of both sides, where they are of one size each and fewer than what would be looked at pair by pair.
    fn met(&self) -> Option<Vec<Edge>> {
        let (from, to) = (
            Even::new(&self.overlap.from, self.overlap.len)?,
            Even::new(&self.overlap.to, self.overlap.len)?,
        );
        let blocks = from.count.saturating_add(to.count);
        let by_pairs = self.pairs().saturating_mul(self.overlap.looks());
        let few = blocks <= LISTED && blocks <= by_pairs && !self.overlap.is_partial();
        let edge = |(sender, receiver, bytes)| Edge { sender, receiver, bytes };
        few.then(|| from.meetings(&to, self.overlap.len).into_iter().map(edge).collect())
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
        let (from, to, len) =
            (cycle(&self.overlap.from)?, cycle(&self.overlap.to)?, u128::from(self.overlap.len));
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
            let even = || Even::new(axis, self.overlap.len).map(|even| even.count);
            let uneven = || Uneven::new(axis, self.overlap.len).map(|_| axis.dist.procs().into());
            let listed = || match &axis.dist {
                Dist::Indirect(dist) => dist.count(),
                _ => None,
            };
            even().or_else(uneven).or_else(listed).unwrap_or(self.overlap.len)
        };
        let meetings = blocks(&self.overlap.from).saturating_add(blocks(&self.overlap.to));
        pairs.min(meetings).min(self.overlap.len)
    }

    /// The most messages and the most elements of a sender and of a receiver, or no more than that where all messages
    /// would have to be counted.
    pub fn busiest(&self) -> (Port, Port) {
        let of_classes = |of: &Classes| loads::busiest(of.small(), of.blow_up());
        let classes = || self.all_by_classes().map(of_classes);
        let counted = || self.quick().map(|graph| loads::busiest(graph, (1, 1)));
        let walked = || self.walked().map(|walked| (walked.send, walked.receive));
        let known = || classes().or_else(counted).or_else(walked);
        *self.busiest.get_or_init(|| known().unwrap_or_else(|| loads::estimated(&self.overlap)))
    }

    /// No schedule of its messages costs less.
    pub fn cost_bound(&self) -> u64 {
        let classes = || self.all_by_classes().map(|of| of.small().bounds(of.blow_up()).cost);
        let counted = || self.quick().map(|graph| graph.bounds((1, 1)).cost);
        let walked = || self.walked().map(|walked| walked.cost_bound);
        let known = classes().or_else(counted).or_else(walked);
        known.unwrap_or_else(|| self.load())
    }

    /// The most elements of a process, or no more than that.
    pub fn load(&self) -> u64 {
        let (send, receive) = self.busiest();
        send.elements.max(receive.elements)
    }

    /// At most so many elements are shared by two processes.
    pub fn longest(&self) -> u64 {
        if let Some(graph) = self.quick() {
            return graph.edges().iter().map(|e| e.bytes).max().unwrap_or(0);
        }
        let (send, receive) = self.busiest();
        loads::longest(&self.overlap, send, receive)
    }

    /// Its messages, if they are few enough to be coloured while a program waits; more of them where redistributions last so long that
    /// even the product of all dimensions pays.
    pub fn few(&self) -> Option<&Graph> {
        let most = if self.list == Effort::MOST.list { COLOURED } else { self.list };
        let graph = self.quick().or_else(|| (self.about() <= most).then(|| self.graph())?);
        graph.filter(|graph| graph.edges().len() as u64 <= most)
    }
}

#[cfg(test)]
mod tests;
