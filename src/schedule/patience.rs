//! HOW MANY messages may be looked at one by one to plan a redistribution? To list messages, to colour them in several ways, and to
//! reckon when the last port is done takes some microseconds each. That pays where redistributions take long; where they are
//! short, a plan in closed form is there at once.
//!
//! It knows how much moves, and the machine. It never reads a clock: all ranks get the same number.

use super::machine::{Machine, real};
use super::traffic::Traffic;

/// However long redistributions take, no more messages are looked at: some 0.1 s.
pub const MOST: u64 = 1 << 14;
/// However short they are, so many are: a millisecond or two.
const FEWEST: u64 = 1 << 7;
/// Redistributions for which a plan has to pay. Programs repeat them.
const REPEATED: f64 = 100.0;
/// The part of a redistribution's time that the best schedule saves, against one in closed form, at the most as a rule.
const SAVED: f64 = 0.25;
/// Seconds to look at one message, for all rivals together.
const LOOK: f64 = 10e-6;

/// The messages of `traffic` that may be looked at one by one.
pub fn messages(traffic: &Traffic, machine: &Machine) -> u64 {
    let starts = real(traffic.about()) / real(traffic.ports().max(1)) * machine.start_up;
    let bytes = real(traffic.share()) * (machine.byte + 2.0 * machine.copy);
    let lasts = starts / f64::from(machine.window) + bytes;
    let looks = REPEATED * SAVED * lasts / LOOK;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // It is no less than 0, and too much becomes the most.
    let looks = looks as u64;
    looks.clamp(FEWEST, MOST)
}

/// Whether so many looks at a message pay where they may save `seconds`.
pub fn pays(looks: u64, seconds: f64) -> bool {
    real(looks) * LOOK <= REPEATED * seconds
}

#[cfg(test)]
mod tests {
    use super::super::router::route;
    use super::super::traffic::Traffic;
    use super::*;
    use crate::layout::{Axis, Cyclic, Grid};
    use crate::overlap::Overlap;

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
        let patience = |element| traffic(1000, (64, 96), element).within(&machine).patience();
        assert_eq!([patience(1), patience(8), patience(1 << 30)], [FEWEST, FEWEST, MOST]);
        // A megabyte a process takes 0.4 ms, of which a quarter a hundred times is as long as 1,000 looks.
        assert!((1000..1100).contains(&patience(1 << 10)));
        // Slow links are worth more planning.
        let slow = Machine { byte: 1e-7, ..machine };
        assert_eq!(traffic(1000, (64, 96), 1 << 10).within(&slow).patience(), MOST);
    }

    #[test]
    fn short_redistributions_of_many_processes_are_planned_in_closed_form() {
        for (r, s) in [(64, 96), (1000, 64), (1000, 1), (4, 64)] {
            let (short, searched) = (traffic(300, (r, s), 8), traffic(300, (r, s), 8));
            let short = short.within(&Machine::NETWORK);
            assert!(short.patience() < searched.messages());
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
    }
}
