//! Schedules in closed form where a section has no whole period: BLOCK or GEN_BLOCK to CYCLIC(k), a few blocks of each
//! process, sections that end early. The step of a message follows from where its ends first meet.
//!
//! | way | where | steps |
//! |---|---|---|
//! | [`Chain`] | one block a process on both sides: BLOCK to BLOCK | the fewest |
//! | [`Rounds`] | one side is blocks of one size; the other, too, or GEN_BLOCK | close to the fewest, while no process meets most others |
//! | [`Turns`] | always | as many as processes with data on the larger side: the fewest where all exchange |
//!
//! A message whose ends meet several times goes in the step of the first time; so a proper colouring of all meetings is a
//! schedule.

mod chain;
mod rounds;
mod turns;

use crate::overlap::Overlap;
use chain::Chain;
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
    Chain(Chain),
    Rounds(Rounds),
    Turns(Turns),
}

impl Ring {
    /// The way that takes the fewest steps for `dim`, which is not empty.
    pub fn new(dim: &Overlap) -> Self {
        let chain = Chain::new(dim).map(Way::Chain);
        let rounds = [false, true].into_iter().filter_map(|backwards| Rounds::new(dim, backwards));
        let turns = Way::Turns(Turns::new(dim));
        let all = chain.into_iter().chain(rounds.map(Way::Rounds)).chain([turns]);
        let way = all.min_by_key(Way::steps).expect("turns are always possible");
        Self { dim: dim.clone(), way }
    }

    /// The number of steps; some may carry no message.
    pub fn steps(&self) -> u64 {
        self.way.steps()
    }

    /// The step of the message from process `p` to process `q`; `None` if there is none.
    pub fn step(&self, p: u32, q: u32) -> Option<u64> {
        let met = || self.dim.shared(p, q).first();
        match &self.way {
            Way::Chain(chain) => met().map(|x| chain.step(x)),
            Way::Rounds(rounds) => met().map(|x| rounds.step(&self.dim, p, q, x)),
            Way::Turns(turns) => Some(turns.step(p, q)),
        }
    }
}

impl Way {
    fn steps(&self) -> u64 {
        match self {
            Self::Chain(chain) => chain.steps,
            Self::Rounds(rounds) => rounds.steps(),
            Self::Turns(turns) => turns.steps,
        }
    }
}
