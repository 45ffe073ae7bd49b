//! Steps of the *others* of a GEN_BLOCK side; [`rounds`](super::rounds) explains the terms. The message between an
//! inner block and one of its others takes the first step of the heads' formula that is free at both processes. If no
//! step is free, or if the formula has more than [`set::MAX_STEPS`] steps, the message takes a step after the steps of
//! the formula.

use super::formula::StepFormula;
use super::lap::GenBlockLap;
use super::set::{self, Set};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct LapSteps {
    /// Steps of inner blocks and their heads.
    pub formula: StepFormula,
    /// Number of steps after the steps of `formula`.
    pub behind: u64,
    /// By outer process: the step of its message with the inner process that has the outer block among the others of
    /// one of its blocks; 0 if there is none.
    others: Arc<Vec<u32>>,
}

impl LapSteps {
    /// Computes the steps; `None` if no [`StepFormula`] is found for the heads, or if a step exceeds 32 bits.
    pub fn new(lap: &GenBlockLap) -> Option<Self> {
        let formula = StepFormula::smallest(lap.heads.min(lap.inner.procs), lap.rounds(), lap.inner.procs)?;
        let mut others = vec![0; lap.procs() as usize];
        let mut behind = 0;
        for (process, of_one) in lap.others() {
            let mut taken = Set::default();
            let few = formula.steps <= set::MAX_STEPS;
            if few {
                formula
                    .steps_of_process(process.into(), lap.inner.count)
                    .for_each(|(_, step)| taken.insert(step));
            }
            let mut left = 0;
            for &(_, coord) in of_one {
                let free = few
                    .then(|| taken.first_free(&formula.steps_of(lap.blocks_headed_by(coord)), formula.steps))
                    .flatten();
                let step = free.unwrap_or_else(|| {
                    left += 1;
                    formula.steps + left - 1
                });
                if free.is_some() {
                    taken.insert(step);
                }
                others[coord as usize] = u32::try_from(step).ok()?;
            }
            behind = behind.max(left);
        }
        Some(Self { formula, behind, others: Arc::new(others) })
    }

    /// Returns the step of outer process `coord`, whose block is among the others of an inner block.
    pub fn step_of_other(&self, coord: u32) -> u64 {
        self.others[coord as usize].into()
    }
}
