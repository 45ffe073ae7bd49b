//! Steps of the messages of a GEN_BLOCK side that the formula of heads does not cover. Each takes the first step of the
//! formula that is free at both ends, or a new step behind all of them.

use super::beat::Beat;
use super::lap::Lap;
use super::set::{self, Set};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct LapSteps {
    /// Steps of inner blocks and their heads.
    pub beat: Beat,
    /// Number of steps behind those of the formula.
    pub behind: u64,
    /// By outer process: the step of its meeting with the inner block that it is a further block of. 0 if it is none.
    others: Arc<Vec<u32>>,
}

impl LapSteps {
    /// Computes the steps; `None` if the formula has no steps for the heads.
    pub fn new(lap: &Lap) -> Option<Self> {
        let beat = Beat::smallest(lap.heads.min(lap.inner.procs), lap.rounds(), lap.inner.procs)?;
        let mut others = vec![0; lap.procs() as usize];
        let mut behind = 0;
        for (process, of_one) in lap.others() {
            let mut taken = Set::default();
            let few = beat.steps <= set::MOST;
            if few {
                beat.steps_of_process(process.into(), lap.inner.count)
                    .for_each(|(_, step)| taken.insert(step));
            }
            let mut left = 0;
            for &(_, coord) in of_one {
                let free =
                    few.then(|| taken.first_free(&beat.steps_of(lap.headed(coord)), beat.steps)).flatten();
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

    /// Returns the step of process `coord` and the inner block that it is a further block of.
    pub fn step_of_other(&self, coord: u32) -> u64 {
        self.others[coord as usize].into()
    }
}
