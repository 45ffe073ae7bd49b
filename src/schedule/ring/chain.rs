//! One block a process on both sides: messages lie on a line, and those of each port follow each other on it. So the
//! number of a message on the line, modulo the most messages of a port, is a step: the fewest there can be.

use super::super::blocks::Even;
use crate::overlap::Overlap;
use num_integer::Integer;

/// The messages of two sides on a line.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    from: Even,
    to: Even,
    /// Where blocks of both sides start together: the first such index, and the distance to the next; none if they never do.
    both: Option<(u64, u64)>,
    /// The number of steps.
    pub steps: u64,
}

impl Chain {
    /// `None` where a process has several blocks, or blocks are not of one size.
    pub fn new(dim: &Overlap) -> Option<Self> {
        let (from, to) = (Even::new(&dim.from, dim.len)?, Even::new(&dim.to, dim.len)?);
        let steps = from.touches(&to).max(to.touches(&from));
        (from.is_single() && to.is_single()).then(|| Self { from, to, both: together(&from, &to), steps })
    }

    /// The step of the message that begins with section index `x`.
    pub fn step(&self, x: u64) -> u64 {
        let both = self.both.map_or(0, |(first, every)| match x.checked_sub(first) {
            Some(past) => past / every + 1,
            None => 0,
        });
        (self.from.at(x) + self.to.at(x) - both) % self.steps
    }
}

/// The first index above 0 at which blocks of both start, and the distance to the next one.
fn together(a: &Even, b: &Even) -> Option<(u64, u64)> {
    // Index x = i * a.block - a.lead = j * b.block - b.lead.
    let wide = |n: u64| i128::from(n);
    let (r, s) = (wide(a.block), wide(b.block));
    let apart = wide(a.lead) - wide(b.lead);
    let e = r.extended_gcd(&s);
    if apart % e.gcd != 0 {
        return None;
    }
    let every = r / e.gcd * s;
    let i = (apart / e.gcd).mod_floor(&(s / e.gcd)) * e.x.mod_floor(&(s / e.gcd)) % (s / e.gcd);
    let x = (i * r - wide(a.lead)).mod_floor(&every);
    let first = if x == 0 { every } else { x };
    Some((u64::try_from(first).ok()?, u64::try_from(every).ok()?))
}
