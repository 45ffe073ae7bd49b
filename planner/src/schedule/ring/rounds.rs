//! Closed form for two sides that consist of blocks. At least one side has blocks of one size, dealt to its processes
//! in turn, perhaps several times.
//!
//! The section is cut into *laps*, with one block of each process of the *outer* side. If the outer side is GEN_BLOCK,
//! there is one lap. Within a lap, the blocks of the *inner* side are numbered j = 0, 1, ... and dealt to Q processes
//! in turn. The *head* of an inner block is the outer block that contains its first element in the lap. Its *others*
//! are the further outer blocks that intersect it in the lap.
//!
//! Heads: the inner blocks with one head have consecutive numbers. The blocks of one inner process are Q apart. So (j +
//! h floor(j/Q)) mod C is a valid step, which no process has twice, if two conditions hold ([`StepFormula`]). First, C
//! is at least h plus the maximum number of inner blocks with one head. Second, if a lap has n rounds of Q blocks, the
//! first n multiples of Q + h differ modulo C. The smallest such C is taken, with the smallest h.
//!
//! Others: an outer block is among the others of at most one inner block: the block that contains the outer block's
//! first element. So the others of an inner process take steps C, C + 1, ... in the order of the section. A formula
//! counts the others before a given one ([`Spaced`]). If the outer side is GEN_BLOCK, others take steps of heads that
//! are free at both processes, if there are any ([`others`](super::others)).
//!
//! The steps of the laps follow each other. Two processes whose blocks intersect in several laps exchange their message
//! in the first of these laps.

use super::super::blocks::{EqualBlocks, offsets};
use super::super::limits::MAX_SCANNED;
use super::super::without;
use super::formula::StepFormula;
use super::lap::GenBlockLap;
use super::others::LapSteps;
use super::spaced::Spaced;
use crate::layout::intersect::Overlap;
use num_integer::Integer;

#[derive(Clone, Debug)]
pub struct Rounds {
    /// True if the destination is the outer side.
    backwards: bool,
    outer: Outer,
    inner: EqualBlocks,
    laps: u64,
    /// Steps of inner blocks and their heads.
    formula: StepFormula,
    /// Number of steps for others in a lap: the most others of an inner process, or fewer if others take steps of
    /// heads.
    others: u64,
}

#[derive(Clone, Debug)]
enum Outer {
    /// Blocks of one size, and the elements of a lap.
    Equal(EqualBlocks, u64),
    /// GEN_BLOCK, in one lap.
    GenBlock(LapSteps),
}

struct Maxima {
    /// Maximum number of inner blocks with one head.
    heads: u64,
    /// Maximum number of others of an inner process in a lap.
    others: u64,
    /// Maximum number of inner blocks of a lap.
    blocks: u64,
}

impl Rounds {
    /// Computes the schedule. If `backwards`, the destination is the outer side. `None` if the inner side has no single
    /// block size, if the outer side is a list, or if there are too many steps.
    pub fn new(dim: &Overlap, backwards: bool) -> Option<Self> {
        let (outer, inner) = if backwards { (&dim.to, &dim.from) } else { (&dim.from, &dim.to) };
        let inner = EqualBlocks::new(inner, dim.len)?;
        let Some(outer) = EqualBlocks::new(outer, dim.len) else {
            if without::is_left_out("laps of GEN_BLOCK") {
                return None;
            }
            let steps = LapSteps::new(&GenBlockLap::new(outer, dim.len, &inner)?)?;
            let (formula, others) = (steps.formula, steps.behind);
            return Self { backwards, outer: Outer::GenBlock(steps), inner, laps: 1, formula, others }
                .unless_too_many_steps();
        };
        // Blocks of all partners intersect within the first common period.
        let period = u128::from(outer.cycle()).lcm(&u128::from(inner.cycle()));
        let window = u64::try_from(period).unwrap_or(u64::MAX).min(dim.len);
        let laps = (window + outer.lead).div_ceil(outer.cycle());
        let most = Maxima::new(&outer, &inner, window, laps);
        let formula = StepFormula::smallest(
            most.heads.min(inner.procs),
            most.blocks.div_ceil(inner.procs),
            inner.procs,
        )?;
        let (cycle, others) = (outer.cycle(), most.others);
        Self { backwards, outer: Outer::Equal(outer, cycle), inner, laps, formula, others }
            .unless_too_many_steps()
    }

