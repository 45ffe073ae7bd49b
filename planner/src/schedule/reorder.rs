//! Reorders the steps of a schedule so that its last port finishes earlier.
//!
//! The number of steps and the cost do not depend on the order of the steps. But the order decides how long ports wait
//! for each other, because a port skips steps in which it has no message ([`jitter`]).
//!
//! First, four promising orders are simulated. Then a random step of the best order is moved to a random place, and
//! stays there if the last port finishes earlier. This is repeated. All ranks draw the same random numbers.

use super::graph::Graph;
use super::jitter;
use super::limits::PRICE_ACCURACY;
use super::node_ports::NodePorts;
use crate::machine::Machine;

/// Simulates at most `tries` orders, and searches for one that takes less than `before`, the seconds of `steps`.
/// `nodes` has the nodes' ports, if ranks share them.
///
/// Returns the new step of each message and the seconds of the schedule, or `None` if no order saves more than the
/// fraction [`PRICE_ACCURACY`] of `before`.
pub fn find_faster_order(
    (graph, nodes): (&Graph, Option<&NodePorts>),
    steps: &[u32],
    machine: &Machine,
    before: f64,
    tries: u64,
) -> Option<(Vec<u32>, f64)> {
    let mut found = BestOrder { best: None, seconds: before };
    let count = steps.iter().max()? + 1;
    // There are only `count` factorial orders.
    let mut tries = 0..tries.min((1..=u64::from(count)).fold(1, u64::saturating_mul));
    let mut order: Vec<u32> = (0..count).collect();
    let take = |found: &mut BestOrder, order: &[u32]| {
        let reordered = reordered_steps(steps, order);
        let seconds = jitter::expected_seconds((graph, nodes), &reordered, machine, None);
        let sooner = seconds < found.seconds;
        if sooner {
            *found = BestOrder { best: Some(reordered), seconds };
        }
        sooner
    };
    for other in orders(graph, steps, count) {
        if tries.next().is_some() && take(&mut found, &other) {
            order = other;
        }
    }
    let mut random = Random(u64::from(count));
    for _ in tries {
        let (from, to) = (random.below(count), random.below(count));
        let step = order.remove(from);
        order.insert(to, step);
        if !take(&mut found, &order) {
            let step = order.remove(to);
            order.insert(from, step);
        }
    }
    found.best.filter(|_| found.seconds < (1.0 - PRICE_ACCURACY) * before).map(|steps| (steps, found.seconds))
}

/// The best order so far; `None` while that is the given order.
struct BestOrder {
    best: Option<Vec<u32>>,
    seconds: f64,
}

/// Returns the first orders to try: the reversed order; long and short steps in turn; by descending sum of the loads of
/// the messages' busier ports; by ascending number of bytes.
fn orders(graph: &Graph, steps: &[u32], count: u32) -> [Vec<u32>; 4] {
    let mut loads = (vec![0; graph.senders() as usize], vec![0; graph.receivers() as usize]);
    for e in graph.edges() {
        loads.0[e.sender as usize] += e.bytes;
        loads.1[e.receiver as usize] += e.bytes;
    }
    let [mut longest, mut bytes, mut busy] = [const { 0u64 }; 3].map(|none| vec![none; count as usize]);
    for (e, step) in graph.edges().iter().zip(steps.iter().map(|&step| step as usize)) {
        longest[step] = longest[step].max(e.bytes);
        bytes[step] += e.bytes;
        busy[step] += loads.0[e.sender as usize].max(loads.1[e.receiver as usize]);
    }
    let ascending = |by: &[u64]| {
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&step| by[step as usize]);
        order
    };
    let descending = |by: &[u64]| {
        let mut order = ascending(by);
        order.reverse();
        order
    };
    let long_first = descending(&longest);
    let ends = long_first.iter().zip(long_first.iter().rev());
    let by_turns = ends.flat_map(|(&long, &short)| [long, short]).take(count as usize).collect();
    [(0..count).rev().collect(), by_turns, descending(&busy), ascending(&bytes)]
}

/// Returns the new step of each message if the steps are put in `order`.
fn reordered_steps(steps: &[u32], order: &[u32]) -> Vec<u32> {
    let mut turns = vec![0; order.len()];
    (0..).zip(order).for_each(|(turn, &step)| turns[step as usize] = turn);
    steps.iter().map(|&step| turns[step as usize]).collect()
}

/// Pseudorandom numbers, equal on all ranks (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: u32) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::from(count)).expect("below a u32")
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::Certificate;
    use super::super::colouring;
    use super::super::graph::tests::random;
    use super::*;

    #[test]
    fn steps_change_places_and_nothing_else() {
        let mut rng = fastrand::Rng::with_seed(53);
        let mut better = 0;
        for _ in 0..300 {
            let g = random(&mut rng, 12, 50);
            let machine = Machine { window: rng.u32(1..6), start_up: 0.0, byte: 1.0, ..Machine::NETWORK };
            let steps = colouring::colour(&g);
            let before = jitter::expected_seconds((&g, None), &steps, &machine, None);
            let Some((reordered, seconds)) = find_faster_order((&g, None), &steps, &machine, before, 40)
            else {
                continue;
            };
            assert_eq!(seconds, jitter::expected_seconds((&g, None), &reordered, &machine, None));
            assert!(seconds < before);
            assert_eq!(Certificate::count(&g, &reordered), Certificate::count(&g, &steps));
            // Messages that shared a step still share one.
            let mut pairs: Vec<(u32, u32)> = steps.iter().copied().zip(reordered).collect();
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len() as u64, Certificate::count(&g, &steps).steps);
            better += 1;
        }
        assert!(better > 20, "{better} of 300");
    }

    #[test]
    fn orders_are_permutations() {
        let mut rng = fastrand::Rng::with_seed(59);
        for _ in 0..100 {
            let g = random(&mut rng, 9, 30);
            let steps = colouring::colour(&g);
            let Some(last) = steps.iter().max() else { continue };
            for mut order in orders(&g, &steps, last + 1) {
                order.sort_unstable();
                assert!(order.into_iter().eq(0..=*last));
            }
        }
    }

    #[test]
    fn no_order_is_returned_without_attempts() {
        let g = random(&mut fastrand::Rng::with_seed(61), 9, 30);
        let steps = colouring::colour(&g);
        let before = jitter::expected_seconds((&g, None), &steps, &Machine::NETWORK, None);
        assert_eq!(find_faster_order((&g, None), &steps, &Machine::NETWORK, before, 0), None);
    }
}
