//! Schedules in closed form where a section has no whole period: BLOCK or GEN_BLOCK to CYCLIC(k), a few blocks of each
//! process, sections that end early. The step of a message follows from where its ends first meet.
//!
//! | way | where | steps |
//! |---|---|---|
//! | [`Rounds`] | one side is blocks of one size; the other, too | close to the fewest, while no process meets most others |
//! | [`Rounds`] | one side is blocks of one size; the other is GEN_BLOCK | close to the fewest |
//! | [`Turns`] | one block a process on both sides: BLOCK, GEN_BLOCK | the fewest |
//! | [`Kinds`] | blocks of one size each, few of a process; where the others take more | the fewest, or nearly |
//! | [`Turns`] | always | as many as processes with data on the larger side: the fewest where all exchange |
//!
//! A message whose ends meet several times goes in the step of the first time; so a proper colouring of all meetings is a
//! schedule.

mod beat;
mod floors;
mod kinds;
mod lap;
mod others;
mod rounds;
mod set;
mod turns;

use super::figures::Figures;
use super::walked::Walked;
use super::without;
use crate::overlap::Overlap;
use kinds::Kinds;
use rounds::Rounds;
use turns::Turns;

/// The schedule of one dimension.
#[derive(Clone, Debug)]
pub struct Ring {
    dim: Overlap,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Kinds(Kinds),
    Rounds(Rounds),
    Turns(Turns),
}

impl Ring {
    /// The way by a formula that takes the fewest steps for `dim`, which is not empty; `walked`: its messages, if they were
    /// counted by a walk.
    pub fn new(dim: &Overlap, walked: Option<&Walked>) -> Self {
        // On a line turns are the fewest.
        let ways = if walked.is_some() || without::is_out("laps") { &[][..] } else { &[false, true] };
        let rounds = ways.iter().filter_map(|&backwards| Rounds::new(dim, backwards));
        let turns = Way::Turns(Turns::new(dim, walked));
        let way = std::iter::once(turns).chain(rounds.map(Way::Rounds)).min_by_key(Way::steps);
        Self { dim: dim.clone(), way: way.expect("turns are always possible") }
    }

    /// Fewer steps by kinds of meetings, if they are found in the time that it takes to list so many messages.
    pub fn of_kinds(&self, list: u64) -> Option<Self> {
        if without::is_out("kinds") {
            return None;
        }
        let kinds = Kinds::new(&self.dim, self.steps(), list)?;
        Some(Self { dim: self.dim.clone(), way: Way::Kinds(kinds) })
    }

    /// The number of steps; some may carry no message.
    pub fn steps(&self) -> u64 {
        self.way.steps()
    }

    /// The step of the message from process `p` to process `q`; `None` if there is none.
    pub fn step(&self, p: u32, q: u32) -> Option<u64> {
        let met = || self.dim.shared(p, q).first();
        match &self.way {
            Way::Kinds(kinds) => met().map(|x| kinds.step(x)),
            Way::Rounds(rounds) => met().map(|x| rounds.step(&self.dim, p, q, x)),
            Way::Turns(turns) => Some(turns.step(p, q)),
        }
    }
}

impl Ring {
    /// What its steps cost, where that follows from how they were found.
    pub fn figures(&self) -> Option<Figures> {
        match &self.way {
            Way::Kinds(kinds) => kinds.figures,
            Way::Rounds(_) | Way::Turns(_) => None,
        }
    }
}

impl Way {
    fn steps(&self) -> u64 {
        match self {
            Self::Kinds(kinds) => kinds.steps,
            Self::Rounds(rounds) => rounds.steps(),
            Self::Turns(turns) => turns.steps,
        }
    }
}

#[cfg(test)]
mod tests;
