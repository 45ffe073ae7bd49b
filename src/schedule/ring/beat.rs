//! IN WHICH STEP does an inner block meet its head? A formula of the number of the block. It knows no outer blocks.

use super::set::Set;
use num_integer::Integer;
use std::ops::Range;

/// How many more steps than needed at least are tried, to find some that suit all rounds.
const TRIALS: u64 = 64;
/// How many blocks may share a step with another one of their head, at the most, so that free steps are spread.
const CLASHES: u64 = 1 << 10;

/// Block j goes in step (j + h floor(j/Q)) mod C, where blocks go round Q processes.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    /// C.
    pub steps: u64,
    /// h.
    jump: u64,
    /// Q.
    procs: u64,
}

impl Beat {
    /// The least C, and the least h for it, that suit `rounds` rounds of `procs` processes, and any `most` consecutive blocks.
    pub fn least(most: u64, rounds: u64, procs: u64) -> Option<Self> {
        let least = most.max(rounds);
        (least..least + TRIALS)
            .flat_map(|steps| (0..=(steps - most).min(TRIALS)).map(move |jump| Self { steps, jump, procs }))
            .find(|beat| beat.suits(rounds))
    }

    /// So many steps, no fewer than `rounds`. Of up to as many consecutive blocks of different rounds two may have the same
    /// step. Of a few h, the one is taken that leaves free steps everywhere: so most outer blocks, which take consecutive steps,
    /// leave one that an inner process has free, too.
    pub fn spread(steps: u64, rounds: u64, procs: u64) -> Option<Self> {
        let all = (0..steps).map(|jump| Self { steps, jump, procs }).filter(|beat| beat.suits(rounds));
        let few = all.enumerate().take_while(|(k, beat)| *k == 0 || beat.jump * rounds <= CLASHES);
        few.map(|(_, beat)| beat).min_by_key(|beat| beat.longest_run(rounds))
    }

    /// The most steps in a row that blocks of a process take.
    fn longest_run(&self, rounds: u64) -> u64 {
        let mut set = Set::default();
        self.of_process(0, rounds * self.procs).for_each(|(_, step)| set.insert(step));
        let runs = (0..self.steps).chain(0..self.steps).scan(0, |run, step| {
            *run = if set.has(step) { *run + 1 } else { 0 };
            Some(*run)
        });
        runs.max().unwrap_or(0)
    }

    /// Whether the blocks of a process have different steps.
    fn suits(&self, rounds: u64) -> bool {
        self.steps / self.steps.gcd(&(self.procs + self.jump)) >= rounds
    }

    /// The step of block `number`.
    pub fn step(&self, number: u64) -> u64 {
        (number + self.jump * (number / self.procs)) % self.steps
    }

    /// The blocks that go round with block `number`, each with its step, from `number` up to `count`.
    pub fn of_process(&self, number: u64, count: u64) -> impl Iterator<Item = (u64, u64)> {
        let (every, steps) = ((self.procs + self.jump) % self.steps, self.steps);
        let mut next = (number, self.step(number));
        std::iter::from_fn(move || {
            let one = next;
            let step = one.1 + every;
            next = (one.0.saturating_add(self.procs), if step >= steps { step - steps } else { step });
            (one.0 < count).then_some(one)
        })
    }

    /// Adds to `set` the steps of `blocks`, of which no more than C are in a round.
    pub fn add(&self, blocks: Range<u64>, set: &mut Set) {
        for part in self.rounds(blocks) {
            let (first, count) = (self.step(part.start), part.end - part.start);
            let behind = count.min(self.steps - first);
            set.fill(first, behind);
            set.fill(0, count - behind);
        }
    }

    /// Those of `blocks` that have this step; no more than C are in a round.
    pub fn find(&self, blocks: Range<u64>, step: u64) -> impl Iterator<Item = u64> {
        self.rounds(blocks).filter_map(move |part| {
            let number = part.start + (step + self.steps - self.step(part.start)) % self.steps;
            part.contains(&number).then_some(number)
        })
    }

    /// `blocks`, round by round.
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
            let (procs, steps) = (rng.u64(1..30), rng.u64(1..40));
            let rounds = rng.u64(1..=steps);
            let beat = Beat::spread(steps, rounds, procs).expect("one number less than C suits");
            let number = rng.u64(0..procs);
            let own: Vec<_> = beat.of_process(number, rounds * procs).collect();
            let naive = (0..rounds).map(|round| number + round * procs).map(|j| (j, beat.step(j)));
            assert!(naive.eq(own.iter().copied()), "{beat:?}");
            assert!(own.iter().all(|a| own.iter().all(|b| a.0 == b.0 || a.1 != b.1)), "{beat:?}");
            let start = rng.u64(0..200);
            let blocks = start..start + rng.u64(0..=steps);
            let (mut set, step) = (Set::default(), rng.u64(0..steps));
            beat.add(blocks.clone(), &mut set);
            let naive: Vec<u64> = blocks.clone().filter(|&j| beat.step(j) == step).collect();
            assert_eq!(set.has(step), !naive.is_empty(), "{beat:?} {blocks:?} {step}");
            assert_eq!(
                beat.find(blocks.clone(), step).collect::<Vec<_>>(),
                naive,
                "{beat:?} {blocks:?} {step}"
            );
        }
    }
}
