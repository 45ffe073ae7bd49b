//! WHEN do the ranks of a communicator get to know who is on their node, and when do they share memory? Both are collective, and are
//! done once; it never knows what calls are about.

use super::arrival::{Here, arrive};
use super::{AGREEMENT_BYTES, AGREEMENT_SLOTS, Facts, Neighbours, Session};
use crate::error::Error;
use crate::mpi::Noted;
use crate::settings::{Settings, Way};

impl Session {
    /// Collective: gets to know the ranks of this node, unless that is done. Plans are made anew for what was found.
    pub fn meet(&self, settings: &Settings) -> Result<Facts, Error> {
        if let Some(facts) = self.facts() {
            return Ok(facts);
        }
        if self.ranks > 1 {
            let (mut noted, comm) = (Noted::default(), self.comm());
            let here = Here { comm, rank: self.rank, ranks: self.ranks, session: Some(self) };
            let came = arrive(&here, "a call", [0; 3], &mut noted);
            self.vital(noted.failure().map_or(Ok(()), |why| Err(why.clone())))?;
            came?;
        }
        self.get_to_know(settings)
    }

    /// The same, once all ranks have come.
    pub(super) fn get_to_know(&self, settings: &Settings) -> Result<Facts, Error> {
        let facts = self.settle(Neighbours::of(self, settings, (AGREEMENT_SLOTS, AGREEMENT_BYTES))?);
        Ok(*self.facts.get_or_init(|| facts))
    }

    /// From now on these are the ranks of this node.
    fn settle(&self, met: Neighbours) -> Facts {
        let facts = met.facts();
        if let Some(shared) = &met.shared {
            self.alarm.get_or_init(|| shared.agreement.alarm());
        }
        let mut state = self.state();
        state.plans.clear();
        state.neighbours = Some(met);
        facts
    }

    /// Collective, all ranks having come: sees to it that all ranks share memory, also where the settings do without, for calls
    /// that begin from now on. Otherwise says why they cannot: the same on all ranks.
    pub fn share_memory(&self, settings: &Settings) -> Result<Result<(), &'static str>, Error> {
        if !self.facts().is_some_and(|facts| facts.one_node) && settings.way == Way::Mpi {
            let asked = settings.with(None, Way::Best, None, None).map_err(Error::Host)?;
            let met = Neighbours::of(self, &asked, (AGREEMENT_SLOTS, AGREEMENT_BYTES))?;
            if met.facts().one_node {
                let facts = self.settle(met);
                self.in_memory.get_or_init(|| facts);
            }
        }
        let one_machine = || self.state().neighbours.as_ref().is_some_and(Neighbours::has_all_ranks);
        Ok(match self.facts() {
            Some(facts) if facts.one_node => Ok(()),
            _ if one_machine() => Err("the node has no memory for all ranks of the communicator to share"),
            _ => Err("the ranks of the communicator are on several nodes"),
        })
    }
}
