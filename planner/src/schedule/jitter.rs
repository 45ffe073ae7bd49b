//! Expected time of a schedule on a network whose messages do not take exactly their nominal time.
//!
//! Some orders are fast only if every message takes exactly its nominal time; in other orders, a delay holds up fewer
//! messages. So the price is the mean of a few simulations ([`simulate`]). Each simulation makes every message up to a
//! tenth longer or shorter, at random. The random numbers are the same on every rank and for every schedule.

use super::graph::{Edge, Graph};
use super::limits::{DELAY_DIVISOR, MAX_SIMULATIONS};
use super::node_ports::NodePorts;
use super::simulate;
use super::without;
use crate::digest::mixed;
use crate::machine::{Machine, real};

/// Returns the number of simulations of a schedule of `messages` messages.
pub fn simulations(messages: u64) -> u64 {
    (MAX_SIMULATIONS.1 / messages.max(1)).clamp(1, MAX_SIMULATIONS.0)
}

/// Returns the expected seconds until all messages of `graph` have arrived, if message `e` goes in step `steps[e]`.
/// `nodes` has the nodes' ports, if ranks share them. If `parts_of` is given, the edges are parts of this number of
/// messages, and edges between the same two ranks belong to one message.
pub fn expected_seconds(
    (graph, nodes): (&Graph, Option<&NodePorts>),
    steps: &[u32],
    machine: &Machine,
    parts_of: Option<u64>,
) -> f64 {
    let order = simulate::in_order(steps);
    let of = |edges: &[Edge]| simulate::seconds_in_order((edges, nodes), &order, machine, parts_of.is_some());
    if without::is_left_out("delays") {
        return of(graph.edges());
    }
    let count = simulations(parts_of.unwrap_or(graph.edges().len() as u64));
    let delayed = |e: &Edge, number| Edge { bytes: delayed_bytes(e, number), ..*e };
    let each =
        (0..count).map(|number| of(&graph.edges().iter().map(|e| delayed(e, number)).collect::<Vec<_>>()));
    each.sum::<f64>() / real(count)
}

fn delayed_bytes(e: &Edge, number: u64) -> u64 {
    let ends = u64::from(e.sender) << 32 | u64::from(e.receiver);
    // From 1000 - 1000 / DELAY_DIVISOR to 1000 + 1000 / DELAY_DIVISOR thousandths of the bytes of `e`.
    let thousandths =
        1000 - 1000 / DELAY_DIVISOR + mixed(mixed(ends, 0) ^ number, 0) % (2000 / DELAY_DIVISOR + 1);
    let bytes = (u128::from(e.bytes) * u128::from(thousandths) + 500) / 1000;
    u64::try_from(bytes).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::colouring;
    use super::super::graph::tests::{graph, random};
    use super::*;

    const BYTES: Machine = Machine { start_up: 0.0, byte: 1.0, ..Machine::NETWORK };

    #[test]
    fn an_order_that_needs_exact_times_takes_longer() {
        // Each of the two steps has two messages. MPI asks before it sends, so each port waits for the longer message
        // of step 0.
        let n = 8 << 20;
        let g = graph(2, 2, &[(0, 0, n), (1, 1, n), (0, 1, n), (1, 0, n)]);
        let steps = [0, 0, 1, 1];
        let (exact, delayed) =
            (simulate::seconds(&g, &steps, &BYTES), expected_seconds((&g, None), &steps, &BYTES, None));
        assert!((exact - real(2 * n)).abs() < 1e-6);
        assert!(delayed > exact && delayed < 1.1 * exact, "{delayed} {exact}");
    }

    #[test]
    fn it_is_close_to_exact_times() {
        let mut rng = fastrand::Rng::with_seed(67);
        for _ in 0..200 {
            let g = random(&mut rng, 12, 5000);
            let start_up = rng.f64() * 500.0;
            let machine = Machine { window: rng.u32(1..6), start_up, ..BYTES };
            let steps = colouring::colour(&g);
            let (exact, delayed) = (
                simulate::seconds(&g, &steps, &machine),
                expected_seconds((&g, None), &steps, &machine, None),
            );
            assert!(delayed >= 0.85 * exact && delayed <= 1.15 * exact, "{delayed} {exact}");
        }
        assert_eq!([0, 100, 500, 5000].map(simulations), [5, 5, 2, 1]);
    }

    #[test]
    fn lengths_are_within_a_tenth_and_about_right_in_the_mean() {
        for bytes in [1u64, 8, 1000, 1 << 40, u64::MAX / 4] {
            let of = |receiver| delayed_bytes(&Edge { sender: 3, receiver, bytes }, 2);
            let all: Vec<u64> = (0..4000).map(of).collect();
            assert!(all.iter().all(|&is| is.abs_diff(bytes) <= bytes.div_ceil(DELAY_DIVISOR)), "{bytes}");
            let mean = all.iter().map(|&is| real(is)).sum::<f64>() / 4000.0;
            assert!((mean / real(bytes) - 1.0).abs() < 0.01 || bytes == 1, "{bytes}: {mean}");
        }
    }
}
