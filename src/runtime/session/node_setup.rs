//! Survey of the node and setup of shared memory, once for a communicator.

use super::arrival::{Here, arrive};
use super::{AGREEMENT_BYTES, AGREEMENT_SLOTS, Neighbours, NodeInfo, Session};
use crate::mpi::FirstFailure;
use crate::system::settings::{Medium, Settings};
use crate::transport::error::Error;

impl Session {
    /// Surveys the node, once. Collective. Discards plans, which depend on the survey.
    pub fn ensure_surveyed(&self, settings: &Settings) -> Result<NodeInfo, Error> {
        if let Some(node_info) = self.node_info() {
            return Ok(node_info);
        }
        if self.ranks > 1 {
            let (mut first_failure, comm) = (FirstFailure::default(), self.comm());
            let here = Here { comm, rank: self.rank, ranks: self.ranks, session: Some(self) };
            let came = arrive(&here, "a call", [0; 4], &mut first_failure);
            self.report_error(first_failure.failure().map_or(Ok(()), |why| Err(why.clone())))?;
            came?;
        }
        self.survey(settings)
    }

    /// Surveys this node. Collective; all ranks must be in this call.
    pub(super) fn survey(&self, settings: &Settings) -> Result<NodeInfo, Error> {
        let node_info = self.store(Neighbours::survey(self, settings, (AGREEMENT_SLOTS, AGREEMENT_BYTES))?);
        Ok(*self.node_info.get_or_init(|| node_info))
    }

    /// Stores the result of a survey.
    fn store(&self, neighbours: Neighbours) -> NodeInfo {
        let node_info = neighbours.node_info();
        if let Some(shared) = &neighbours.shared {
            self.abort_flag.get_or_init(|| shared.agreement.abort_flag());
        }
        let mut state = self.state();
        state.plans.clear();
        state.known.clear();
        state.neighbours = Some(neighbours);
        node_info
    }

    /// Makes all ranks share memory from the next call on, even against the settings. Collective; all ranks must be in
    /// this call. The inner error, equal on all ranks, says why they cannot.
    pub fn share_memory(&self, settings: &Settings) -> Result<Result<(), &'static str>, Error> {
        if !self.node_info().is_some_and(|node_info| node_info.one_node) && settings.medium == Medium::Mpi {
            let asked = settings.with(None, Medium::Best, None, None).map_err(Error::Host)?;
            let neighbours = Neighbours::survey(self, &asked, (AGREEMENT_SLOTS, AGREEMENT_BYTES))?;
            if neighbours.node_info().one_node {
                let node_info = self.store(neighbours);
                self.in_memory.get_or_init(|| node_info);
            }
        }
        let one_machine = || {
            let state = self.state();
            state
                .neighbours
                .as_ref()
                .is_some_and(|neighbours| neighbours.node.numbers.len() == self.ranks as usize)
        };
        Ok(match self.node_info() {
            Some(node_info) if node_info.one_node => Ok(()),
            _ if one_machine() => Err("the node has no memory for all ranks of the communicator to share"),
            _ => Err("the ranks of the communicator are on several nodes"),
        })
    }
}
