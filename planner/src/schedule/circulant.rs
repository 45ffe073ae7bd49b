//! Closed form of a schedule for cyclic(x) on P processes to cyclic(Kx) on Q, and back (Park, Prasanna and Raghavendra
//! 1998). The schedule has the fewest steps, and all messages of a step are equally long.
//!
//! Block i of x elements lies on fine process p = i mod P and goes to coarse process q = (i / K) mod Q. With G1 =
//! gcd(P, K), P1 = P/G1, K1 = K/G1, G2 = gcd(P1, Q), Q1 = Q/G2 and G = G1 G2, a pair exchanges the blocks whose places
//! k = i mod K in the coarse block are p - Kq modulo G. So all pairs exchange messages iff G <= K, and then messages of
//! the first K1 mod G2 groups of G1 places are longer.
//!
//! P <= Q: Theorem 2 (and 3, if all pairs exchange). With p = j1 G1 + j2 and n K1 = 1 (mod P1), process p exchanges a
//! message in step i = i1 Q1 + i2 with q = (n(j1 - i1) mod P1 + ((i2 - j2) mod Q1) P1) mod Q. All P fine processes are
//! busy in every step.
//!
//! P > Q (by symmetry in the paper): in step (k', n'), coarse process q = u P1 + v exchanges a message with the fine
//! process that has place k of its block n'. Here k is k' rotated by u within its group of G1 places. In one step, all
//! q with the same u have the same place k. Their blocks start at fine blocks K(q + Q n'), which differ modulo P
//! because P1 consecutive q differ modulo P1. The places k of different u differ modulo G1. So all Q coarse processes
//! are busy in every step, each with a different fine process.
//!
//! A section shorter than a period has only some of these messages. The schedule is then correct, but may not have the
//! fewest steps.

use super::blocks::sides;
use super::course::ClosedForm;
use super::dimension::Dimension;
use super::loads::Port;
use super::order::Order;
use crate::layout::intersect::{Overlap, inverse};
use num_integer::Integer;
use std::sync::Arc;

/// Parameters of one dimension's schedule, named as in the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Circulant {
    /// True if the source is the coarse side.
    backwards: bool,
    p: u64,
    q: u64,
    k: u64,
    /// Numbers of the processes that own fine block 0 and coarse block 0.
    fine_head: u64,
    coarse_head: u64,
    g1: u64,
    k1: u64,
    p1: u64,
    g2: u64,
    q1: u64,
    /// n of Theorem 2: the inverse of K1 modulo P1.
    n: u64,
    /// Inverse of P1/G2 modulo Q1.
    by_offset: u64,
    /// Inverse of KQ/G modulo P/G.
    by_block: u64,
    /// Elements of the section, rounded up to whole periods.
    elements: u64,
    /// True if the section consists of whole periods. Otherwise some messages of the last period are shorter or
    /// missing.
    whole: bool,
}

/// Returns the order of a dimension, or an error that says why the closed form does not apply.
pub fn order(dim: &Dimension) -> Result<ClosedForm, String> {
    let (from, to) = sides(&dim.overlap)?;
    let (r, s) = (from.block, to.block);
    let circulant = Circulant::new(&dim.overlap).ok_or_else(|| match r.max(s) % r.min(s) {
        0 => "blocks are not aligned".into(),
        _ => format!("neither of {r} and {s} divides the other"),
    })?;
    // All messages of a step are equally long, and every step keeps all ports of one side busy.
    let (send, receive) = circulant.ports();
    let cost = send.elements.max(receive.elements);
    Ok(ClosedForm { steps: circulant.steps(), cost, exact: circulant.whole, order: Arc::new(circulant) })
}

