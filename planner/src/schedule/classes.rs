//! Message graph of one dimension, from cyclic(r) on P to cyclic(s) on Q, without a loop over processes (Desprez et al.
//! 1998, section 4, generalised to any gcds and offsets).
//!
//! A section starts at offset a0 in a block of the source and at offset b0 in a block of the destination. The processes
//! of a side are numbered by *places*: the owner of that block has place 0. Let D = gcd(r, s), R = r/D, S = s/D, s' =
//! gcd(S, P), r' = gcd(R, Q), P' = P/s', Q' = Q/r', g0 = gcd(P', Q').
//!
//! A source block of p that starts z elements after a destination block of q overlaps it if 1 - r <= z <= s - 1. The
//! overlap has v(z) = min(r, s, r + z, s - z) elements. Block starts differ by Rp - Sq modulo g = r's'g0, in units of
//! D. So the *class* k = (z + a0 - b0)/D of a message follows from its processes: k = Rp - Sq (mod g). There are
//! R + S - 1 classes (R + S if D does not divide a0 - b0). Classes that are equal modulo g connect the same pairs of
//! processes, so their elements are added up.
//!
//! Sender p = rho + s'x is of kind rho < s', receiver q = sigma + r'y of kind sigma < r'. All messages of a class go
//! from one kind of senders to one kind of receivers, and x mod g0 determines y mod g0. So a small multigraph H
//! describes the graph: it has s' kinds of senders, r' kinds of receivers and an edge for each class. An edge stands
//! for g0 disjoint complete graphs of b = P'/g0 senders and a = Q'/g0 receivers.
//!
//! A section of at least one whole period has all messages of this graph. A shorter section has only some of them: a
//! schedule of the graph is correct for that section, but may not have the fewest steps. If each process of a side has
//! at most one block, as in BLOCK, the side's number of processes may be replaced by a number that makes the period
//! short.

use super::graph::{Edge, Graph};
use super::limits::MAX_CLASSES;
use crate::layout::distribution::RoundRobin;
use crate::layout::intersect::{Overlap, inverse};
use num_integer::Integer;

/// Class structure of one dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classes {
    source: ClassSide,
    destination: ClassSide,
    /// R and S modulo g, and g itself.
    r: u64,
    s: u64,
    g: u64,
    /// g0: x and y determine each other modulo g0.
    copies_per_edge: u64,
    /// Class of edge 0 of H, modulo g; edge e has class `first + e`.
    first: u64,
    /// H: an edge for each class. Its weight is the number of elements that each of its pairs of processes exchanges.
    small: Graph,
    /// Number of whole periods in the section, and whether the section consists of them.
    whole: (u64, bool),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ClassSide {
    procs: u64,
    head: u64,
    /// Number of kinds of processes: s' or r'.
    kinds: u64,
    /// Number of processes of a kind with messages to or from the same processes of the other side: b or a.
    copies: u64,
}

impl ClassSide {
    /// Describes a side as if it had `assumed` processes.
    fn new(dealt: &RoundRobin, assumed: u64, kinds: u64, copies_per_edge: u64) -> Self {
        Self {
            procs: dealt.procs.into(),
            head: dealt.head.into(),
            kinds,
            copies: assumed / kinds / copies_per_edge,
        }
    }

    fn place(&self, coord: u32) -> u64 {
        (u64::from(coord) + self.procs - self.head) % self.procs
    }
}

/// Returns the number of processes to assume for the side `dealt`: usually its own number; but if each process has at
/// most one block of a section of `len` elements, a number that covers the processes with data and makes the period
/// short.
fn effective_procs(dealt: &RoundRobin, other: &RoundRobin, len: u64) -> Option<u64> {
    let procs = u64::from(dealt.procs);
    let blocks = len.checked_add(dealt.lead)?.div_ceil(dealt.block);
    if procs == 1 || blocks > procs {
        return Some(procs);
    }
    let cycle = other.block.checked_mul(other.procs.into())?;
    // Number of blocks until the other side's blocks and owners repeat.
    let again = cycle / cycle.gcd(&dealt.block);
    Some(if other.procs > 1 && again <= blocks { blocks.div_ceil(again) * again } else { blocks })
}

/// Place of a message in the structure: its edge of H, and the places of its two ends in the edge's complete graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// Index of the edge of H.
    pub edge: usize,
    /// Index among the senders of the edge, below the first number of [`Classes::blow_up`].
    pub sender: u64,
    /// Index among the receivers of the edge, below the second number.
    pub receiver: u64,
}

