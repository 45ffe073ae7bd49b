//! What a schedule costs, beside what any schedule must cost.

use super::graph::{Bounds, Graph};

/// Figures of a schedule, counted from its steps, and the bounds of its graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Steps that carry a message.
    pub steps: u64,
    /// Sum over the steps of the longest message, in bytes.
    pub cost: u64,
    /// What no schedule can do without.
    pub bounds: Bounds,
    /// Messages.
    pub messages: u64,
}

impl Certificate {
    /// Counts the schedule that sends message `e` of `graph` in step `steps[e]`. Panics if it is no schedule: if a
    /// sender or a receiver is twice in a step.
    pub fn count(graph: &Graph, steps: &[u32]) -> Self {
        assert_eq!(graph.edges().len(), steps.len(), "every message has a step");
        let mut order: Vec<usize> = (0..steps.len()).collect();
        order.sort_unstable_by_key(|&e| steps[e]);
        let mut last_send = vec![u32::MAX; graph.senders() as usize];
        let mut last_receive = vec![u32::MAX; graph.receivers() as usize];
        let (mut count, mut cost, mut k) = (0, 0, 0);
        while k < order.len() {
            let step = steps[order[k]];
            let mut longest = 0;
            while let Some(&e) = order.get(k).filter(|&&e| steps[e] == step) {
                let edge = &graph.edges()[e];
                for last in [&mut last_send[edge.sender as usize], &mut last_receive[edge.receiver as usize]]
                {
                    assert_ne!(*last, step, "a port twice in step {step}: {edge:?}");
                    *last = step;
                }
                longest = longest.max(edge.bytes);
                k += 1;
            }
            count += 1;
            cost += longest;
        }
        Self { steps: count, cost, bounds: graph.bounds((1, 1)), messages: graph.edges().len() as u64 }
    }

    /// Whether no schedule has fewer steps.
    pub fn fewest_steps(&self) -> bool {
        self.steps == self.bounds.steps
    }

    /// Whether it is proven that no schedule of whole messages costs less.
    pub fn least_cost(&self) -> bool {
        self.cost == self.bounds.cost
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::graph;
    use super::*;

    #[test]
    fn figures_are_counted_from_the_steps() {
        let g = graph(2, 2, &[(0, 0, 5), (0, 1, 4), (1, 1, 3), (1, 0, 2)]);
        let c = Certificate::count(&g, &[7, 2, 7, 2]);
        assert_eq!((c.steps, c.cost, c.messages), (2, 9, 4));
        assert_eq!(c.bounds, Bounds { steps: 2, cost: 9, load: 9 });
        assert!(c.fewest_steps() && c.least_cost());
        let c = Certificate::count(&g, &[0, 1, 2, 3]);
        assert_eq!((c.steps, c.cost), (4, 14));
        assert!(!c.fewest_steps() && !c.least_cost());
    }

    #[test]
    #[should_panic(expected = "twice in step 0")]
    fn a_port_twice_in_a_step_is_found() {
        let g = graph(2, 2, &[(0, 0, 5), (0, 1, 4)]);
        Certificate::count(&g, &[0, 0]);
    }
}