impl Circulant {
    /// Returns the schedule of `dim`; `None` unless one block size divides the other and blocks are aligned.
    pub fn new(dim: &Overlap) -> Option<Self> {
        let (from, to) = sides(dim).ok()?;
        let backwards = from.block > to.block;
        let (fine, coarse) = if backwards { (to, from) } else { (from, to) };
        let (x, p, q) = (fine.block, u64::from(fine.procs), u64::from(coarse.procs));
        let aligned = coarse.block % x == 0 && fine.lead == 0 && coarse.lead % x == 0;
        let k = coarse.block / x;
        let period = x.checked_mul(p)?.checked_mul(k.checked_mul(q)? / p.gcd(&(k * q)))?;
        if !aligned || dim.len == 0 {
            return None;
        }
        let g1 = p.gcd(&k);
        let (p1, k1) = (p / g1, k / g1);
        let g2 = p1.gcd(&q);
        let (q1, g) = (q / g2, g1 * g2);
        // If the section starts n fine blocks inside a coarse block, fine blocks are counted from n blocks before the
        // section.
        let fine_head = u64::from(fine.head) + p - coarse.lead / x % p;
        Some(Self {
            backwards,
            p,
            q,
            k,
            fine_head: fine_head % p,
            coarse_head: u64::from(coarse.head),
            g1,
            k1,
            p1,
            g2,
            q1,
            n: inverse(k1, p1),
            by_offset: inverse(p1 / g2, q1),
            by_block: inverse(k * q / g, p / g),
            elements: dim.len.div_ceil(period).checked_mul(period)?,
            whole: dim.len % period == 0,
        })
    }

    /// Returns the messages and elements of every sender and of every receiver, with the last period counted as whole.
    pub fn ports(&self) -> (Port, Port) {
        let all = self.all_to_all();
        let fine =
            Port { messages: if all { self.q } else { self.k1 * self.q1 }, elements: self.elements / self.p };
        let blocks = self.k * (self.p1 / self.g2);
        let coarse = Port { messages: if all { self.p } else { blocks }, elements: self.elements / self.q };
        if self.backwards { (coarse, fine) } else { (fine, coarse) }
    }

    fn all_to_all(&self) -> bool {
        self.g2 <= self.k1
    }

    /// Solves Theorem 2 for the step: i1 = j1 - K1 q (mod G2). There is a message iff i1 < K1.
    fn step_of_theorem_2(&self, p: u64, q: u64) -> Option<u64> {
        let (j1, j2) = (p / self.g1, p % self.g1);
        let i1 = (j1 + self.g2 - self.k1 % self.g2 * (q % self.g2) % self.g2) % self.g2;
        if i1 >= self.k1 {
            return None;
        }
        let base = self.n * ((j1 + self.p1 - i1 % self.p1) % self.p1) % self.p1;
        let offset = (q + self.q - base % self.q) % self.q / self.g2 * self.by_offset % self.q1;
        Some(i1 * self.q1 + (offset + j2) % self.q1)
    }

    fn step_of_coarse(&self, p: u64, q: u64) -> Option<u64> {
        let (g, blocks) = (self.g1 * self.g2, self.p1 / self.g2);
        let start = self.k * q % self.p;
        let k = (p + self.p - start) % self.p % g;
        if k >= self.k {
            return None;
        }
        let ahead = (p + 2 * self.p - start - k) % self.p / g;
        let block = ahead * self.by_block % blocks;
        let rotated = (k % self.g1 + self.g1 - q / self.p1 % self.g1) % self.g1;
        Some((k / self.g1 * self.g1 + rotated) * blocks + block)
    }
}

