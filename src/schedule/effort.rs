//! HOW MANY messages may be looked at one by one to plan a redistribution? To list messages, to colour them in several ways, and to
//! reckon when the last port is done takes some microseconds each. That pays where redistributions take long; where they are
//! short, a plan in closed form is there at once.
//!
//! It knows how much moves, and the machine. It never reads a clock: all ranks get the same number.

use super::limits::{LEAST, LOOK, MOST, REPEATED, SAVED, SIMULATE, TRIES};
use crate::system::machine::{Machine, real};

/// Messages that may be looked at one by one while a program waits, at the most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// To search for the best schedule.
    pub search: u64,
    /// To list those of one dimension, and to colour them once.
    pub list: u64,
}

impl Effort {
    /// However long redistributions take.
    pub const MOST: Self = Self { search: MOST.0, list: MOST.1 };

    /// What pays where a port has so many messages and bytes.
    pub fn of(messages: f64, bytes: u64, machine: &Machine) -> Self {
        let starts = messages * machine.start_up;
        let lasts = starts / f64::from(machine.window) + real(bytes) * (machine.byte + 2.0 * machine.copy);
        let looks = |saved: f64, look: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // At least 0; too many become the most.
            let looks = (REPEATED * saved * lasts / look) as u64;
            looks
        };
        Self {
            search: looks(SAVED.0, LOOK.0).clamp(LEAST.0, MOST.0),
            list: looks(SAVED.1, LOOK.1).clamp(LEAST.1, MOST.1),
        }
    }
}

/// Whether so many looks at a message pay where they may save `seconds`.
pub fn pays(looks: u64, seconds: f64) -> bool {
    real(looks) * LOOK.0 <= REPEATED * seconds
}

/// Simulations of so many messages that pay where ports wait for so many seconds: a share of these may be saved.
pub fn tries(messages: u64, seconds: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // Nothing to save becomes 0, too much the most.
    let pay = (REPEATED * SAVED.0 * seconds / SIMULATE / real(messages.max(1))) as u64;
    pay.min(TRIES.0).min(TRIES.1 / messages.max(1))
}

#[cfg(test)]
mod tests {
    use super::super::router::route;
    use super::super::traffic::Traffic;
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, Grid};
    use crate::layout::intersect::Overlap;

    /// CYCLIC(r) to CYCLIC(s), a thousand elements of so many bytes a process.
    fn traffic(procs: u32, (r, s): (u64, u64), element: u64) -> Traffic {
        let axis = |block| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
        let dim = Overlap { from: axis(r), to: axis(s), len: 1000 * u64::from(procs) };
        let grid = Grid::row_major(&[procs]);
        Traffic::new(vec![dim], element, grid.clone(), grid)
    }

    #[test]
    fn one_looks_as_long_as_redistributions_last() {
        let machine = Machine::NETWORK;
        let effort = |element| traffic(1000, (64, 96), element).within(&machine).effort();
        assert_eq!([effort(1), effort(1 << 30)], [Effort { search: LEAST.0, list: LEAST.1 }, Effort::MOST]);
        // A megabyte a process takes 0.4 ms, of which a quarter a hundred times is as long as 1,000 looks.
        assert!((1000..1100).contains(&effort(1 << 10).search));
        // Slow links are worth more planning.
        let slow = Machine { byte: 1e-7, ..machine };
        assert_eq!(traffic(1000, (64, 96), 1 << 10).within(&slow).effort(), Effort::MOST);
    }

    #[test]
    fn short_redistributions_of_many_processes_are_planned_in_closed_form() {
        for (r, s) in [(64, 96), (1000, 64), (1000, 1), (4, 64)] {
            let (short, searched) = (traffic(300, (r, s), 8), traffic(300, (r, s), 8));
            let short = short.within(&Machine::NETWORK);
            assert!(short.effort().search < searched.messages());
            let steps = |t: &Traffic| {
                let c = route(t, &Machine::NETWORK, None).unwrap().certificate.unwrap();
                c.steps
            };
            let (quick, fewest) = (steps(&short), steps(&searched));
            assert!(quick <= 2 * fewest, "{quick} steps, {fewest} by a search");
        }
    }

    #[test]
    fn what_saves_nothing_is_not_looked_for() {
        assert!(pays(1000, 1e-3) && !pays(1000, 1e-5) && !pays(1, 0.0) && pays(0, 0.0));
        assert_eq!([tries(1000, 1.0), tries(100, 1.0), tries(100, 0.0), tries(100, -1.0)], [8, 64, 0, 0]);
        assert_eq!(tries(100, 1e-4), 12);
    }
}
