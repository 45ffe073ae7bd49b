//! Schedulers for nodes whose ranks share a network port.
//!
//! The messages between nodes form a graph in which each node is a port. A schedule of this graph has *turns*: in a
//! turn, a node sends to at most one other node, and receives from at most one. Each turn has a step for each
//! *position*: in position i, rank j of the sending node sends to rank j + i of the receiving one, modulo the largest
//! number of ranks on a node. So all ranks of a node send to one node at a time, and no node receives from two nodes
//! while another one waits for data. A rank sends and receives at most one message in a step.
//!
//! With C turns, one step within nodes comes before each C steps between nodes:
//!
//! ```text
//! | within, position 0 | C steps between nodes | within, position 1 | C steps between nodes | ...
//! ```
//!
//! Messages within a node use no port. Their steps are spread evenly, so that ranks copy them while messages between
//! nodes are under way.
//!
//! There are two schedules of the node graph. The caterpillar is a formula: in turn k, counted from 0, node A sends to
//! node A + k + 1. It suits nodes that all exchange equally much. The other one colours the edges of the node graph,
//! heaviest first, and needs a list of all messages.

use super::caterpillar;
use super::certificate::Certificate;
use super::colouring;
use super::course::{ClosedForm, FoundSchedule};
use super::graph::{Edge, Graph};
use super::lookup::Lookup;
use super::order::{ByMessage, Order};
use super::traffic::Traffic;
use crate::layout::distribution::{Grid, Nodes};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An order of messages by the nodes of their senders and receivers.
#[derive(Debug)]
struct ByNode {
    from: Grid,
    to: Grid,
    nodes: Nodes,
    /// Number of nodes, and the largest number of ranks on a node.
    count: u64,
    most: u64,
    rule: TurnRule,
}

/// Rule that gives the turn of the messages between two nodes, from 0.
#[derive(Debug)]
enum TurnRule {
    /// Node A sends to node A + k + 1 in turn k.
    Caterpillar,
    /// The turn of each pair of nodes, and the number of turns.
    Listed(Lookup, u64),
}

impl ByNode {
    /// Creates the order of `traffic`, whose ranks are on `nodes` and share their ports.
    fn new(traffic: &Traffic, nodes: &Nodes, rule: TurnRule) -> Self {
        let (count, most) = nodes.shared_ports().expect("ranks share ports");
        let (from, to, nodes) = (traffic.from.clone(), traffic.to.clone(), nodes.clone());
        Self { from, to, nodes, count: count.into(), most: most.into(), rule }
    }

    fn turns(&self) -> u64 {
        match self.rule {
            TurnRule::Caterpillar => self.count - 1,
            TurnRule::Listed(_, count) => count,
        }
    }
}

impl Order for ByNode {
    fn steps(&self) -> u64 {
        self.most * (self.turns() + 1)
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let (a, b) = (self.nodes.place(self.from.rank(from))?, self.nodes.place(self.to.rank(to))?);
        let position = (u64::from(b.number) + self.most - u64::from(a.number)) % self.most;
        let turns = self.turns();
        if a.node == b.node {
            return Some(position * (turns + 1));
        }
        let turn = match &self.rule {
            TurnRule::Caterpillar => (u64::from(b.node) + self.count - u64::from(a.node)) % self.count - 1,
            TurnRule::Listed(found, _) => found.get(a.node, b.node)?.into(),
        };
        let between = turn * self.most + position;
        Some(between / turns * (turns + 1) + between % turns + 1)
    }
}

