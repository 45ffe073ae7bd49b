//! Schedules in closed form for sections without a whole period: BLOCK or GEN_BLOCK to CYCLIC(k), a few blocks of each
//! process, sections that end early. The step of a message follows from the place where its two processes first meet.
//!
//! | method | applies if | steps |
//! |---|---|---|
//! | `Rounds` | both sides have blocks of one size each | close to the fewest, unless a process meets most others |
//! | `Rounds` | one side has blocks of one size, the other is GEN_BLOCK | close to the fewest |
//! | `Turns` | each process has at most one block on each side: BLOCK, GEN_BLOCK | the fewest |
//! | `Turns` | always | the processes with data on the larger side: the fewest if all pairs exchange |
//!
//! Two processes that meet several times exchange one message, in the step of the first meeting. So any proper
//! colouring of all meetings is a schedule.

mod beat;
mod floors;
mod lap;
mod others;
mod rounds;
mod set;
mod turns;

use super::course::Closed;
use super::dimension::Dimension;
use super::order::Order;
use super::walked::Walked;
use super::without;
use crate::layout::intersect::Overlap;
use rounds::Rounds;
use std::sync::Arc;
use turns::Turns;

/// Schedule of one dimension, by one of the two methods.
#[derive(Clone, Debug)]
pub struct Ring {
    overlap: Overlap,
    by: RingWay,
}

#[derive(Clone, Debug)]
enum RingWay {
    Rounds(Rounds),
    Turns(Turns),
}

/// Returns the order of a dimension. It never fails.
pub fn order(dim: &Dimension) -> Result<Closed, String> {
    let ring = Ring::new(&dim.overlap, dim.walked());
    let walked = dim.walked().and_then(|_| ring.costs(&dim.overlap));
    let (steps, cost, exact) = match walked {
        Some(costs) => (costs.iter().filter(|&&cost| cost > 0).count() as u64, costs.iter().sum(), true),
        None => (ring.steps(), u64::MAX, false),
    };
    Ok(Closed { order: Arc::new(ring), steps, cost, exact })
}

impl Ring {
    /// Chooses the method with the fewest steps for `overlap`, which must not be empty. `walked` holds the figures of
    /// its messages if a walk counted them.
    pub fn new(overlap: &Overlap, walked: Option<&Walked>) -> Self {
        // If the messages lie on a line, turns take the fewest steps.
        let ways = if walked.is_some() || without::is_out("laps") { &[][..] } else { &[false, true] };
        let rounds = ways.iter().filter_map(|&backwards| Rounds::new(overlap, backwards));
        let turns = RingWay::Turns(Turns::new(overlap, walked));
        let by = std::iter::once(turns).chain(rounds.map(RingWay::Rounds)).min_by_key(RingWay::steps);
        Self { overlap: overlap.clone(), by: by.expect("turns are always possible") }
    }

    /// Returns the longest message of each step in elements, 0 for an empty step, by a walk along the line. `None` if a
    /// message has no step.
    fn costs(&self, overlap: &Overlap) -> Option<Vec<u64>> {
        let (mut costs, mut known) = (vec![0; usize::try_from(self.steps()).ok()?], true);
        overlap.each_on_the_line(|p, q, elements| {
            match self.step(&[p], &[q]).and_then(|step| costs.get_mut(usize::try_from(step).ok()?)) {
                Some(cost) => *cost = elements.max(*cost),
                None => known = false,
            }
        });
        known.then_some(costs)
    }
}

impl Order for Ring {
    fn steps(&self) -> u64 {
        self.by.steps()
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let (p, q) = (from[0], to[0]);
        match &self.by {
            RingWay::Rounds(rounds) => {
                self.overlap.shared(p, q).first().map(|x| rounds.step(&self.overlap, p, q, x))
            }
            RingWay::Turns(turns) => Some(turns.step(p, q)),
        }
    }
}

impl RingWay {
    fn steps(&self) -> u64 {
        match self {
            Self::Rounds(rounds) => rounds.steps(),
            Self::Turns(turns) => turns.steps,
        }
    }
}

#[cfg(test)]
mod tests;
