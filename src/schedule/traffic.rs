//! WHO owes whom how many bytes? The traffic of one redistribution: a product of one-dimensional message graphs between
//! two process grids. It stays a product as long as nobody asks for its messages one by one.
//!
//! Ports are numbered in row-major order of the grid coordinates. What a rank keeps for itself is no message: it is taken
//! out of the list, but a product cannot show it.

use super::circulant::Circulant;
use super::classes::Classes;
use super::graph::{Edge, Graph};
use super::order::{LineOrder, line_order};
use crate::layout::Grid;
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
    fn new(dim: Overlap) -> Self {
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
    /// [`LISTED`].
    pub fn graph(&self) -> Option<&Graph> {
        self.graph.get_or_init(|| self.list()).as_ref()
    }

    /// The best order of this dimension by itself.
    pub fn order(&self) -> Option<&LineOrder> {
        self.order.get_or_init(|| line_order(self)).as_ref()
    }

    fn list(&self) -> Option<Graph> {
        let mut edges = Vec::new();
        if let Some(line) = self.dim.along_the_line() {
            edges.extend(line.into_iter().map(|(sender, receiver, bytes)| Edge { sender, receiver, bytes }));
        } else if self.pairs() <= LISTED {
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

/// The traffic of one redistribution.
#[derive(Debug)]
pub struct Traffic {
    /// Its dimensions.
    pub lines: Vec<Line>,
    /// Bytes an element.
    pub element: u64,
    /// The source's grid.
    pub from: Grid,
    /// The destination's grid.
    pub to: Grid,
    listed: OnceCell<Option<Listed>>,
}

/// All messages of a traffic, one by one, without what ranks keep for themselves.
#[derive(Debug)]
pub struct Listed {
    /// The messages.
    pub graph: Graph,
    /// The place of a message in the graph, by (sender, receiver).
    pub at: HashMap<(u32, u32), u32>,
    /// What ranks keep for themselves: (port as a sender, port as a receiver).
    pub kept: Vec<(u32, u32)>,
}

impl Listed {
    /// The number of messages.
    pub fn messages(&self) -> u64 {
        self.graph.edges().len() as u64
    }
}

impl Traffic {
    /// The traffic of the given dimensions, between grids of as many dimensions and processes.
    pub fn new(dims: Vec<Overlap>, element: u64, from: Grid, to: Grid) -> Self {
        let procs = |grid: &Grid, of: fn(&Overlap) -> u32| {
            grid.extents().len() == dims.len()
                && grid.extents().iter().zip(&dims).all(|(&e, dim)| e == of(dim))
        };
        assert!(
            procs(&from, |dim| dim.from.dist.procs()),
            "the source's grid has as many processes as it deals to"
        );
        assert!(
            procs(&to, |dim| dim.to.dist.procs()),
            "the destination's grid has as many processes as it deals to"
        );
        Self { lines: dims.into_iter().map(Line::new).collect(), element, from, to, listed: OnceCell::new() }
    }

    /// Messages, with what ranks keep for themselves.
    pub fn messages(&self) -> u64 {
        self.lines.iter().fold(1, |n, line| n.saturating_mul(line.messages()))
    }

    /// The larger number of ports of the two sides.
    pub fn ports(&self) -> u64 {
        self.from.size().max(self.to.size())
    }

    /// The messages one by one; `None` if there are more than [`LISTED`].
    pub fn listed(&self) -> Option<&Listed> {
        self.listed.get_or_init(|| (self.messages() <= LISTED).then(|| self.list())?).as_ref()
    }

    fn list(&self) -> Option<Listed> {
        // (sender's port, receiver's port, elements, coordinates) of the dimensions so far.
        let mut messages = vec![(0u64, 0u64, 1u64, Vec::new(), Vec::new())];
        for line in &self.lines {
            let (senders, receivers) = (u64::from(line.senders()), u64::from(line.receivers()));
            let graph = line.graph()?;
            messages = messages
                .into_iter()
                .flat_map(|(s, r, n, from, to): (u64, u64, u64, Vec<u32>, Vec<u32>)| {
                    graph.edges().iter().map(move |e| {
                        let next = |list: &[u32], coord| [list, &[coord]].concat();
                        (
                            s * senders + u64::from(e.sender),
                            r * receivers + u64::from(e.receiver),
                            n * e.bytes,
                            next(&from, e.sender),
                            next(&to, e.receiver),
                        )
                    })
                })
                .collect();
        }
        let small = |n: u64| u32::try_from(n).expect("grids of listed messages are small");
        let (mut edges, mut at, mut kept) = (Vec::new(), HashMap::new(), Vec::new());
        for (s, r, elements, from, to) in messages {
            let (sender, receiver) = (small(s), small(r));
            if self.home(&from, &to) {
                kept.push((sender, receiver));
            } else {
                at.insert((sender, receiver), small(edges.len() as u64));
                edges.push(Edge { sender, receiver, bytes: elements * self.element });
            }
        }
        let graph = Graph::new(small(self.from.size()), small(self.to.size()), edges);
        Some(Listed { graph, at, kept })
    }

    /// Whether the source's process `from` is the same rank as the destination's process `to`.
    pub fn home(&self, from: &[u32], to: &[u32]) -> bool {
        self.from.rank(from) == self.to.rank(to)
    }

    /// The number of the process at `at`.
    pub fn port(grid: &Grid, at: &[u32]) -> u64 {
        at.iter().zip(grid.extents()).fold(0, |n, (&c, &e)| n * u64::from(e) + u64::from(c))
    }
}
