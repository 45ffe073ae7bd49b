//! WHO owes whom how many bytes? The traffic of one redistribution: a product of one-dimensional message graphs between
//! two process grids. It stays a product as long as nobody asks for its messages one by one.
//!
//! Ports are numbered in row-major order of the grid coordinates. What a rank keeps for itself is no message: it is taken
//! out of the list, but a product cannot show it.

use super::dimension::{LISTED, Line};
use super::effort::Effort;
use super::figures;
use super::graph::{Edge, Graph};
use super::lookup::Lookup;
use super::machine::Machine;
use crate::layout::{Grid, Nodes, number, places};
use crate::overlap::Overlap;
use crate::problem::Part;
use std::cell::OnceCell;

/// Columns of messages that are looked at to count what a trapezoid moves, at the most.
const COLUMNS: u64 = 1 << 18;

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
    part: Part,
    effort: Effort,
    listed: OnceCell<Option<Listed>>,
}

/// All messages of a traffic, one by one, without what ranks keep for themselves.
#[derive(Debug)]
pub struct Listed {
    /// The messages.
    pub graph: Graph,
    /// What ranks keep for themselves: (port as a sender, port as a receiver).
    pub kept: Vec<(u32, u32)>,
}

impl Listed {
    /// The number of messages.
    pub fn messages(&self) -> u64 {
        self.graph.edges().len() as u64
    }

    /// These numbers of the messages, by sender and receiver.
    pub fn lookup(&self, numbers: impl IntoIterator<Item = u32>) -> Lookup {
        Lookup::new(&self.graph, numbers)
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
        let (nodes, part, effort) = (Nodes::default(), Part::Whole, Effort::MOST);
        Self { lines, element, from, to, nodes, part, effort, listed: OnceCell::new() }
    }

    /// The same planned for `machine`: no more messages are looked at one by one than pays there.
    pub fn within(self, machine: &Machine) -> Self {
        let effort = Effort::of(&self, machine);
        self.limited(effort)
    }

    /// The same where so many messages may be looked at one by one.
    pub fn limited(self, effort: Effort) -> Self {
        let lines = self.lines.into_iter().map(|line| line.within(effort)).collect();
        Self { lines, effort, ..self }
    }

    /// The messages that may be looked at one by one while a program waits.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// The same where ranks are on these nodes, which decides on the copy that a rank reads.
    pub fn on(self, nodes: Nodes) -> Self {
        Self { nodes, ..self }
    }

    /// The same where only that part of the section moves; a part has two dimensions.
    pub fn of(self, part: Part) -> Self {
        Self { part, ..self }
    }

    /// What of the section moves.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Whether the whole section moves.
    pub fn is_whole(&self) -> bool {
        self.part == Part::Whole
    }

    /// Bytes that some port has to move at least, whatever of the section moves: all of them, shared out evenly.
    pub fn share(&self) -> u64 {
        let elements = match self.lines.as_slice() {
            [rows, cols] => self.part.size(rows.dim.len, cols.dim.len),
            lines => lines.iter().fold(1u64, |n, line| n.saturating_mul(line.dim.len)),
        };
        let ports = self.from.size().min(self.to.size()).max(1);
        (u128::from(elements) * u128::from(self.element) / u128::from(ports)).try_into().unwrap_or(u64::MAX)
    }

    /// Copies of the array before and after.
    pub fn copies(&self) -> (u64, u64) {
        let count = |grid: &Grid| grid.extents()[self.lines.len()..].iter().map(|&e| u64::from(e)).product();
        (count(&self.from), count(&self.to))
    }

    /// Messages, with what ranks keep for themselves: every copy of the destination reads one of the source. There may be
    /// fewer where they are too many to count, and where a part of the section moves.
    pub fn messages(&self) -> u64 {
        self.lines.iter().fold(self.copies().1, |n, line| n.saturating_mul(line.messages()))
    }

    /// The same without a look at them one by one: no fewer.
    pub fn about(&self) -> u64 {
        self.lines.iter().fold(self.copies().1, |n, line| n.saturating_mul(line.about()))
    }

    /// The larger number of ports of the two sides.
    pub fn ports(&self) -> u64 {
        self.from.size().max(self.to.size())
    }

    /// Bytes of its longest message, at the most.
    pub fn longest(&self) -> u64 {
        self.lines.iter().fold(self.element, |n, line| n.saturating_mul(figures::longest_of(line)))
    }

    /// Whether a rank may keep some of what it has: whether the numbers of the ranks of both sides overlap.
    pub fn keeps(&self) -> bool {
        let (from, to) = (self.from.span(), self.to.span());
        from.start().max(to.start()) <= from.end().min(to.end())
    }

    /// The messages one by one; `None` if there are more than [`LISTED`], or if it takes long to count what they move.
    pub fn listed(&self) -> Option<&Listed> {
        let quick = || {
            let columns = |rows: &Line, cols: &Line| rows.messages().saturating_mul(cols.dim.len);
            self.is_whole() || columns(&self.lines[0], &self.lines[1]) <= COLUMNS
        };
        self.listed.get_or_init(|| (self.messages() <= LISTED && quick()).then(|| self.list())?).as_ref()
    }

    fn list(&self) -> Option<Listed> {
        let graphs: Vec<&[Edge]> =
            self.lines.iter().map(|line| line.graph().map(Graph::edges)).collect::<Option<_>>()?;
        let small = |n: u64| u32::try_from(n).expect("grids of listed messages are small");
        let copies: Vec<Vec<u32>> = places(&self.to.extents()[self.lines.len()..]).collect();
        let (mut edges, mut kept) = (Vec::new(), Vec::new());
        let (mut part, mut to) = (vec![0; graphs.len()], vec![0; self.to.extents().len()]);
        let counts: Vec<u32> = graphs.iter().map(|edges| small(edges.len() as u64)).collect();
        for which in places(&counts) {
            let mut elements = 1;
            for (d, (edges, &k)) in graphs.iter().zip(&which).enumerate() {
                let e = edges[k as usize];
                (part[d], to[d]) = (e.sender, e.receiver);
                elements *= e.bytes;
            }
            if !self.is_whole() {
                elements = self.moved(&part, &to);
                if elements == 0 {
                    continue;
                }
            }
            for copy in &copies {
                to[graphs.len()..].copy_from_slice(copy);
                let reader = self.to.rank(&to);
                let from = self.nodes.nearest(&self.from, &part, reader);
                let (sender, receiver) =
                    (small(Self::port(&self.from, &from)), small(Self::port(&self.to, &to)));
                if self.from.rank(&from) == reader {
                    kept.push((sender, receiver));
                } else {
                    edges.push(Edge { sender, receiver, bytes: elements * self.element });
                }
            }
        }
        let graph = Graph::new(small(self.from.size()), small(self.to.size()), edges);
        Some(Listed { graph, kept })
    }

    /// The elements that move between the processes at `from` and `to`, where a part of the section does.
    fn moved(&self, from: &[u32], to: &[u32]) -> u64 {
        let shared = |d: usize| self.lines[d].dim.shared(from[d], to[d]);
        self.part.elements(&shared(0), &shared(1))
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
