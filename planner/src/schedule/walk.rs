//! Counts messages and bounds their cost by a walk along the section, without a list of messages, if each process has
//! at most one block of the section (GEN_BLOCK, BLOCK). Time is proportional to the number of processes, apart from
//! sorting. The messages of a process follow each other, so each side stores the messages of one process at a time.

use super::blocks::UnequalBlocks;
use super::loads::Port;
use crate::layout::intersect::Overlap;

/// Figures that hold for every schedule of the messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalkFigures {
    /// Number of messages between the two sides.
    pub messages: u64,
    /// Maximum number of messages, and of elements, of a sender.
    pub send: Port,
    /// Maximum number of messages, and of elements, of a receiver.
    pub receive: Port,
    /// Lower bound of the cost in elements: for each k, the longest of the k-th longest messages of all processes;
    /// summed over k.
    pub cost_bound: u64,
}

#[derive(Default)]
struct PortWalk {
    port: Option<u32>,
    /// Messages of `port`, in elements.
    lengths: Vec<u64>,
    most: u64,
    elements: u64,
    /// For each k, the longest of the k-th longest messages of the processes.
    longest: Vec<u64>,
}

impl PortWalk {
    fn add(&mut self, port: u32, elements: u64) {
        if self.port.replace(port) != Some(port) {
            self.finish_port();
        }
        self.lengths.push(elements);
    }

    /// Adds the collected messages of one port to the figures, and forgets them.
    fn finish_port(&mut self) {
        let lengths = &mut self.lengths;
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        self.most = self.most.max(lengths.len() as u64);
        self.elements = self.elements.max(lengths.iter().sum());
        if self.longest.len() < lengths.len() {
            self.longest.resize(lengths.len(), 0);
        }
        for (longest, &length) in self.longest.iter_mut().zip(lengths.iter()) {
            *longest = length.max(*longest);
        }
        lengths.clear();
    }

    fn busiest(&self) -> Port {
        Port { messages: self.most, elements: self.elements }
    }
}

impl WalkFigures {
    /// Walks along the messages of `dim`. `None` if a process has several blocks, or if both sides have blocks of one
    /// size, which need no walk.
    pub fn new(dim: &Overlap) -> Option<Self> {
        let listed = [&dim.from, &dim.to].iter().any(|axis| UnequalBlocks::new(axis, dim.len).is_some());
        if !listed || !dim.has_single_blocks() {
            return None;
        }
        let (mut send, mut receive, mut messages) = (PortWalk::default(), PortWalk::default(), 0);
        dim.each_single_block_message(|p, q, elements| {
            send.add(p, elements);
            receive.add(q, elements);
            messages += 1;
        });
        send.finish_port();
        receive.finish_port();
        let of = |ports: &PortWalk, k: usize| ports.longest.get(k).copied().unwrap_or(0);
        let steps = send.longest.len().max(receive.longest.len());
        let cost_bound = (0..steps).map(|k| of(&send, k).max(of(&receive, k))).sum();
        Some(Self { messages, send: send.busiest(), receive: receive.busiest(), cost_bound })
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::Certificate;
    use super::super::dimension::Dimension;
    use super::super::graph::{Edge, Graph};
    use super::super::loads::busiest_ports;
    use super::super::ring;
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, Dist, GenBlock};

    fn blocks(rng: &mut fastrand::Rng, len: u64) -> Dist {
        let procs = rng.u32(1..40);
        GenBlock::random(rng, procs, len).into()
    }

    #[test]
    fn walks_count_the_messages_of_lists() {
        let mut rng = fastrand::Rng::with_seed(31);
        for case in 0..500 {
            let len = rng.u64(1..300);
            let procs = rng.u32(1..40);
            let equal = Dist::from(Cyclic::new(len.div_ceil(procs.into()), procs, 0).unwrap());
            let to = if case % 3 == 0 { equal } else { blocks(&mut rng, len) };
            let dim = Overlap { from: Axis::new(blocks(&mut rng, len), 0), to: Axis::new(to, 0), len };
            let edge = |(sender, receiver, bytes)| Edge { sender, receiver, bytes };
            let edges = dim.single_block_messages().unwrap().into_iter().map(edge).collect();
            let graph = Graph::new(dim.from.dist.procs(), dim.to.dist.procs(), edges);
            let dim = Dimension::new(dim);
            let walked = dim.walk_figures().unwrap();
            assert_eq!((walked.send, walked.receive), busiest_ports(&graph, (1, 1)));
            assert_eq!((walked.messages, walked.cost_bound), (dim.messages(), graph.bounds((1, 1)).cost));
            // The closed form has the fewest steps, and the walk along the messages gives its exact steps and cost.
            let closed = ring::order(&dim).unwrap();
            let step = |e: &Edge| closed.order.step(&[e.sender], &[e.receiver]).unwrap();
            let steps: Vec<u32> = graph.edges().iter().map(|e| u32::try_from(step(e)).unwrap()).collect();
            let c = Certificate::count(&graph, &steps);
            assert!(c.fewest_steps(), "{:?}", dim.overlap);
            assert_eq!((closed.steps, closed.cost, closed.exact), (c.steps, c.cost, true));
        }
    }
}