/// Returns the caterpillar of nodes, or that of ranks if each rank has a port of its own. If messages are not listed,
/// its figures assume that every message is as long as the longest one.
pub fn caterpillar(traffic: &Traffic) -> FoundSchedule {
    let Some(nodes) = traffic.nodes() else { return caterpillar::find_order(traffic, false) };
    let order = ByNode::new(traffic, nodes, TurnRule::Caterpillar);
    let (steps, bounds) = (order.steps(), traffic.bounds());
    let cost = steps.saturating_mul(traffic.longest_message_bound() / traffic.element);
    let least = (bounds.steps, bounds.cost);
    let exact = traffic.copies() == (1, 1) && least == (steps, cost.saturating_mul(traffic.element));
    FoundSchedule::from_closed_form(traffic, ClosedForm { order: Arc::new(order), steps, cost, exact })
}

/// Returns the order whose turns are an edge colouring of the node graph, or an edge colouring of the graph of ranks if
/// each rank has a port of its own.
pub fn colouring(traffic: &Traffic) -> Result<FoundSchedule, String> {
    let list = traffic.list()?;
    let (Some(nodes), Some(ports)) = (traffic.nodes(), &list.node_ports) else {
        let steps = colouring::colour(&list.graph);
        let certificate = Certificate::count(&list.graph, &steps);
        let order = ByMessage::new(&list.graph, [&traffic.from, &traffic.to], &steps);
        return Ok(FoundSchedule { steps: Some(steps), ..FoundSchedule::direct(order, certificate) });
    };
    let small = |node| u32::try_from(node).expect("no more nodes than ranks");
    let mut bytes = BTreeMap::new();
    for e in list.graph.edges().iter().filter(|e| !ports.is_within(e)) {
        let pair = (small(ports.of_sender(e.sender)), small(ports.of_receiver(e.receiver)));
        *bytes.entry(pair).or_insert(0) += e.bytes;
    }
    let edges = bytes.into_iter().map(|((sender, receiver), bytes)| Edge { sender, receiver, bytes });
    let graph = Graph::new(small(ports.count()), small(ports.count()), edges.collect());
    let colours = colouring::colour(&graph);
    let count = colours.iter().max().map_or(1, |&last| u64::from(last) + 1);
    let rule = TurnRule::Listed(Lookup::new(&graph, colours), count);
    let order: Arc<dyn Order> = Arc::new(ByNode::new(traffic, nodes, rule));
    Ok(FoundSchedule::count_order(traffic, &order).expect("messages are listed"))
}

