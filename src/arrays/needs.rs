//! Requirements of a call for its channels: message size, pace and transport.

use crate::collective::failure::Failure;
use crate::collective::record::CallRecord;
use crate::plan::rank_plan::RankPlan;
use crate::runtime::session::{Channels, Session};
use crate::system::settings::Settings;
use crate::transport::Pace;

/// Progress of a call until its ranks have agreed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The rank has not announced its call; messages sent now can be taken back.
    Ahead,
    Agreeing,
    Agreed,
}

/// Requirements of one call. The default is those of a call without messages.
#[derive(Clone, Copy, Default)]
pub struct ChannelNeeds {
    /// Maximum message size in bytes.
    message: usize,
    pace: Pace,
    /// True if messages must go by MPI, even between ranks of a node.
    by_mpi: bool,
    /// True if this rank sends messages, or receives any.
    sends: bool,
    receives: bool,
}

impl ChannelNeeds {
    /// Returns the requirements of plans that move together. `by_mpi`: all messages must go by MPI.
    pub fn of_plans<'p>(plans: impl Iterator<Item = &'p RankPlan> + Clone, by_mpi: bool) -> Self {
        let phases = || plans.clone().flat_map(|plan| &plan.phases.list);
        Self {
            message: plans.clone().map(|plan| plan.message).max().unwrap_or(0),
            // The strictest pace: `InSteps` is less than `AtOnce`.
            pace: plans.clone().map(RankPlan::pace).min().unwrap_or_default(),
            by_mpi,
            sends: phases().any(|phase| !phase.sends.messages.is_empty()),
            receives: phases().any(|phase| !phase.receives.messages.is_empty()),
        }
    }

    /// Opens the channels of a call. Returns the channels, the first stage of the call, and an error if this rank lacks
    /// memory for MPI's buffers.
    pub fn channels(
        self,
        session: &Session,
        settings: &Settings,
    ) -> (Box<Channels>, Stage, Result<(), Failure>) {
        let mut channels = session.begin::<CallRecord>(settings);
        channels.fit(self.message, self.pace);
        if self.by_mpi {
            channels.by_mpi();
        }
        let in_slots = session.node_info().unwrap_or_default().one_node && !self.by_mpi;
        let able = if in_slots { Ok(()) } else { channels.provide(self.sends, self.receives) };
        // MPI cannot cancel a message, so messages by MPI start only after the agreement. Messages of an exchange
        // between nodes are received even if the call fails.
        let stage = if in_slots || channels.carries_early() { Stage::Ahead } else { Stage::Agreeing };
        (channels, stage, able.map_err(Failure::from))
    }
}
