//! WHO owes whom how many bytes? The traffic of one redistribution: a product of one-dimensional message graphs between
//! two process grids. It stays a product as long as nobody asks for its messages one by one.
//!
//! Ports are numbered in row-major order of the grid coordinates. What a rank keeps for itself is no message: it is taken
//! out of the list, but a product cannot show it.

use super::dimension::{LISTED, Line};
use super::graph::{Edge, Graph};
use crate::layout::{Grid, Nodes, number, places};
use crate::overlap::Overlap;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The traffic of one redistribution.
#[derive(Debug)]
pub struct Traffic {
    /// Its dimensions.
    pub lines: Vec<Line>,
    /// Bytes an element.
    pub element: u64,
    /// The source's grid. Dimensions behind those of the traffic count copies.
    pub from: Grid,
    /// The destination's grid. Dimensions behind those of the traffic count copies.
    pub to: Grid,
    nodes: Nodes,
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
    /// The traffic of the given dimensions, between grids of as many processes in each of them, and perhaps of copies.
    pub fn new(dims: Vec<Overlap>, element: u64, from: Grid, to: Grid) -> Self {
        let procs = |grid: &Grid, of: fn(&Overlap) -> u32| {
            grid.extents().len() >= dims.len()
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
        let lines = dims.into_iter().map(Line::new).collect();
        Self { lines, element, from, to, nodes: Nodes::default(), listed: OnceCell::new() }
    }

    /// The same where ranks are on these nodes, which decides on the copy that a rank reads.
    pub fn on(self, nodes: Nodes) -> Self {
        Self { nodes, ..self }
    }

    /// Copies of the array before and after.
    pub fn copies(&self) -> (u64, u64) {
        let count = |grid: &Grid| grid.extents()[self.lines.len()..].iter().map(|&e| u64::from(e)).product();
        (count(&self.from), count(&self.to))
    }

    /// Messages, with what ranks keep for themselves: every copy of the destination reads one of the source.
    pub fn messages(&self) -> u64 {
        self.lines.iter().fold(self.copies().1, |n, line| n.saturating_mul(line.messages()))
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
        // (elements, coordinates of the sender, of the receiver) of the dimensions so far.
        let mut messages = vec![(1u64, Vec::new(), Vec::new())];
        for line in &self.lines {
            let graph = line.graph()?;
            let longer = |list: &[u32], coord| [list, &[coord]].concat();
            messages = messages
                .into_iter()
                .flat_map(|(n, from, to): (u64, Vec<u32>, Vec<u32>)| {
                    let add = move |e: &Edge| (n * e.bytes, longer(&from, e.sender), longer(&to, e.receiver));
                    graph.edges().iter().map(add)
                })
                .collect();
        }
        let small = |n: u64| u32::try_from(n).expect("grids of listed messages are small");
        let (mut edges, mut at, mut kept) = (Vec::new(), HashMap::new(), Vec::new());
        for (elements, part, to) in messages {
            for copy in places(&self.to.extents()[self.lines.len()..]) {
                let to = [&to[..], &copy].concat();
                let reader = self.to.rank(&to);
                let from = self.nodes.nearest(&self.from, &part, reader);
                let (sender, receiver) =
                    (small(Self::port(&self.from, &from)), small(Self::port(&self.to, &to)));
                if self.from.rank(&from) == reader {
                    kept.push((sender, receiver));
                } else {
                    at.insert((sender, receiver), small(edges.len() as u64));
                    edges.push(Edge { sender, receiver, bytes: elements * self.element });
                }
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
        number(grid.extents(), at)
    }
}
