//! Bipartite graph of the messages of a redistribution, and lower bounds for its schedules that follow from the numbers
//! and bytes of messages at each port.

use std::sync::OnceLock;

/// A message between two ports. A rank that sends and receives is two ports, numbered separately, since it can do both
/// at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Number of the sending port.
    pub sender: u32,
    /// Number of the receiving port.
    pub receiver: u32,
    /// Length in bytes; at least 1.
    pub bytes: u64,
}

/// Lower bounds that hold for every schedule of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Lower bound of the steps: the most messages at one port. Some schedule needs no more (König).
    pub steps: u64,
    /// Lower bound of the cost in bytes if messages stay whole: the sum over t = 0, 1, 2, ... of the most messages
    /// longer than t bytes at one port. At least that many steps cost more than t bytes. Never less than `load`.
    pub cost: u64,
    /// Lower bound of the cost in bytes even if messages are cut: the most bytes at one port.
    pub load: u64,
}

/// Messages between senders and receivers. Several messages may join the same two ports.
#[derive(Clone, Debug)]
pub struct Graph {
    senders: u32,
    receivers: u32,
    edges: Vec<Edge>,
    /// Bounds of the graph itself, cached because every certificate has them.
    bounds: OnceLock<Bounds>,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        (self.senders, self.receivers, &self.edges) == (other.senders, other.receivers, &other.edges)
    }
}

impl Eq for Graph {}

impl Graph {
    /// Creates a graph. Panics unless all senders and receivers are below the given numbers and every message has at
    /// least one byte.
    pub fn new(senders: u32, receivers: u32, edges: Vec<Edge>) -> Self {
        assert!(edges.iter().all(|e| e.sender < senders && e.receiver < receivers && e.bytes > 0));
        Self { senders, receivers, edges, bounds: OnceLock::new() }
    }

    /// Returns the number of senders.
    pub fn senders(&self) -> u32 {
        self.senders
    }

    /// Returns the number of receivers.
    pub fn receivers(&self) -> u32 {
        self.receivers
    }

    /// Returns the messages. Schedules refer to a message by its index here.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the messages with the roles of senders and receivers exchanged.
    pub fn transposed(&self) -> Self {
        let back = |e: &Edge| Edge { sender: e.receiver, receiver: e.sender, bytes: e.bytes };
        Self {
            senders: self.receivers,
            receivers: self.senders,
            edges: self.edges.iter().map(back).collect(),
            bounds: OnceLock::new(),
        }
    }

    /// Counts the messages of each sender, and of each receiver.
    pub fn degrees(&self) -> (Vec<u32>, Vec<u32>) {
        let mut degrees = (vec![0; self.senders as usize], vec![0; self.receivers as usize]);
        for e in &self.edges {
            degrees.0[e.sender as usize] += 1;
            degrees.1[e.receiver as usize] += 1;
        }
        degrees
    }

    /// Returns the maximum number of messages of a sender, and of a receiver.
    pub fn max_degrees(&self) -> (u32, u32) {
        let (send, receive) = self.degrees();
        let most = |degrees: Vec<u32>| degrees.into_iter().max().unwrap_or(0);
        (most(send), most(receive))
    }

    /// Returns the maximum number of messages at a port, which is the fewest steps of a schedule (König).
    pub fn max_degree(&self) -> u32 {
        let (send, receive) = self.max_degrees();
        send.max(receive)
    }

    /// Returns the bytes of the longest message of each group. Message e belongs to group `numbers[e]`.
    pub fn longest_by_group(&self, numbers: &[u32]) -> Vec<u64> {
        let mut longest = vec![0; numbers.iter().max().map_or(0, |&last| last as usize + 1)];
        for (e, &number) in self.edges.iter().zip(numbers) {
            let known = &mut longest[number as usize];
            *known = e.bytes.max(*known);
        }
        longest
    }

    /// Returns the bounds of the graph after each edge is replaced by a complete graph of `copies.0` senders and
    /// `copies.1` receivers.
    pub fn bounds(&self, copies: (u64, u64)) -> Bounds {
        match copies {
            (1, 1) => *self.bounds.get_or_init(|| self.bounds_of(copies)),
            _ => self.bounds_of(copies),
        }
    }

