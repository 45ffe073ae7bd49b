//! Steps of the *others* of a GEN_BLOCK side; terms as in [`rounds`](super::rounds). The message of an outer block that
//! is not the head of an inner block takes the first step of the heads' formula that is free at both ends. If there is
//! none, or if the formula has more than [`set::MAX_STEPS`] steps, it takes a step behind those of the formula.

use super::beat::Beat;
use super::lap::Lap;
use super::set::{self, Set};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct LapSteps {
    /// Steps of inner blocks and their heads.
    pub beat: Beat,
    /// Number of steps behind those of `beat`.
    pub behind: u64,
    /// By outer process: the step of its message with the inner block that has it among its others. 0 if there is no
    /// such block.
    others: Arc<Vec<u32>>,
}

impl LapSteps {
    /// Computes the steps; `None` if there is no [`Beat`] for the heads, or if a step exceeds 32 bits.
    pub fn new(lap: &Lap) -> Option<Self> {
        let beat = Beat::smallest(lap.heads.min(lap.inner.procs), lap.rounds(), lap.inner.procs)?;
        let mut others = vec![0; lap.procs() as usize];
        let mut behind = 0;
        for (process, of_one) in lap.others() {
            let mut taken = Set::default();
            let few = beat.steps <= set::MAX_STEPS;
            if few {
                beat.steps_of_process(process.into(), lap.inner.count)
                    .for_each(|(_, step)| taken.insert(step));
            }
            let mut left = 0;
            for &(_, coord) in of_one {
                let free = few
                    .then(|| taken.first_free(&beat.steps_of(lap.blocks_headed_by(coord)), beat.steps))
                    .flatten();
                let step = free.unwrap_or_else(|| {
                    left += 1;
                    beat.steps + left - 1
                });
                if free.is_some() {
                    taken.insert(step);
                }
                others[coord as usize] = u32::try_from(step).ok()?;
            }
            behind = behind.max(left);
        }
        Some(Self { beat, behind, others: Arc::new(others) })
    }

    /// Returns the step of outer process `coord` with the inner block that has it among its others.
    pub fn step_of_other(&self, coord: u32) -> u64 {
        self.others[coord as usize].into()
    }
}
