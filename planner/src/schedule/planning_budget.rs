//! Planning budget: the numbers of messages that planning may examine one by one.
//!
//! To list a message, colour it in several ways and simulate it takes some microseconds. This pays off if the
//! redistribution takes long. If it is short, a schedule in closed form is available at once. The budget depends only
//! on the amount of data and the machine, not on a clock, so it is equal on all ranks.

use super::limits::{
    MAX_PLANNING_BUDGET, MAX_SIMULATED, MIN_PLANNING_BUDGET, REPETITIONS, SAVED_FRACTIONS,
    SECONDS_PER_MESSAGE, SECONDS_PER_SIMULATION,
};
use crate::machine::{Machine, real};

/// Numbers of messages that may be examined while a program waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Maximum number of messages for a search by all schedulers.
    pub search: u64,
    /// Maximum number of messages of one dimension that are listed and coloured once.
    pub list: u64,
}

impl Effort {
    /// The largest budget, however long redistributions take.
    pub const MAX: Self = Self { search: MAX_PLANNING_BUDGET.0, list: MAX_PLANNING_BUDGET.1 };

    /// Returns the budget that pays off if a port has `messages` messages and `bytes` bytes.
    pub fn of(messages: f64, bytes: u64, machine: &Machine) -> Self {
        let starts = messages * machine.start_up;
        let lasts = starts / f64::from(machine.window) + real(bytes) * (machine.byte + 2.0 * machine.copy);
        let looks = |saved: f64, look: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // Never negative; large values are clamped below.
            let looks = (REPETITIONS * saved * lasts / look) as u64;
            looks
        };
        Self {
            search: looks(SAVED_FRACTIONS.0, SECONDS_PER_MESSAGE.0)
                .clamp(MIN_PLANNING_BUDGET.0, MAX_PLANNING_BUDGET.0),
            list: looks(SAVED_FRACTIONS.1, SECONDS_PER_MESSAGE.1)
                .clamp(MIN_PLANNING_BUDGET.1, MAX_PLANNING_BUDGET.1),
        }
    }
}

/// Returns true if a search that examines `looks` messages pays off by saving `seconds` in each redistribution.
pub fn pays_off(looks: u64, seconds: f64) -> bool {
    real(looks) * SECONDS_PER_MESSAGE.0 <= REPETITIONS * seconds
}

/// Returns the number of simulations of `messages` messages that pay off if ports wait for `seconds`: another order may
/// save a fraction of this time ([`SAVED_FRACTIONS`]).
pub fn max_simulations(messages: u64, seconds: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // 0 if there is nothing to save; the casts saturate.
    let pay =
        (REPETITIONS * SAVED_FRACTIONS.0 * seconds / SECONDS_PER_SIMULATION / real(messages.max(1))) as u64;
    pay.min(MAX_SIMULATED.0).min(MAX_SIMULATED.1 / messages.max(1))
}

#[cfg(test)]
mod tests {
    use super::super::chooser::choose;
    use super::super::traffic::Traffic;
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, Grid};
    use crate::layout::intersect::Overlap;

    /// Builds CYCLIC(r) to CYCLIC(s) with a thousand elements of `element` bytes a process.
    fn traffic(procs: u32, (r, s): (u64, u64), element: u64) -> Traffic {
        let axis = |block| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
        let dim = Overlap { from: axis(r), to: axis(s), len: 1000 * u64::from(procs) };
        let grid = Grid::row_major(&[procs]);
        Traffic::new(vec![dim], element, grid.clone(), grid)
    }

    #[test]
    fn search_time_follows_the_time_of_redistributions() {
        let machine = Machine::NETWORK;
        let effort = |element| traffic(1000, (64, 96), element).with_budget_for(&machine).effort();
        assert_eq!(
            [effort(1), effort(1 << 30)],
            [Effort { search: MIN_PLANNING_BUDGET.0, list: MIN_PLANNING_BUDGET.1 }, Effort::MAX]
        );
        // A megabyte a process takes 0.4 ms. A hundred redistributions save a quarter of it each: the time to search
        // among 1,000 messages.
        assert!((1000..1100).contains(&effort(1 << 10).search));
        // Slow links are worth more planning.
        let slow = Machine { byte: 1e-7, ..machine };
        assert_eq!(traffic(1000, (64, 96), 1 << 10).with_budget_for(&slow).effort(), Effort::MAX);
    }

    #[test]
    fn short_redistributions_of_many_processes_are_planned_in_closed_form() {
        for (r, s) in [(64, 96), (1000, 64), (1000, 1), (4, 64)] {
            let (short, searched) = (traffic(300, (r, s), 8), traffic(300, (r, s), 8));
            let short = short.with_budget_for(&Machine::NETWORK);
            assert!(short.effort().search < searched.messages());
            let steps = |t: &Traffic| {
                let c = choose(t, &Machine::NETWORK, None).unwrap().certificate.unwrap();
                c.steps
            };
            let (quick, fewest) = (steps(&short), steps(&searched));
            assert!(quick <= 2 * fewest, "{quick} steps, {fewest} by a search");
        }
    }

    #[test]
    fn searches_without_a_gain_are_skipped() {
        assert!(pays_off(1000, 1e-3) && !pays_off(1000, 1e-5) && !pays_off(1, 0.0) && pays_off(0, 0.0));
        assert_eq!(
            [
                max_simulations(1000, 1.0),
                max_simulations(100, 1.0),
                max_simulations(100, 0.0),
                max_simulations(100, -1.0)
            ],
            [8, 64, 0, 0]
        );
        assert_eq!(max_simulations(100, 1e-4), 12);
    }
}