    fn bounds_of(&self, copies: (u64, u64)) -> Bounds {
        let edges = self.heaviest_first().into_iter().map(|e| self.edges[e as usize]).collect::<Vec<_>>();
        let zeros = || (vec![0u64; self.senders as usize], vec![0u64; self.receivers as usize]);
        let (mut degrees, mut loads) = (zeros(), zeros());
        let mut bounds = Bounds { steps: 0, cost: 0, load: 0 };
        for (k, e) in edges.iter().enumerate() {
            let (p, q) = (e.sender as usize, e.receiver as usize);
            for (degree, load, copies) in [
                (&mut degrees.0[p], &mut loads.0[p], copies.1),
                (&mut degrees.1[q], &mut loads.1[q], copies.0),
            ] {
                *degree += copies;
                *load = load.saturating_add(e.bytes.saturating_mul(copies));
                bounds.steps = bounds.steps.max(*degree);
                bounds.load = bounds.load.max(*load);
            }
            let longer = e.bytes - edges.get(k + 1).map_or(0, |next| next.bytes);
            bounds.cost = bounds.cost.saturating_add(bounds.steps.saturating_mul(longer));
        }
        bounds
    }

    /// Returns the indices of the messages, heaviest first. Equal messages keep their order.
    pub fn heaviest_first(&self) -> Vec<u32> {
        let count = u32::try_from(self.edges.len()).expect("fewer than 2^32 messages");
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_cached_key(|&e| std::cmp::Reverse(self.edges[e as usize].bytes));
        order
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::layout::intersect::Overlap;
    use std::collections::BTreeMap;

    /// Builds the messages of a dimension element by element, with lengths in elements.
    pub fn messages(dim: &Overlap) -> Graph {
        let mut met = BTreeMap::new();
        for x in 0..dim.len {
            *met.entry((dim.from.owner(x), dim.to.owner(x))).or_insert(0) += 1;
        }
        let edge = |((sender, receiver), bytes)| Edge { sender, receiver, bytes };
        Graph::new(dim.from.dist.procs(), dim.to.dist.procs(), met.into_iter().map(edge).collect())
    }

    pub fn graph(senders: u32, receivers: u32, edges: &[(u32, u32, u64)]) -> Graph {
        let edge = |&(sender, receiver, bytes)| Edge { sender, receiver, bytes };
        Graph::new(senders, receivers, edges.iter().map(edge).collect())
    }

    /// Builds a random graph of up to `most` ports a side, with a few parallel edges.
    pub fn random(rng: &mut fastrand::Rng, most: u32, heaviest: u64) -> Graph {
        let (senders, receivers) = (rng.u32(1..=most), rng.u32(1..=most));
        let density = rng.f64();
        let mut edges = Vec::new();
        for (sender, receiver) in (0..senders).flat_map(|p| (0..receivers).map(move |q| (p, q))) {
            while rng.f64() < density {
                edges.push(Edge { sender, receiver, bytes: rng.u64(1..=heaviest) });
                if rng.u8(0..8) > 0 {
                    break;
                }
            }
        }
        Graph::new(senders, receivers, edges)
    }

    #[test]
    fn bounds_of_a_small_graph() {
        let g = graph(2, 3, &[(0, 0, 5), (0, 1, 4), (1, 1, 3), (1, 2, 3), (1, 0, 2)]);
        // Most messages of a port that are longer than 4: 1; longer than 3: 2 (sender 0); longer than 2: 2; longer than
        // 1: 3 (sender 1).
        assert_eq!(g.bounds((1, 1)), Bounds { steps: 3, cost: 1 + 2 + 2 + 3 + 3, load: 9 });
        assert_eq!(g.max_degree(), 3);
        assert_eq!(g.transposed().transposed(), g);
        assert_eq!(g.transposed().bounds((2, 3)), g.bounds((3, 2)));
    }

    #[test]
    fn the_cost_bound_is_never_below_the_load() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..300 {
            let g = random(&mut rng, 8, 9);
            let bounds = g.bounds((1, 1));
            assert!(bounds.cost >= bounds.load);
        }
    }
}