impl Classes {
    /// Finds the structure of `dim`. `None` if a side is not block-cyclic, the section is empty, or there are more than
    /// [`MAX_CLASSES`] classes.
    pub fn new(dim: &Overlap) -> Option<Self> {
        if dim.len == 0 {
            return None;
        }
        let (from, to) = (dim.from.round_robin()?, dim.to.round_robin()?);
        let (p, q) = (effective_procs(&from, &to, dim.len)?, effective_procs(&to, &from, dim.len)?);
        // A single process has all elements, so any block size is correct; the other side's size is best.
        let (one_from, one_to) = (p == 1, q == 1);
        let r = if one_from { to.block } else { from.block };
        let s = if one_to { r } else { to.block };
        let r = if one_from { s } else { r };
        let period = r.checked_mul(p)?.checked_mul(s.checked_mul(q)? / (r * p).gcd(&(s * q)))?;
        if period == 0 {
            return None;
        }
        let (mut a0, mut b0) = (from.lead % r, to.lead % s);
        if one_from {
            a0 = b0 % r;
        } else if one_to {
            b0 = a0 % s;
        }
        let d = r.gcd(&s);
        let (big_r, big_s) = (r / d, s / d);
        let (kinds_s, kinds_r) = (big_s.gcd(&p), big_r.gcd(&q));
        let copies_per_edge = (p / kinds_s).gcd(&(q / kinds_r));
        let g = kinds_s.checked_mul(kinds_r)?.checked_mul(copies_per_edge)?;
        let wide = |n: u64| i128::from(n);
        // The smallest z >= 1 - r such that D divides z + a0 - b0.
        let lowest = 1 - wide(r);
        let z0 = lowest + (wide(b0) - wide(a0) - lowest).mod_floor(&wide(d));
        let count = u64::try_from((wide(s) - 1 - z0) / wide(d) + 1).ok()?;
        if count.min(g) > MAX_CLASSES {
            return None;
        }
        let k0 = (z0 + wide(a0) - wide(b0)) / wide(d);
        let periods = dim.len.div_ceil(period);
        let volume = |e: u64| {
            let shared = shared_elements(r, s, z0 + wide(e) * wide(d), wide(g) * wide(d));
            u64::try_from(shared).ok()?.checked_mul(periods)
        };
        let mut structure = Self {
            source: ClassSide::new(&from, p, kinds_s, copies_per_edge),
            destination: ClassSide::new(&to, q, kinds_r, copies_per_edge),
            r: big_r % g,
            s: big_s % g,
            g,
            copies_per_edge,
            first: u64::try_from(k0.mod_floor(&wide(g))).ok()?,
            small: Graph::new(0, 0, Vec::new()),
            whole: (dim.len / period, dim.len % period == 0),
        };
        structure.small = structure.small_graph(count, volume)?;
        Some(structure)
    }

    fn small_graph(&self, count: u64, volume: impl Fn(u64) -> Option<u64>) -> Option<Graph> {
        let (kinds_s, kinds_r) = (self.source.kinds, self.destination.kinds);
        let inverse_r = inverse(self.r, kinds_s);
        let inverse_s = inverse(self.s, kinds_r);
        let small = |n: u64| u32::try_from(n).ok();
        let mut edges = Vec::new();
        for e in 0..count.min(self.g) {
            let k = (self.first + e) % self.g;
            edges.push(Edge {
                sender: small(mul_mod(k, inverse_r, kinds_s))?,
                receiver: small((kinds_r - mul_mod(k, inverse_s, kinds_r)) % kinds_r)?,
                bytes: volume(e)?,
            });
        }
        Some(Graph::new(small(kinds_s)?, small(kinds_r)?, edges))
    }

    /// Returns the number of whole periods in the section, and whether the section consists of them. In a section
    /// without a whole period some messages may be missing.
    pub fn periods(&self) -> (u64, bool) {
        self.whole
    }

    /// Returns H. Its weights are the elements that a pair of processes exchanges in the section, with the last period
    /// counted as whole.
    pub fn small(&self) -> &Graph {
        &self.small
    }

    /// Returns (b, a): the senders and receivers of the complete graph that an edge of H stands for.
    pub fn blow_up(&self) -> (u64, u64) {
        (self.source.copies, self.destination.copies)
    }

    /// Returns g0, the number of disjoint copies of each edge of H.
    pub fn copies_per_edge(&self) -> u64 {
        self.copies_per_edge
    }

    /// Returns the place of the message from process `p` to process `q`; `None` if there is none.
    pub fn member(&self, p: u32, q: u32) -> Option<Member> {
        let (p, q) = (self.source.place(p), self.destination.place(q));
        let k = mul_mod(self.r, p, self.g) + self.g - mul_mod(self.s, q, self.g);
        let edge = usize::try_from((k + self.g - self.first) % self.g).ok()?;
        let copy = |side: &ClassSide, place: u64| place / side.kinds / self.copies_per_edge;
        (edge < self.small.edges().len()).then(|| Member {
            edge,
            sender: copy(&self.source, p),
            receiver: copy(&self.destination, q),
        })
    }
}

/// Returns the number of elements of the classes z, z + step, z + 2 step, ...: the sum of max(0, v(z)), with v as in
/// the head of this file.
fn shared_elements(r: u64, s: u64, z: i128, step: i128) -> i128 {
    let (r, s) = (i128::from(r), i128::from(s));
    let least = r.min(s);
    let count = (s - 1 - z) / step + 1;
    // The sum of `count` terms max(0, x), max(0, x + step), ...
    let ramp = |x: i128| {
        let skipped = Integer::div_ceil(&(-x).max(0), &step).min(count);
        let (first, left) = (x + skipped * step, count - skipped);
        left * first + left * (left - 1) / 2 * step
    };
    // As z grows, the summand rises from z = -r, is level from z = least - r, and falls from z = s - least.
    ramp(z + r) - ramp(z + r - least) - ramp(z - s + least)
}

fn mul_mod(a: u64, b: u64, m: u64) -> u64 {
    u64::try_from(u128::from(a) * u128::from(b) % u128::from(m)).expect("a remainder of a u64 fits in a u64")
}
