//! Messages of one redistribution between two process grids, as one message graph for each dimension. Their product is
//! listed only if a scheduler or a simulation needs single messages.
//!
//! Ports are numbered in row-major order of the grid coordinates. The list has no self copies, but figures computed
//! from the dimensions count them as messages.

use super::dimension::Dimension;
use super::graph::{Bounds, Edge, Graph};
use super::limits::{MAX_COLOURED, MAX_LISTED};
use super::node_ports::NodePorts;
use super::planning_budget::Effort;
use crate::layout::distribution::{Grid, Nodes, number, place, places, put_place};
use crate::layout::intersect::Overlap;
use crate::layout::problem::{Part, Problem};
use crate::machine::{Machine, real};
use std::cell::OnceCell;
use std::rc::Rc;

/// Messages between two layouts of an array section on two process grids.
#[derive(Debug)]
pub struct Traffic {
    /// Dimensions of the array section.
    pub dims: Vec<Rc<Dimension>>,
    /// Size of an element in bytes.
    pub element: u64,
    /// Grid of the source. Grid dimensions after the array's dimensions number the copies.
    pub from: Grid,
    /// Grid of the destination, with copies likewise.
    pub to: Grid,
    nodes: Nodes,
    part: Part,
    effort: Effort,
    listed: OnceCell<Option<Listed>>,
    bounds: OnceCell<Bounds>,
}

/// All messages of a traffic one by one, and its self copies.
#[derive(Debug)]
pub struct Listed {
    /// Messages between ports, with their bytes.
    pub graph: Graph,
    /// Self copies: (port as a sender, port as a receiver).
    pub kept: Vec<(u32, u32)>,
    /// The nodes of senders and receivers, if ranks of a node share its network port.
    pub node_ports: Option<NodePorts>,
}

impl Listed {
    /// Returns the number of messages.
    pub fn messages(&self) -> u64 {
        self.graph.edges().len() as u64
    }
}

impl Traffic {
    /// Creates a traffic. Panics unless each grid has as many processes along each dimension as the distribution in
    /// `dims` has.
    pub fn new(dims: Vec<Overlap>, element: u64, from: Grid, to: Grid) -> Self {
        let procs = |grid: &Grid, of: fn(&Overlap) -> u32| {
            grid.extents().len() >= dims.len()
                && grid.extents().iter().zip(&dims).all(|(&e, dim)| e == of(dim))
        };
        assert!(
            procs(&from, |dim| dim.from.dist.procs()),
            "each extent of the source's grid equals the number of processes of its distribution"
        );
        assert!(
            procs(&to, |dim| dim.to.dist.procs()),
            "each extent of the destination's grid equals the number of processes of its distribution"
        );
        let dims = dims.into_iter().map(|overlap| Rc::new(Dimension::new(overlap))).collect();
        Self::whole(dims, element, from, to)
    }

    fn whole(dims: Vec<Rc<Dimension>>, element: u64, from: Grid, to: Grid) -> Self {
        let (nodes, part, effort) = (Nodes::default(), Part::Whole, Effort::MAX);
        let (listed, bounds) = (OnceCell::new(), OnceCell::new());
        Self { dims, element, from, to, nodes, part, effort, listed, bounds }
    }

    /// Creates the traffic of `problem`, with elements of `element` bytes. Boxes are not supported: no rank has all of
    /// their messages.
    pub fn of(problem: &Problem, element: u64) -> Self {
        let Problem { dims, from, to, part, nodes, .. } = problem;
        debug_assert!(!problem.in_boxes(), "no rank has all messages between boxes");
        let whole = Self::new(dims.clone(), element, from.clone(), to.clone());
        Self { nodes: nodes.clone(), part: *part, ..whole }
    }

    /// Places the ranks on `nodes`.
    pub fn on_nodes(self, nodes: Nodes) -> Self {
        Self { nodes, listed: OnceCell::new(), ..self }
    }

    /// Returns the nodes of the ranks, if ranks of a node share a network port.
    pub fn nodes(&self) -> Option<&Nodes> {
        self.nodes.shared_ports().map(|_| &self.nodes)
    }

    /// Returns the traffic of dimension `d` by itself, with elements of one byte, between two sides without a common
    /// rank, so without self copies. The planning budget of the result permits no search.
    pub fn one_dimension(&self, d: usize) -> Self {
        let dim = &self.dims[d];
        let from = Grid::row_major(&[dim.senders()]);
        let to = Grid::affine(&[dim.receivers()], dim.senders().into(), &[1]);
        Self { effort: Effort { search: 0, ..self.effort }, ..Self::whole(vec![dim.clone()], 1, from, to) }
    }

    /// Returns the traffic of the same part of the section, between other distributions on the same grids.
    pub fn between(&self, dims: Vec<Overlap>) -> Self {
        let whole = Self::new(dims, self.element, self.from.clone(), self.to.clone());
        Self { nodes: self.nodes.clone(), part: self.part, ..whole }.with_effort(self.effort)
    }

