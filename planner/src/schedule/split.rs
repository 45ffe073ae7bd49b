//! Cuts messages so that the cost of a schedule equals the bytes of the busiest port (Gonzalez and Sahni's open shop
//! with preemption, 1976; a Birkhoff-von Neumann decomposition). This pays off if traffic is so uneven that a few
//! long messages would make many steps long.
//!
//! ```text
//! time = bytes of the busiest port
//! while time > 0:
//!     find a matching that serves every port without slack (bytes left == time)
//!     run it until one of its messages is complete, or an unserved port runs out of slack
//!     time -= the bytes run
//! ```
//!
//! Such a matching always exists: the matrix of bytes, filled up to equal row and column sums, is a weighted sum of
//! permutation matrices.

use super::certificate::Certificate;
use super::course::FoundSchedule;
use super::cover::Remaining;
use super::graph::{Bounds, Graph};
use super::order::{CutPart, Order, port};
use super::traffic::Traffic;
use crate::layout::distribution::Grid;
use std::collections::HashMap;

#[derive(Debug)]
struct Split {
    steps: u64,
    parts: HashMap<(u32, u32), Vec<CutPart>>,
    from: Grid,
    to: Grid,
}

/// Returns the schedule of cut messages, or an error that says why messages cannot be listed.
pub fn order(traffic: &Traffic) -> Result<FoundSchedule, String> {
    let graph = &traffic.list()?.graph;
    let (all, costs) = parts(graph);
    let bounds = graph.bounds((1, 1));
    let certificate = Certificate {
        steps: costs.len() as u64,
        cost: costs.iter().sum(),
        // If messages are cut, only the bytes of the busiest port bound the cost.
        bounds: Bounds { cost: bounds.load, ..bounds },
        messages: all.len() as u64,
        exact: true,
        kept: false,
    };
    let mut parts: HashMap<(u32, u32), Vec<CutPart>> = HashMap::new();
    for (edge, part) in all {
        let e = graph.edges()[edge as usize];
        parts.entry((e.sender, e.receiver)).or_default().push(part);
    }
    let (from, to) = (traffic.from.clone(), traffic.to.clone());
    Ok(FoundSchedule::direct(Split { steps: certificate.steps, parts, from, to }, certificate))
}

impl Order for Split {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        self.parts(from, to).first().map(|part| part.step.into())
    }

    fn parts(&self, from: &[u32], to: &[u32]) -> &[CutPart] {
        let ports = port(&self.from, from).zip(port(&self.to, to));
        ports.and_then(|ports| self.parts.get(&ports)).map_or(&[], Vec::as_slice)
    }
}

/// Returns (message, part) for all parts, in the order of the steps, and the bytes of a part in each step: parts of one
/// step are equally long. These bytes add up to the bytes of the busiest port.
fn parts(graph: &Graph) -> (Vec<(u32, CutPart)>, Vec<u64>) {
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
            parts.push((edge, CutPart { step, from, bytes: run }));
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
        for &(edge, part) in &parts {
            let e = g.edges()[edge as usize];
            assert_eq!(part.from, sent[edge as usize], "parts are in order");
            assert!(0 < part.bytes && part.bytes <= costs[part.step as usize]);
            assert!(busy.insert((part.step, 0, e.sender)) && busy.insert((part.step, 1, e.receiver)));
            sent[edge as usize] += part.bytes;
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
        // A path of messages. Whole messages in two steps cost 10 + 10; if they are cut, the cost is 11.
        let g = graph(2, 3, &[(0, 0, 10), (0, 1, 1), (1, 1, 1), (1, 2, 10)]);
        assert_eq!(g.bounds((1, 1)).load, 11);
        check(&g);
    }
}
