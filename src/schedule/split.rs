//! Where messages may be cut, the cost of a schedule can be as low as the bytes of the busiest port, exactly (Gonzalez and
//! Sahni's open shop with preemption, 1976; a Birkhoff-von Neumann decomposition).
//!
//! With as much time left as the busiest port has bytes left, a matching that serves every port without slack runs for as
//! long as it can: until one of its messages is through, or a port that it does not serve runs out of slack. Such a
//! matching exists always (the matrix of bytes, filled up to equal row and column sums, is a sum of permutations). It pays
//! where traffic is very uneven, so that one long message would hold up many steps.

use super::cover::Remaining;
use super::graph::Graph;

/// Part of a message in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The message.
    pub edge: u32,
    /// The step.
    pub step: u32,
    /// First byte.
    pub from: u64,
    /// Number of bytes; at least 1.
    pub bytes: u64,
}

/// All parts, by step, and the cost of each step: a schedule that costs as much as the busiest port has bytes.
pub fn parts(graph: &Graph) -> (Vec<Part>, Vec<u64>) {
    let mut left: Vec<u64> = graph.edges().iter().map(|e| e.bytes).collect();
    let mut remaining = Remaining::new(graph);
    let mut load = vec![0; remaining.ports()];
    for (edge, bytes) in (0..).zip(&left) {
        for port in remaining.ports_of(edge) {
            load[port] += bytes;
        }
    }
    let mut time = load.iter().copied().max().unwrap_or(0);
    let (mut parts, mut costs) = (Vec::new(), Vec::new());
    while time > 0 {
        let matching = remaining.matching(|port| load[port] == time);
        let mut served = vec![false; load.len()];
        for &edge in &matching {
            for port in remaining.ports_of(edge) {
                served[port] = true;
            }
        }
        let shortest = matching.iter().map(|&edge| left[edge as usize]).min();
        let slack = (0..load.len()).filter(|&port| !served[port]).map(|port| time - load[port]).min();
        let run = shortest.into_iter().chain(slack).min().expect("there is a message while there is time");
        let step = u32::try_from(costs.len()).expect("fewer than 2^32 steps");
        for &edge in &matching {
            let rest = &mut left[edge as usize];
            let from = graph.edges()[edge as usize].bytes - *rest;
            parts.push(Part { edge, step, from, bytes: run });
            *rest -= run;
            for port in remaining.ports_of(edge) {
                load[port] -= run;
            }
        }
        let through: Vec<u32> = matching.into_iter().filter(|&edge| left[edge as usize] == 0).collect();
        remaining.remove(&through);
        costs.push(run);
        time -= run;
    }
    (parts, costs)
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{graph, random};
    use super::*;
    use std::collections::HashSet;

    fn check(g: &Graph) -> usize {
        let (parts, costs) = parts(g);
        assert_eq!(costs.iter().sum::<u64>(), g.bounds((1, 1)).load);
        let (mut sent, mut busy) = (vec![0; g.edges().len()], HashSet::new());
        for part in &parts {
            let e = g.edges()[part.edge as usize];
            assert_eq!(part.from, sent[part.edge as usize], "parts are in order");
            assert!(0 < part.bytes && part.bytes <= costs[part.step as usize]);
            assert!(busy.insert((part.step, 0, e.sender)) && busy.insert((part.step, 1, e.receiver)));
            sent[part.edge as usize] += part.bytes;
        }
        assert!(g.edges().iter().zip(&sent).all(|(e, sent)| e.bytes == *sent), "every byte is sent once");
        costs.len()
    }

    #[test]
    fn the_cost_is_the_load_of_the_busiest_port() {
        let mut rng = fastrand::Rng::with_seed(6);
        for _ in 0..300 {
            let g = random(&mut rng, 12, 1000);
            let steps = check(&g);
            assert!(steps <= g.edges().len() + (g.senders() + g.receivers()) as usize);
        }
    }

    #[test]
    fn a_long_message_does_not_hold_up_the_others() {
        // A path, so whole messages alternate between two steps, which cost 10 each; cut, 11 is enough.
        let g = graph(2, 3, &[(0, 0, 10), (0, 1, 1), (1, 1, 1), (1, 2, 10)]);
        assert_eq!(g.bounds((1, 1)).load, 11);
        check(&g);
    }
}