impl Order for Circulant {
    /// Returns the number of messages of each process of the side with fewer processes.
    fn steps(&self) -> u64 {
        match (self.p <= self.q, self.all_to_all()) {
            (true, true) => self.q,
            (true, false) => self.k1 * self.q1,
            (false, true) => self.p,
            (false, false) => self.k * (self.p1 / self.g2),
        }
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let (fine, coarse) = if self.backwards { (to[0], from[0]) } else { (from[0], to[0]) };
        let p = (u64::from(fine) + self.p - self.fine_head) % self.p;
        let q = (u64::from(coarse) + self.q - self.coarse_head) % self.q;
        if self.p <= self.q { self.step_of_theorem_2(p, q) } else { self.step_of_coarse(p, q) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::Certificate;
    use super::super::graph::{Edge, Graph};
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic};
    use std::collections::HashMap;

    /// Builds cyclic(x) on p to cyclic(kx) on q for x = 2; the coarse side starts `late` fine blocks into its first
    /// block.
    fn forward(p: u32, k: u64, q: u32, late: u64) -> Overlap {
        let axis = |block, procs, start| Axis::new(Cyclic::new(block, procs, procs / 2).unwrap(), start);
        let (a, b) = (u64::from(p), k * u64::from(q));
        Overlap { from: axis(2, p, 4), to: axis(2 * k, q, 2 * late), len: 2 * (a / a.gcd(&b) * b) }
    }

    fn back(dim: &Overlap) -> Overlap {
        Overlap { from: dim.to.clone(), to: dim.from.clone(), len: dim.len }
    }

    fn check(dim: &Overlap) -> Certificate {
        let circulant = Circulant::new(dim).unwrap();
        let (senders, receivers) = (dim.from.dist.procs(), dim.to.dist.procs());
        let (mut edges, mut steps) = (Vec::new(), Vec::new());
        let mut lengths = HashMap::new();
        for (sender, receiver) in (0..senders).flat_map(|p| (0..receivers).map(move |q| (p, q))) {
            let bytes = dim.shared(sender, receiver).total();
            let step = circulant.step(&[sender], &[receiver]);
            assert_eq!(step.is_some(), bytes > 0, "{sender} -> {receiver} {dim:?}");
            if let Some(step) = step {
                assert_eq!(
                    *lengths.entry(step).or_insert(bytes),
                    bytes,
                    "step {step} has unequal messages {dim:?}"
                );
                edges.push(Edge { sender, receiver, bytes });
                steps.push(u32::try_from(step).unwrap());
            }
        }
        let graph = Graph::new(senders, receivers, edges);
        let c = Certificate::count(&graph, &steps);
        assert_eq!(c.steps, circulant.steps(), "{dim:?}");
        let (send, receive) = circulant.ports();
        let (degrees, elements) =
            (graph.degrees(), (dim.len / u64::from(senders), dim.len / u64::from(receivers)));
        assert!(degrees.0.iter().all(|&d| u64::from(d) == send.messages) && send.elements == elements.0);
        assert!(
            degrees.1.iter().all(|&d| u64::from(d) == receive.messages) && receive.elements == elements.1
        );
        assert!(c.fewest_steps() && c.cost == c.bounds.load, "{dim:?} {c:?}");
        c
    }

    #[test]
    fn every_small_case_has_the_fewest_steps_of_equal_messages() {
        for (p, q) in (1..=24).flat_map(|p| (1..=24).map(move |q| (p, q))) {
            for k in 1..=12 {
                let dim = forward(p, k, q, 0);
                check(&dim);
                check(&back(&dim));
            }
        }
    }

    #[test]
    fn sections_may_start_inside_a_coarse_block() {
        for (p, k, q) in [(4, 6, 9), (9, 6, 4), (6, 4, 9), (5, 3, 5), (8, 12, 6)] {
            for late in 0..2 * k {
                check(&forward(p, k, q, late));
                check(&back(&forward(p, k, q, late)));
            }
        }
    }

    #[test]
    fn examples_of_park_et_al() {
        // ((P, K, Q), steps). In the second list all pairs exchange.
        let some = [
            ((28, 14, 36), 18),
            ((18, 6, 78), 26),
            ((18, 9, 78), 39),
            ((18, 12, 78), 52),
            ((30, 15, 66), 33),
            ((40, 20, 56), 28),
            ((40, 25, 56), 35),
        ];
        for ((p, k, q), steps) in some {
            let c = check(&forward(p, k, q, 0));
            assert_eq!(c.steps, steps);
            assert!(c.messages < u64::from(p * q));
        }
        for ((p, k, q), steps) in
            [((28, 6, 36), 36), ((18, 8, 78), 78), ((30, 8, 66), 66), ((40, 18, 56), 56)]
        {
            let c = check(&forward(p, k, q, 0));
            assert_eq!((c.steps, c.messages), (steps, u64::from(p * q)));
        }
        // Messages of 2 blocks in half of the steps, of 1 block in the others: 18 * (2 + 1) blocks of 2 elements.
        assert_eq!(check(&forward(28, 6, 36, 0)).cost, 18 * (2 + 1) * 2);
    }

    #[test]
    fn other_redistributions_are_refused() {
        let axis = |block, procs, start| Axis::new(Cyclic::new(block, procs, 0).unwrap(), start);
        let dim = |r, a, s, b, len| Overlap { from: axis(r, 2, a), to: axis(s, 3, b), len };
        assert!(Circulant::new(&dim(2, 0, 4, 0, 100)).is_some());
        for other in [dim(2, 0, 3, 0, 100), dim(2, 1, 4, 0, 100), dim(2, 0, 4, 1, 100), dim(2, 0, 4, 0, 0)] {
            assert_eq!(Circulant::new(&other), None, "{other:?}");
        }
    }
}
