//! Two sides of blocks, one of which goes round its processes, perhaps several times: the step of a meeting in closed form.
//!
//! Time is the section: it is cut into *laps*, in which each process of the *outer* side has one block (a GEN_BLOCK side
//! has one lap). Within a lap, blocks of the *inner* side, which go round Q processes, have numbers j = 0, 1, ... An inner
//! block meets the outer block that has its first element (its *head*), and perhaps some further ones.
//!
//! Heads: the meetings of an outer block with inner blocks that it is the head of have consecutive numbers; those of an
//! inner process are Q apart. So (j + h floor(j/Q)) mod C is a step, if C is at least the most inner blocks with one head,
//! plus h, and the multiples of Q + h modulo C are all different for as many rounds as a lap has ([`Beat`]). The least such C is
//! taken, h being 0 wherever that does.
//!
//! Others: an outer block is a further one of at most one inner block, that with its own first element. So those of an inner
//! process go in steps C, C + 1, ... in the order of the section. How many come before one is counted by a formula
//! ([`Spaced`]). Along a GEN_BLOCK side, others go in steps of heads that are free at both ends, if there are any
//! ([`others`](super::others)).
//!
//! Laps follow each other. Whatever ends meet in an earlier lap need not meet again.

use super::super::blocks::{Even, offsets};
use super::super::limits::SCANNED;
use super::super::without;
use super::beat::Beat;
use super::floors::Spaced;
use super::lap::Lap;
use super::others::LapSteps;
use crate::layout::intersect::Overlap;
use num_integer::Integer;

/// The schedule.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Whether the destination is the outer side.
    backwards: bool,
    outer: Outer,
    inner: Even,
    /// How many laps.
    laps: u64,
    /// The steps of heads.
    beat: Beat,
    /// Steps for others: the most of an inner process in a lap.
    others: u64,
}

#[derive(Clone, Debug)]
enum Outer {
    /// Laps of so many elements.
    Even(Even, u64),
    /// One lap.
    Uneven(LapSteps),
}

/// What a lap has at the most.
struct Most {
    /// Inner blocks with one head.
    heads: u64,
    /// Further outer blocks of an inner process.
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
        let Some(outer) = Even::new(outer, dim.len) else {
            if without::is_out("laps of GEN_BLOCK") {
                return None;
            }
            let steps = LapSteps::new(&Lap::new(outer, dim.len, &inner)?)?;
            let (beat, others) = (steps.beat, steps.behind);
            return Self { backwards, outer: Outer::Uneven(steps), inner, laps: 1, beat, others }.if_few();
        };
        // What meets at all meets within a period of both.
        let period = u128::from(outer.cycle()).lcm(&u128::from(inner.cycle()));
        let window = u64::try_from(period).unwrap_or(u64::MAX).min(dim.len);
        let laps = (window + outer.lead).div_ceil(outer.cycle());
        let most = Most::new(&outer, &inner, window, laps);
        let beat = Beat::least(most.heads.min(inner.procs), most.blocks.div_ceil(inner.procs), inner.procs)?;
        let (cycle, others) = (outer.cycle(), most.others);
        Self { backwards, outer: Outer::Even(outer, cycle), inner, laps, beat, others }.if_few()
    }

    /// Unless there are too many steps.
    fn if_few(self) -> Option<Self> {
        let steps = self.others.checked_add(self.beat.steps)?.checked_mul(self.laps)?;
        (steps < u64::from(u32::MAX)).then_some(self)
    }

    fn lap(&self) -> u64 {
        self.beat.steps + self.others
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.laps * self.lap()
    }

    /// The step of the message from `p` to `q` of `dim`, which first meet at section index `x`.
    pub fn step(&self, dim: &Overlap, p: u32, q: u32, x: u64) -> u64 {
        let (inner, block) = (&self.inner, self.inner.at(x));
        match &self.outer {
            Outer::Even(outer, cycle) => {
                let lap = (x + outer.lead) / cycle;
                let start = (lap * cycle).saturating_sub(outer.lead);
                let begins = |block| inner.start(block).max(start);
                let further = |block, x| outer.at(x) - outer.at(begins(block));
                let number = block - inner.at(start);
                let within = match further(block, x).checked_sub(1) {
                    None => self.beat.step(number),
                    Some(further) => self.beat.steps + self.before(outer, number, start) + further,
                };
                lap * self.lap() + within
            }
            Outer::Uneven(steps) => {
                let (axis, own) = if self.backwards { (&dim.to, q) } else { (&dim.from, p) };
                let is_head = axis.owner(inner.start(block)) == own;
                if is_head { self.beat.step(block) } else { steps.of_other(own) }
            }
        }
    }

    /// Others of the inner process of block `number` of the lap from `start` on, in rounds before that of the block.
    fn before(&self, outer: &Even, number: u64, start: u64) -> u64 {
        let (inner, round) = (&self.inner, number / self.inner.procs);
        if round == 0 {
            return 0;
        }
        let first = inner.at(start) + number % inner.procs;
        // The first block may have begun in the lap before.
        let of_first = outer.at(inner.start(first + 1) - 1) - outer.at(inner.start(first).max(start));
        let second = inner.start(first + inner.procs) + outer.lead;
        let blocks = Spaced { start: second, every: inner.cycle(), width: inner.block - 1 };
        of_first + blocks.multiples(round - 1, outer.block)
    }
}

impl Most {
    fn new(outer: &Even, inner: &Even, window: u64, laps: u64) -> Self {
        let (r, s) = (outer.block, inner.block);
        // How far into an inner block a lap begins, at the most.
        let (step, c) = offsets(outer, inner, outer.cycle());
        let late = if laps == 1 { inner.lead } else { inner.lead.max(s - step + c) };
        let touched = |elements: u64| (late + elements).div_ceil(s);
        let first = if laps == 1 { r - outer.lead } else { r };
        // Outer blocks start c, c + step, ... behind the start of an inner one.
        let (step, c) = offsets(outer, inner, r);
        let least = if c > 0 { c } else { step };
        let of_block = (s - 1).checked_sub(least).map_or(0, |room| room / r + 1);
        let blocks = touched(window.min(outer.cycle()));
        let rounds = blocks.div_ceil(inner.procs);
        let others = if of_block == 0 || rounds > SCANNED {
            rounds.saturating_mul(of_block)
        } else {
            // Inner blocks start -c, -c + step, ... behind the start of an outer one.
            let all = Spaced { start: 0, every: inner.cycle(), width: s - 1 };
            all.most(rounds, r, ((step - c) % step, step))
        };
        Self {
            heads: r.div_ceil(s).max(touched(first.min(window))),
            others: others.min(outer.count.min(outer.procs) - 1),
            blocks,
        }
    }
}