    /// Sets the planning budget to an effort that pays off on `machine`.
    pub fn with_budget_for(self, machine: &Machine) -> Self {
        let effort =
            Effort::of(real(self.message_bound()) / real(self.ports().max(1)), self.share(), machine);
        self.with_effort(effort)
    }

    /// Sets the planning budget of the traffic and of its dimensions.
    pub fn with_effort(self, effort: Effort) -> Self {
        let within = |dim: Rc<Dimension>| Rc::new(Rc::unwrap_or_clone(dim).with_list_limit(effort.list));
        let dims = self.dims.into_iter().map(within).collect();
        Self { dims, effort, ..self }
    }

    /// Returns the planning budget: the numbers of messages that planning may examine one by one.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Returns the part of the section that moves.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Returns true if the whole section moves.
    pub fn is_whole(&self) -> bool {
        self.part == Part::Whole
    }

    /// Returns a lower bound of the busiest port's bytes: all bytes that move, divided evenly among the smaller side's
    /// ports.
    pub fn share(&self) -> u64 {
        let elements = match self.dims.as_slice() {
            [rows, cols] => self.part.size(rows.overlap.len, cols.overlap.len),
            dims => dims.iter().fold(1u64, |n, dim| n.saturating_mul(dim.overlap.len)),
        };
        let ports = self.from.size().min(self.to.size()).max(1);
        (u128::from(elements) * u128::from(self.element) / u128::from(ports)).try_into().unwrap_or(u64::MAX)
    }

    /// Returns the number of copies of the array at the source and at the destination.
    pub fn copies(&self) -> (u64, u64) {
        let count = |grid: &Grid| grid.extents()[self.dims.len()..].iter().map(|&e| u64::from(e)).product();
        (count(&self.from), count(&self.to))
    }

    /// Returns the number of messages, self copies included: each copy of the destination reads one copy of the source.
    /// An upper bound if counting takes long or only a part of the section moves.
    pub fn messages(&self) -> u64 {
        self.dims.iter().fold(self.copies().1, |n, dim| n.saturating_mul(dim.messages()))
    }

    /// Returns an upper bound of [`Traffic::messages`] without examining single messages.
    pub fn message_bound(&self) -> u64 {
        self.dims.iter().fold(self.copies().1, |n, dim| n.saturating_mul(dim.message_bound()))
    }

    /// Returns the number of ports of the larger side.
    pub fn ports(&self) -> u64 {
        self.from.size().max(self.to.size())
    }

    /// Returns the dimensions in which some process has more than one message, according to
    /// [`Dimension::busiest_ports`].
    pub fn dimensions_with_messages(&self) -> Vec<usize> {
        let has_more = |&d: &usize| {
            let (send, receive) = self.dims[d].busiest_ports();
            send.messages.max(receive.messages) > 1
        };
        (0..self.dims.len()).filter(has_more).collect()
    }

    /// Returns lower bounds for every schedule, computed from the bounds of each dimension. Self copies count as
    /// messages.
    pub fn bounds(&self) -> Bounds {
        *self.bounds.get_or_init(|| {
            if !self.is_whole() {
                let load = self.share();
                return Bounds { steps: 1, cost: load, load };
            }
            // Copies of the destination count as one more dimension, in which one process sends to all.
            let copies = self.copies().1;
            let (mut send, mut receive, mut cost) = ([copies; 2], [1u64; 2], copies);
            for dim in &self.dims {
                for (product, port) in
                    [(&mut send, dim.busiest_ports().0), (&mut receive, dim.busiest_ports().1)]
                {
                    *product =
                        [product[0].saturating_mul(port.messages), product[1].saturating_mul(port.elements)];
                }
                cost = cost.saturating_mul(dim.cost_bound());
            }
            let bytes = |elements: u64| self.element.saturating_mul(elements);
            let load = send[1].max(receive[1]);
            // The cost bounds of dimensions can be multiplied if at most one dimension has several messages per
            // process: the other dimensions only scale the lengths.
            let alone = self.dimensions_with_messages().len() + usize::from(copies > 1) <= 1;
            let cost = if alone { cost } else { load };
            Bounds { steps: send[0].max(receive[0]), cost: bytes(cost), load: bytes(load) }
        })
    }

    /// Returns lower bounds without self copies, from the bounds `all`, which count self copies as messages. A port has
    /// at most one self copy, which is no longer than the longest message. Each message has at least one element.
    pub fn sent_bounds(&self, all: Bounds) -> Bounds {
        let longest = self.longest_message_bound();
        let steps = all.steps.saturating_sub(1);
        let least = |bytes: u64| bytes.saturating_sub(longest).max(steps.saturating_mul(self.element));
        Bounds { steps, cost: least(all.cost), load: least(all.load) }
    }

    /// Returns an upper bound of the bytes of the longest message.
    pub fn longest_message_bound(&self) -> u64 {
        self.dims.iter().fold(self.element, |n, dim| n.saturating_mul(dim.shared_elements_bound()))
    }

    /// Returns true if all messages are early on `machine`.
    pub fn is_early(&self, machine: &Machine) -> bool {
        machine.early > 0 && self.longest_message_bound() <= machine.early
    }