#[cfg(test)]
mod tests {
    use super::super::checkerboard::tests::random_traffic;
    use super::super::chooser::{choose, run_scheduler};
    use super::super::cost_model::busy;
    use super::super::course::Course;
    use super::super::table::find_by_name;
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, Rank};
    use crate::layout::intersect::Overlap;
    use crate::machine::Machine;
    use std::collections::HashMap;

    /// Builds BLOCK to CYCLIC with `cell` elements of 8 bytes for each two of `ranks` ranks, on nodes of `of_node`.
    fn all_pairs(ranks: u32, cell: u64, of_node: impl Fn(u32) -> u32) -> Traffic {
        let all = u64::from(ranks);
        let axis = |block| Axis::new(Cyclic::new(block, ranks, 0).unwrap(), 0);
        let dim = Overlap { from: axis(cell * all), to: axis(cell), len: cell * all * all };
        let grid = Grid::row_major(&[ranks]);
        let traffic = Traffic::new(vec![dim], 8, grid.clone(), grid);
        traffic.on_nodes(Nodes::new(&(0..ranks).map(of_node).collect::<Vec<_>>()))
    }

    fn order(t: &Traffic, name: &str) -> Option<Arc<dyn Order>> {
        match run_scheduler(find_by_name(name).unwrap(), t, &Machine::NETWORK).ok()?.course {
            Course::Direct(order) => Some(order),
            Course::Chain(_) => None,
        }
    }

    #[test]
    fn in_each_step_a_node_sends_to_one_node_and_receives_from_one() {
        let mut rng = fastrand::Rng::with_seed(83);
        let mut ran = 0;
        for _ in 0..300 {
            let t = random_traffic(&mut rng);
            let ranks = t.from.span().end().max(t.to.span().end()) + 1;
            let count = rng.u32(2..5);
            let nodes: Vec<u32> = (0..ranks).map(|_| rng.u32(0..count)).collect();
            let t = t.on_nodes(Nodes::new(&nodes));
            for name in ["node-caterpillar", "node-colouring"] {
                let Some(order) = order(&t, name) else { continue };
                ran += 1;
                let list = t.listed().unwrap();
                let (mut to, mut from) = (HashMap::new(), HashMap::new());
                for e in list.graph.edges() {
                    let ends = t.edge_coordinates(e);
                    let step = order.step(&ends.0, &ends.1).unwrap();
                    assert!(step < order.steps());
                    let [a, b] =
                        [t.from.rank(&ends.0), t.to.rank(&ends.1)].map(|Rank(rank)| nodes[rank as usize]);
                    if a != b {
                        assert_eq!(
                            *to.entry((step, a)).or_insert(b),
                            b,
                            "{name}: a node sends to two in a step"
                        );
                        assert_eq!(
                            *from.entry((step, b)).or_insert(a),
                            a,
                            "{name}: a node receives from two"
                        );
                    }
                }
            }
        }
        assert!(ran > 200, "{ran}");
    }

    #[test]
    fn all_pairs_take_the_time_of_the_busiest_port() {
        let machine = &Machine::NETWORK;
        for (nodes, most) in [(4, 4), (8, 4), (4, 8)] {
            for by_slot in [true, false] {
                let node = move |rank| if by_slot { rank / most } else { rank % nodes };
                let t = all_pairs(nodes * most, 8 << 10, node).with_budget_for(machine);
                let chosen = choose(&t, machine, None).unwrap();
                let least = busy(&t, machine, chosen.certificate.as_ref().unwrap());
                assert!(chosen.price < 1.03 * least, "{} {least}", chosen.price);
                // The circulant is a schedule of ranks: two nodes send to a node while others wait.
                let ranks = choose(&t, machine, Some("circulant")).unwrap();
                assert!(ranks.price > 1.01 * chosen.price, "{} {}", ranks.price, chosen.price);
            }
        }
    }

    #[test]
    fn too_many_messages_to_list_are_ordered_by_formula() {
        let machine = &Machine::NETWORK;
        let t = all_pairs(1 << 12, 1 << 10, |rank| rank / 64).with_budget_for(machine);
        let chosen = choose(&t, machine, None).unwrap();
        assert_eq!(chosen.scheduler.name, "node-caterpillar");
        let figures = chosen.certificate.unwrap();
        assert_eq!((figures.steps, figures.cost), (1 << 12, figures.bounds.cost));
        // If nodes have unequal numbers of ranks, there are more steps than ranks. If each rank has a port of its own,
        // the chooser does not ask the schedulers for nodes.
        let name = |node: fn(u32) -> u32| {
            let t = all_pairs(1 << 12, 1 << 10, node).with_budget_for(machine);
            choose(&t, machine, None).unwrap().scheduler.name
        };
        assert_eq!(name(|rank| rank / 65), "circulant");
        assert_eq!(name(|rank| rank), "circulant");
    }

    #[test]
    fn ranks_with_ports_of_their_own_are_nodes() {
        let t = all_pairs(8, 64, |rank| rank);
        for (name, same) in [("node-caterpillar", "caterpillar"), ("node-colouring", "edge-colouring")] {
            let [steps, others] =
                [name, same].map(|name| Certificate::steps(&t, order(&t, name).unwrap().as_ref()).unwrap());
            assert_eq!(steps, others);
        }
    }

    #[test]
    fn a_colouring_of_nodes_takes_no_more_turns_than_the_busiest_node_has_partners() {
        let t = all_pairs(8, 64, |rank| rank / 2);
        let order = order(&t, "node-colouring").unwrap();
        assert_eq!(order.steps(), 2 * 4, "three turns between four nodes, and the messages within nodes");
    }
}
