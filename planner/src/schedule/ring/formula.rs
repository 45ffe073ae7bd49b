//! Formula for the step of the message between an inner block and its head; [`rounds`](super::rounds) explains the
//! terms.

use super::super::limits::MAX_STEP_TRIALS;
use super::set::Set;
use num_integer::Integer;
use std::ops::Range;

/// The formula: if blocks are dealt to Q processes in turn, block j takes step (j + h floor(j/Q)) mod C.
#[derive(Clone, Copy, Debug)]
pub struct StepFormula {
    /// C, the number of steps.
    pub steps: u64,
    /// h, the shift after each round.
    jump: u64,
    /// Q, the number of inner processes.
    procs: u64,
}

impl StepFormula {
    /// Finds the smallest C, and for it the smallest h, that give different steps to the blocks of a process in
    /// `rounds` rounds, and to any `most` consecutive blocks. `None` if [`MAX_STEP_TRIALS`] values of C fail.
    pub fn smallest(most: u64, rounds: u64, procs: u64) -> Option<Self> {
        let least = most.max(rounds);
        (least..least + MAX_STEP_TRIALS)
            .flat_map(|steps| {
                (0..=(steps - most).min(MAX_STEP_TRIALS)).map(move |jump| Self { steps, jump, procs })
            })
            .find(|formula| formula.suits(rounds))
    }

    fn suits(&self, rounds: u64) -> bool {
        self.steps / self.steps.gcd(&(self.procs + self.jump)) >= rounds
    }

    pub fn step(&self, number: u64) -> u64 {
        (number + self.jump * (number / self.procs)) % self.steps
    }

    /// Yields (block, step) for the blocks of one process, from `number` up to `count`.
    pub fn steps_of_process(&self, number: u64, count: u64) -> impl Iterator<Item = (u64, u64)> {
        let (every, steps) = ((self.procs + self.jump) % self.steps, self.steps);
        let mut next = (number, self.step(number));
        std::iter::from_fn(move || {
            let one = next;
            let step = one.1 + every;
            next = (one.0.saturating_add(self.procs), if step >= steps { step - steps } else { step });
            (one.0 < count).then_some(one)
        })
    }

    /// Returns the steps of `blocks`. No more than C of them may lie in one round.
    pub fn steps_of(&self, blocks: Range<u64>) -> Set {
        let mut set = Set::default();
        for part in self.rounds(blocks) {
            let (first, count) = (self.step(part.start), part.end - part.start);
            let behind = count.min(self.steps - first);
            set.fill(first, behind);
            set.fill(0, count - behind);
        }
        set
    }

    fn rounds(&self, blocks: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let (procs, mut start) = (self.procs, blocks.start);
        std::iter::from_fn(move || {
            let end = ((start / procs + 1) * procs).min(blocks.end);
            let part = start..end;
            start = end;
            (!part.is_empty()).then_some(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_ranges_and_of_processes_are_those_of_their_blocks() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..2_000 {
            let procs = rng.u64(1..30);
            let (most, rounds) = (rng.u64(1..30), rng.u64(1..30));
            let Some(formula) = StepFormula::smallest(most, rounds, procs) else { continue };
            let steps = formula.steps;
            let number = rng.u64(0..procs);
            let own: Vec<_> = formula.steps_of_process(number, rounds * procs).collect();
            let naive = (0..rounds).map(|round| number + round * procs).map(|j| (j, formula.step(j)));
            assert!(naive.eq(own.iter().copied()), "{formula:?}");
            assert!(own.iter().all(|a| own.iter().all(|b| a.0 == b.0 || a.1 != b.1)), "{formula:?}");
            let start = rng.u64(0..200);
            let blocks = start..start + rng.u64(0..=steps);
            let set = formula.steps_of(blocks.clone());
            for step in 0..steps {
                let naive = blocks.clone().any(|j| formula.step(j) == step);
                assert_eq!(set.has(step), naive, "{formula:?} {blocks:?} {step}");
            }
        }
    }
}