    /// Returns true if there may be self copies, because the rank ranges of the two sides intersect.
    pub fn may_keep_elements(&self) -> bool {
        let (from, to) = (self.from.span(), self.to.span());
        from.start().max(to.start()) <= from.end().min(to.end())
    }

    /// Returns the messages one by one; `None` if there are more than [`MAX_LISTED`], if counting their elements takes
    /// long, or if no rank has all owners.
    pub fn listed(&self) -> Option<&Listed> {
        let quick = || {
            let columns = || self.dims[0].messages().saturating_mul(self.dims[1].overlap.len);
            self.is_whole() || columns() <= MAX_COLOURED
        };
        self.listed
            .get_or_init(|| (self.messages() <= MAX_LISTED && quick()).then(|| self.list_all())?)
            .as_ref()
    }

    /// Like [`Traffic::listed`], but returns the reason if messages cannot be listed.
    pub fn list(&self) -> Result<&Listed, String> {
        let unknown = |dim: &Rc<Dimension>| dim.graph().is_none();
        self.listed().ok_or_else(|| {
            if self.messages() > MAX_LISTED {
                format!("there may be more than {MAX_LISTED} messages to list")
            } else if self.dims.iter().any(|dim| unknown(dim) && !dim.overlap.is_partial()) {
                "counting the elements that pairs of processes share takes too long".into()
            } else if self.dims.iter().any(unknown) {
                "each process has only its own indices, so none can list all messages".into()
            } else {
                "counting the elements that a trapezoid moves takes too long".into()
            }
        })
    }

    fn list_all(&self) -> Option<Listed> {
        let graphs: Vec<&[Edge]> =
            self.dims.iter().map(|dim| dim.graph().map(Graph::edges)).collect::<Option<_>>()?;
        let small = |n: u64| u32::try_from(n).expect("grids of listed messages are small");
        let copies: Vec<Vec<u32>> = places(&self.to.extents()[self.dims.len()..]).collect();
        let (mut edges, mut kept) = (Vec::new(), Vec::new());
        let (mut part, mut to) = (vec![0; graphs.len()], vec![0; self.to.extents().len()]);
        let counts: Vec<u32> = graphs.iter().map(|edges| small(edges.len() as u64)).collect();
        let all = counts.iter().map(|&count| u64::from(count)).product();
        let mut which = Vec::new();
        for each in 0..all {
            put_place(&counts, each, &mut which);
            let mut elements = 1;
            for (d, (edges, &k)) in graphs.iter().zip(&which).enumerate() {
                let e = edges[k as usize];
                (part[d], to[d]) = (e.sender, e.receiver);
                elements *= e.bytes;
            }
            if !self.is_whole() {
                elements = self.moved_elements(&part, &to);
                if elements == 0 {
                    continue;
                }
            }
            for copy in &copies {
                to[graphs.len()..].copy_from_slice(copy);
                let reader = self.to.rank(&to);
                let from = self.nodes.nearest_copy(&self.from, &part, reader);
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
        let node_ports = self.nodes().map(|nodes| {
            let of = |grid: &Grid| {
                let node = |at: Vec<u32>| nodes.place(grid.rank(&at)).map_or(0, |at| at.node);
                places(grid.extents()).map(node).collect()
            };
            NodePorts::new(&graph, of(&self.from), of(&self.to))
        });
        Some(Listed { graph, kept, node_ports })
    }

    /// Returns the bytes of a self copy of [`Listed::kept`]. The whole section must move.
    pub fn kept_bytes(&self, (sender, receiver): (u32, u32)) -> u64 {
        let (from, to) =
            (place(self.from.extents(), sender.into()), place(self.to.extents(), receiver.into()));
        let shared =
            self.dims.iter().zip(from.iter().zip(&to)).map(|(dim, (&p, &q))| dim.overlap.volume(p, q));
        self.element * shared.product::<u64>()
    }

    /// Returns the number of elements that move from `from` to `to` if only a part of the section moves.
    fn moved_elements(&self, from: &[u32], to: &[u32]) -> u64 {
        let shared = |d: usize| self.dims[d].overlap.shared(from[d], to[d]);
        self.part.elements(&shared(0), &shared(1))
    }

    /// Returns the grid coordinates of the sender and the receiver of a listed message.
    pub fn edge_coordinates(&self, e: &Edge) -> (Vec<u32>, Vec<u32>) {
        (place(self.from.extents(), e.sender.into()), place(self.to.extents(), e.receiver.into()))
    }

    /// Writes the coordinates of [`Traffic::edge_coordinates`] to vectors that the caller reuses.
    pub fn put_ends(&self, e: &Edge, from: &mut Vec<u32>, to: &mut Vec<u32>) {
        put_place(self.from.extents(), e.sender.into(), from);
        put_place(self.to.extents(), e.receiver.into(), to);
    }

    /// Returns the port number of the process at `at`.
    pub fn port(grid: &Grid, at: &[u32]) -> u64 {
        number(grid.extents(), at)
    }
}
