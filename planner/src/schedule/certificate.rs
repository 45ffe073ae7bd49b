//! Number of steps and cost of a schedule, with lower bounds that hold for every schedule of the same messages.

use super::graph::{Bounds, Graph};
use super::order::Order;
use super::traffic::Traffic;

/// Maximum length of a table indexed by step, as a multiple of the number of messages. If it would be longer, messages
/// are sorted by step instead.
const MAX_STEPS_PER_MESSAGE: usize = 8;

/// Figures of a schedule, and the bounds of its graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Number of steps that carry a message.
    pub steps: u64,
    /// Sum over the steps of the length of the longest message, in bytes.
    pub cost: u64,
    /// Lower bounds for every schedule of these messages.
    pub bounds: Bounds,
    /// Number of messages, self copies included if `kept`.
    pub messages: u64,
    /// True if the figures are exact. Otherwise there are too many messages to count: steps, cost and messages are
    /// upper bounds, and `bounds` are still lower bounds.
    pub exact: bool,
    /// True if self copies (elements that stay on their rank) may be counted as messages. The figures of a closed form
    /// include them.
    pub kept: bool,
}

impl Certificate {
    /// Adds the figures of a schedule that follows this one.
    #[must_use]
    pub fn then(self, next: &Self) -> Self {
        let bounds = Bounds {
            steps: self.bounds.steps + next.bounds.steps,
            cost: self.bounds.cost + next.bounds.cost,
            load: self.bounds.load + next.bounds.load,
        };
        Self {
            steps: self.steps + next.steps,
            cost: self.cost + next.cost,
            bounds,
            messages: self.messages + next.messages,
            exact: self.exact && next.exact,
            kept: self.kept || next.kept,
        }
    }

    /// Counts the figures of the schedule that sends message `e` of `graph` in step `steps[e]`. Panics if a sender or a
    /// receiver occurs twice in a step.
    pub fn count(graph: &Graph, steps: &[u32]) -> Self {
        assert_eq!(graph.edges().len(), steps.len(), "every message has a step");
        let order = order_by_step(steps);
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
        Self {
            steps: count,
            cost,
            bounds: graph.bounds((1, 1)),
            messages: graph.edges().len() as u64,
            exact: true,
            kept: false,
        }
    }

    /// Counts the figures of `order` for the messages of `traffic`; `order` must not cut messages. `None` if messages
    /// cannot be listed.
    pub fn of(traffic: &Traffic, order: &dyn Order) -> Option<Self> {
        Some(Self::count(&traffic.listed()?.graph, &Self::steps(traffic, order)?))
    }

    /// Returns the step of each message of `traffic` in `order`, which must not cut messages. Steps are renumbered so
    /// that none is empty. `None` if messages cannot be listed.
    pub fn steps(traffic: &Traffic, order: &dyn Order) -> Option<Vec<u32>> {
        let graph = &traffic.listed()?.graph;
        let (mut from, mut to) = (Vec::new(), Vec::new());
        let mut all = Vec::with_capacity(graph.edges().len());
        for e in graph.edges() {
            traffic.put_ends(e, &mut from, &mut to);
            all.push(order.step(&from, &to)?);
        }
        // Steps may be renumbered, because only their order matters.
        if let Some(numbers) = renumber(&all) {
            return Some(numbers);
        }
        let mut busy = all.clone();
        busy.sort_unstable();
        busy.dedup();
        let number = |step: &u64| u32::try_from(busy.partition_point(|other| other < step)).ok();
        all.iter().map(number).collect()
    }

    /// Returns the bounds without self copies ([`Traffic::sent_bounds`]).
    pub fn sent_bounds(&self, traffic: &Traffic) -> Bounds {
        if self.kept { traffic.sent_bounds(self.bounds) } else { self.bounds }
    }

    /// Returns true if no schedule of these messages can have fewer steps.
    pub fn fewest_steps(&self) -> bool {
        self.steps == self.bounds.steps
    }

    /// Returns true if no schedule of these messages can cost less, unless it cuts messages.
    pub fn least_cost(&self) -> bool {
        self.cost == self.bounds.cost
    }
}

/// Returns the indices of messages, sorted by step. Uses a counting sort, unless the steps are sparse.
fn order_by_step(steps: &[u32]) -> Vec<usize> {
    let count = steps.iter().max().map_or(0, |&last| last as usize + 1);
    if count > MAX_STEPS_PER_MESSAGE * steps.len() {
        let mut order: Vec<usize> = (0..steps.len()).collect();
        order.sort_unstable_by_key(|&e| steps[e]);
        return order;
    }
    let mut next = vec![0usize; count + 1];
    steps.iter().for_each(|&step| next[step as usize + 1] += 1);
    (1..next.len()).for_each(|step| next[step] += next[step - 1]);
    let mut order = vec![0; steps.len()];
    for (e, &step) in steps.iter().enumerate() {
        let place = &mut next[step as usize];
        order[*place] = e;
        *place += 1;
    }
    order
}

/// Renumbers the steps so that none is empty; `None` if they are too sparse for a table.
fn renumber(all: &[u64]) -> Option<Vec<u32>> {
    let count = all.iter().max().map_or(0, |&last| last.saturating_add(1));
    let count = usize::try_from(count).ok().filter(|&count| count <= MAX_STEPS_PER_MESSAGE * all.len())?;
    let at = |step: u64| usize::try_from(step).expect("below the count");
    let mut numbers = vec![0u32; count];
    all.iter().for_each(|&step| numbers[at(step)] = 1);
    let mut before = 0;
    for number in &mut numbers {
        before += std::mem::replace(number, before);
    }
    Some(all.iter().map(|&step| numbers[at(step)]).collect())
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
    fn tables_and_sorting_find_the_same_order() {
        let mut rng = fastrand::Rng::with_seed(21);
        for _ in 0..200 {
            let most = 1 << rng.u32(0..12);
            let steps: Vec<u32> = (0..rng.usize(0..60)).map(|_| rng.u32(0..most)).collect();
            let mut sorted: Vec<usize> = (0..steps.len()).collect();
            sorted.sort_by_key(|&e| steps[e]);
            let found = order_by_step(&steps);
            assert!(found.iter().map(|&e| steps[e]).eq(sorted.iter().map(|&e| steps[e])), "{steps:?}");
            let mut each = found;
            each.sort_unstable();
            assert!(each.into_iter().eq(0..steps.len()));
            let mut busy = steps.clone();
            busy.sort_unstable();
            busy.dedup();
            let wide: Vec<u64> = steps.iter().map(|&step| step.into()).collect();
            if let Some(numbers) = renumber(&wide) {
                assert!(numbers.iter().zip(&steps).all(|(&number, step)| busy[number as usize] == *step));
            } else {
                assert!(steps.iter().any(|&step| step as usize >= MAX_STEPS_PER_MESSAGE * steps.len()));
            }
        }
    }

    #[test]
    #[should_panic(expected = "twice in step 0")]
    fn a_port_twice_in_a_step_is_found() {
        let g = graph(2, 2, &[(0, 0, 5), (0, 1, 4)]);
        Certificate::count(&g, &[0, 0]);
    }
}
