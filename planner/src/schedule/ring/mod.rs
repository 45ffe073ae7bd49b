//! Schedules in closed form for sections that are shorter than a common period of the two distributions. Typically one
//! side is BLOCK or GEN_BLOCK, or both sides are CYCLIC(k) with few blocks per process. The step of a message is
//! computed from the numbers of its two processes, or from the first index that they share.
//!
//! Two blocks *intersect* if they share indices. Two processes are *partners* if a block of one intersects a block of
//! the other.
//!
//! | method | applies if | steps |
//! |---|---|---|
//! | `Rounds` | both sides have blocks of one size each | close to the fewest, with the exception below |
//! | `Rounds` | one side has blocks of one size, the other is GEN_BLOCK | close to the fewest |
//! | `PairwiseExchange` | each process has at most one block on each side: BLOCK, GEN_BLOCK | the fewest |
//! | `PairwiseExchange` | always | as many as the larger side has processes with data: the fewest if all pairs are partners |
//!
//! In the first row, steps are not close to the fewest if a process has most processes of the other side as partners.
//!
//! Partners exchange one message, in the step of the first intersection of their blocks. A schedule is valid if all
//! intersections of a process have different steps. The steps of later intersections of two partners stay unused.

mod formula;
mod lap;
mod others;
mod pairwise;
mod rounds;
mod set;
mod spaced;

use super::course::ClosedForm;
use super::dimension::Dimension;
use super::order::Order;
use super::walk::WalkFigures;
use super::without;
use crate::layout::intersect::Overlap;
use pairwise::PairwiseExchange;
use rounds::Rounds;
use std::sync::Arc;

/// Schedule of one dimension, by the method with the fewest steps.
#[derive(Clone, Debug)]
pub struct Ring {
    overlap: Overlap,
    method: Method,
}

#[derive(Clone, Debug)]
enum Method {
    Rounds(Rounds),
    Pairwise(PairwiseExchange),
}

/// Returns the schedule of a dimension. The result is always `Ok`; the table of schedulers expects this type.
pub fn order(dim: &Dimension) -> Result<ClosedForm, String> {
    let ring = Ring::new(&dim.overlap, dim.walk_figures());
    let step_costs = dim.walk_figures().and_then(|_| ring.costs(&dim.overlap));
    let (steps, cost, exact) = match step_costs {
        Some(costs) => (costs.iter().filter(|&&cost| cost > 0).count() as u64, costs.iter().sum(), true),
        None => (ring.steps(), u64::MAX, false),
    };
    Ok(ClosedForm { order: Arc::new(ring), steps, cost, exact })
}

impl Ring {
    /// Chooses the method with the fewest steps for `overlap`, which must not be empty. `walked` has the figures of its
    /// messages if [`WalkFigures::new`] counted them.
    pub fn new(overlap: &Overlap, walked: Option<&WalkFigures>) -> Self {
        // If `walked` exists, each process has at most one block, and no method has fewer steps than
        // `PairwiseExchange`.
        let directions =
            if walked.is_some() || without::is_left_out("laps") { &[][..] } else { &[false, true] };
        let rounds = directions.iter().filter_map(|&backwards| Rounds::new(overlap, backwards));
        let pairwise = Method::Pairwise(PairwiseExchange::new(overlap, walked));
        let method = std::iter::once(pairwise).chain(rounds.map(Method::Rounds)).min_by_key(Method::steps);
        Self { overlap: overlap.clone(), method: method.expect("a pairwise exchange is always possible") }
    }

    /// Returns the longest message of each step in elements, 0 for an empty step. Each process must have at most one
    /// block. `None` if a message has no step.
    fn costs(&self, overlap: &Overlap) -> Option<Vec<u64>> {
        let (mut costs, mut all_have_steps) = (vec![0; usize::try_from(self.steps()).ok()?], true);
        overlap.each_single_block_message(|p, q, elements| {
            match self.step(&[p], &[q]).and_then(|step| costs.get_mut(usize::try_from(step).ok()?)) {
                Some(cost) => *cost = elements.max(*cost),
                None => all_have_steps = false,
            }
        });
        all_have_steps.then_some(costs)
    }
}

impl Order for Ring {
    fn steps(&self) -> u64 {
        self.method.steps()
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let (p, q) = (from[0], to[0]);
        match &self.method {
            Method::Rounds(rounds) => {
                self.overlap.shared(p, q).first().map(|x| rounds.step(&self.overlap, p, q, x))
            }
            Method::Pairwise(exchange) => Some(exchange.step(p, q)),
        }
    }
}

impl Method {
    fn steps(&self) -> u64 {
        match self {
            Self::Rounds(rounds) => rounds.steps(),
            Self::Pairwise(exchange) => exchange.steps,
        }
    }
}

#[cfg(test)]
mod tests;
