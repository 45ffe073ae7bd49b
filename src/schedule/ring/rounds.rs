//! Two sides of blocks, one of which goes round its processes, perhaps several times: the step of a meeting in closed form.
//!
//! Time is the section: it is cut into *laps*, in which each process of the *outer* side has one block (a GEN_BLOCK side
//! has one lap). Within a lap, blocks of the *inner* side, which go round Q processes, have numbers j = 0, 1, ... An inner
//! block meets the outer block that has its first element (its *head*), and perhaps some further ones.
//!
//! Heads: the meetings of an outer block with inner blocks that it is the head of have consecutive numbers; those of an
//! inner process are Q apart. So (j + h floor(j/Q)) mod C is a step, if C is at least the most inner blocks with one head,
//! plus h, and the multiples of Q + h modulo C are all different for as many rounds as a lap has. The least such C is
//! taken, h being 0 wherever that does.
//!
//! Others: an outer block is a further one of at most one inner block, that with its own first element. The y-th further
//! one of a block in round l of the inner processes goes in step C + l Y + y, where Y is the most further ones of a block.
//!
//! Laps follow each other. Whatever ends meet in an earlier lap need not meet again.

use super::super::blocks::{Even, Uneven, offsets};
use crate::layout::Axis;
use crate::overlap::Overlap;
use num_integer::Integer;
use std::sync::Arc;

/// How much longer than needed at least a lap may be, to find one that suits all rounds.
const TRIALS: u64 = 64;

/// The schedule.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Whether the destination is the outer side.
    backwards: bool,
    outer: Outer,
    inner: Even,
    /// How many laps.
    laps: u64,
    /// Steps for heads: C, and h.
    heads: u64,
    jump: u64,
    /// Steps for others in a round: Y.
    others: u64,
    /// Rounds of the inner processes in a lap, at the most.
    rounds: u64,
}

#[derive(Clone, Debug)]
enum Outer {
    /// Laps of so many elements.
    Even(Even, u64),
    /// One lap: processes with data before each.
    Uneven(Arc<[u32]>),
}

/// What a lap has at the most.
struct Most {
    /// Inner blocks with one head.
    heads: u64,
    /// Further outer blocks of an inner block.
    others: u64,
    /// Inner blocks.
    blocks: u64,
}

impl Rounds {
    /// `backwards`: with the destination as the outer side. `None` where blocks are of no one size on the inner side, or
    /// listed on the outer one.
    pub fn new(dim: &Overlap, backwards: bool) -> Option<Self> {
        let (outer, inner) = if backwards { (&dim.to, &dim.from) } else { (&dim.from, &dim.to) };
        let inner = Even::new(inner, dim.len)?;
        let (outer, laps, most) = match Even::new(outer, dim.len) {
            Some(outer) => {
                // What meets at all meets within a period of both.
                let period = u128::from(outer.cycle()).lcm(&u128::from(inner.cycle()));
                let window = u64::try_from(period).unwrap_or(u64::MAX).min(dim.len);
                let laps = (window + outer.lead).div_ceil(outer.cycle());
                (Outer::Even(outer, outer.cycle()), laps, Most::even(&outer, &inner, window, laps))
            }
            None => {
                let (before, most) = Most::uneven(outer, dim.len, &inner)?;
                (Outer::Uneven(before.into()), 1, most)
            }
        };
        let rounds = most.blocks.div_ceil(inner.procs);
        let (heads, jump) = beat(most.heads.min(inner.procs), rounds, inner.procs)?;
        let others = most.others;
        let steps = rounds.checked_mul(others)?.checked_add(heads)?.checked_mul(laps)?;
        (steps < u64::from(u32::MAX)).then_some(Self {
            backwards,
            outer,
            inner,
            laps,
            heads,
            jump,
            others,
            rounds,
        })
    }

    fn lap(&self) -> u64 {
        self.heads + self.rounds * self.others
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.laps * self.lap()
    }

    /// The step of the message from `p` to `q` of `dim`, which first meet at section index `x`.
    pub fn step(&self, dim: &Overlap, p: u32, q: u32, x: u64) -> u64 {
        let (inner, block) = (&self.inner, self.inner.at(x));
        let (lap, number, further) = match &self.outer {
            Outer::Even(outer, cycle) => {
                let lap = (x + outer.lead) / cycle;
                let start = (lap * cycle).saturating_sub(outer.lead);
                let first = inner.start(block).max(start);
                (lap, block - inner.at(start), outer.at(x) - outer.at(first))
            }
            Outer::Uneven(before) => {
                let (axis, own) = if self.backwards { (&dim.to, q) } else { (&dim.from, p) };
                let head = axis.owner(inner.start(block));
                let ahead = |coord: u32| u64::from(before[coord as usize]);
                (0, block, ahead(own) - ahead(head))
            }
        };
        let round = number / inner.procs;
        let within = match further.checked_sub(1) {
            None => (number + self.jump * round) % self.heads,
            Some(further) => self.heads + round * self.others + further,
        };
        lap * self.lap() + within
    }
}

impl Most {
    fn even(outer: &Even, inner: &Even, window: u64, laps: u64) -> Self {
        let (r, s) = (outer.block, inner.block);
        // How far into an inner block a lap begins, at the most.
        let (step, c) = offsets(outer, inner, outer.cycle());
        let late = if laps == 1 { inner.lead } else { inner.lead.max(s - step + c) };
        let touched = |elements: u64| (late + elements - 1) / s + 1;
        let first = if laps == 1 { r - outer.lead } else { r };
        // Outer blocks start c, c + step, ... behind the start of an inner one.
        let (step, c) = offsets(outer, inner, r);
        let least = if c > 0 { c } else { step };
        let others = (s - 1).checked_sub(least).map_or(0, |room| room / r + 1);
        Self {
            heads: r.div_ceil(s).max(touched(first.min(window))),
            others: others.min(outer.count.min(outer.procs) - 1),
            blocks: touched(window.min(outer.cycle())),
        }
    }

    fn uneven(axis: &Axis, len: u64, inner: &Even) -> Option<(Vec<u32>, Self)> {
        let side = Uneven::new(axis, len)?;
        let mut before = vec![0; axis.dist.procs() as usize];
        let mut most = Self { heads: 1, others: 0, blocks: inner.count };
        // The last inner block so far, and the number of its head.
        let mut last: Option<(u64, u32)> = None;
        for (number, (coord, span)) in (0..).zip(side.spans()) {
            before[coord as usize] = number;
            let (first, end) = (inner.at(span.start), inner.at(span.end - 1));
            let shared = last.filter(|&(block, _)| block == first);
            most.heads = most.heads.max(end - first + u64::from(shared.is_none()));
            most.others = most.others.max(shared.map_or(0, |(_, head)| u64::from(number - head)));
            if shared.is_none() || end > first {
                last = Some((end, number));
            }
        }
        Some((before, most))
    }
}

/// The least C, and the least h for it, that suit `rounds` rounds of `procs` processes and `most` blocks with one head.
fn beat(most: u64, rounds: u64, procs: u64) -> Option<(u64, u64)> {
    let least = most.max(rounds);
    (least..least + TRIALS)
        .flat_map(|steps| (0..=(steps - most).min(TRIALS)).map(move |jump| (steps, jump)))
        .find(|&(steps, jump)| steps / steps.gcd(&(procs + jump)) >= rounds)
}