    fn unless_too_many_steps(self) -> Option<Self> {
        let steps = self.others.checked_add(self.formula.steps)?.checked_mul(self.laps)?;
        (steps < u64::from(u32::MAX)).then_some(self)
    }

    fn lap(&self) -> u64 {
        self.formula.steps + self.others
    }

    pub fn steps(&self) -> u64 {
        self.laps * self.lap()
    }

    /// Returns the step of the message from `p` to `q` of `dim`. `x` is the first section index that `p` and `q` share.
    pub fn step(&self, dim: &Overlap, p: u32, q: u32, x: u64) -> u64 {
        let (inner, block) = (&self.inner, self.inner.block_of(x));
        match &self.outer {
            Outer::Equal(outer, cycle) => {
                let lap = (x + outer.lead) / cycle;
                let start = (lap * cycle).saturating_sub(outer.lead);
                let begins = |block| inner.start(block).max(start);
                let further = |block, x| outer.block_of(x) - outer.block_of(begins(block));
                let number = block - inner.block_of(start);
                let within = match further(block, x).checked_sub(1) {
                    None => self.formula.step(number),
                    Some(further) => self.formula.steps + self.others_before(outer, number, start) + further,
                };
                lap * self.lap() + within
            }
            Outer::GenBlock(steps) => {
                let (axis, own) = if self.backwards { (&dim.to, q) } else { (&dim.from, p) };
                let is_head = axis.owner(inner.start(block)) == own;
                if is_head { self.formula.step(block) } else { steps.step_of_other(own) }
            }
        }
    }

    /// Counts the others of one inner process in the lap that begins at `start`: the others of its blocks before block
    /// `number` of the lap.
    fn others_before(&self, outer: &EqualBlocks, number: u64, start: u64) -> u64 {
        let (inner, round) = (&self.inner, number / self.inner.procs);
        if round == 0 {
            return 0;
        }
        let first = inner.block_of(start) + number % inner.procs;
        // The first block may have begun in the previous lap.
        let of_first =
            outer.block_of(inner.start(first + 1) - 1) - outer.block_of(inner.start(first).max(start));
        let second = inner.start(first + inner.procs) + outer.lead;
        let blocks = Spaced { start: second, every: inner.cycle(), width: inner.block - 1 };
        of_first + blocks.multiples(round - 1, outer.block)
    }
}

impl Maxima {
    fn new(outer: &EqualBlocks, inner: &EqualBlocks, window: u64, laps: u64) -> Self {
        let (r, s) = (outer.block, inner.block);
        // The largest distance from the start of an inner block to the start of a lap inside it.
        let (step, c) = offsets(outer, inner, outer.cycle());
        let late = if laps == 1 { inner.lead } else { inner.lead.max(s - step + c) };
        let intersected_blocks = |elements: u64| (late + elements).div_ceil(s);
        let first = if laps == 1 { r - outer.lead } else { r };
        // Outer blocks start c, c + step, ... behind the start of an inner block.
        let (step, c) = offsets(outer, inner, r);
        let least = if c > 0 { c } else { step };
        let of_block = (s - 1).checked_sub(least).map_or(0, |room| room / r + 1);
        let blocks = intersected_blocks(window.min(outer.cycle()));
        let rounds = blocks.div_ceil(inner.procs);
        let others = if of_block == 0 || rounds > MAX_SCANNED {
            rounds.saturating_mul(of_block)
        } else {
            // Inner blocks start -c, -c + step, ... behind the start of an outer block.
            let all = Spaced { start: 0, every: inner.cycle(), width: s - 1 };
            all.max_multiples(rounds, r, ((step - c) % step, step))
        };
        Self {
            heads: r.div_ceil(s).max(intersected_blocks(first.min(window))),
            others: others.min(outer.count.min(outer.procs) - 1),
            blocks,
        }
    }
}
