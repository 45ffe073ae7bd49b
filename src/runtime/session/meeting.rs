//! WHEN do the ranks of a communicator get to know who is on their node, and when do they share memory? Both are collective, and are
//! done once; it never knows what calls are about.

use super::arrival::{Here, arrive};
use super::{AGREEMENT_BYTES, AGREEMENT_SLOTS, Neighbours, NodeInfo, Session};
use crate::mpi::Noted;
use crate::system::settings::{Medium, Settings};
use crate::transport::error::Error;

impl Session {
    /// Collective: gets to know the ranks of this node, unless that is done. Plans are made anew for what was found.
    pub fn meet(&self, settings: &Settings) -> Result<NodeInfo, Error> {
        if let Some(node_info) = self.node_info() {
            return Ok(node_info);
        }
        if self.ranks > 1 {
            let (mut noted, comm) = (Noted::default(), self.comm());
            let here = Here { comm, rank: self.rank, ranks: self.ranks, session: Some(self) };
            let came = arrive(&here, "a call", [0; 4], &mut noted);
            self.vital(noted.failure().map_or(Ok(()), |why| Err(why.clone())))?;
            came?;
        }
        self.get_to_know(settings)
    }

    /// The same, once all ranks have come.
    pub(super) fn get_to_know(&self, settings: &Settings) -> Result<NodeInfo, Error> {
        let node_info = self.settle(Neighbours::of(self, settings, (AGREEMENT_SLOTS, AGREEMENT_BYTES))?);
        Ok(*self.node_info.get_or_init(|| node_info))
    }

    /// From now on these are the ranks of this node.
    fn settle(&self, met: Neighbours) -> NodeInfo {
        let node_info = met.node_info();
        if let Some(shared) = &met.shared {
            self.alarm.get_or_init(|| shared.agreement.alarm());
        }
        let mut state = self.state();
        state.plans.clear();
        state.known.clear();
        state.neighbours = Some(met);
        node_info
    }

    /// Collective, all ranks having come: sees to it that all ranks share memory, also where the settings do without, for calls
    /// that begin from now on. Otherwise says why they cannot: the same on all ranks.
    pub fn share_memory(&self, settings: &Settings) -> Result<Result<(), &'static str>, Error> {
        if !self.node_info().is_some_and(|node_info| node_info.one_node) && settings.medium == Medium::Mpi {
            let asked = settings.with(None, Medium::Best, None, None).map_err(Error::Host)?;
            let met = Neighbours::of(self, &asked, (AGREEMENT_SLOTS, AGREEMENT_BYTES))?;
            if met.node_info().one_node {
                let node_info = self.settle(met);
                self.in_memory.get_or_init(|| node_info);
            }
        }
        let one_machine = || self.state().neighbours.as_ref().is_some_and(Neighbours::has_all_ranks);
        Ok(match self.node_info() {
            Some(node_info) if node_info.one_node => Ok(()),
            _ if one_machine() => Err("the node has no memory for all ranks of the communicator to share"),
            _ => Err("the ranks of the communicator are on several nodes"),
        })
    }
}
