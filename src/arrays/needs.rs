//! WHAT do the messages of a call need of its channels? Room, a pace, and who sends or receives any.

use super::cargo::Cargo;
use super::transfer::Stage;
use crate::collective::facts::Facts;
use crate::collective::failure::Failure;
use crate::runtime::session::{Channels, Session};
use crate::system::settings::Settings;
use crate::transport::Pace;

/// What data needs of a call's channels.
#[derive(Clone, Copy, Default)]
pub struct ChannelNeeds {
    message: usize,
    pace: Pace,
    by_mpi: bool,
    /// Whether this rank sends messages, and whether it receives any.
    sends: bool,
    receives: bool,
}

impl ChannelNeeds {
    /// What `cargo` needs.
    pub fn of(cargo: &[Cargo<'_>]) -> Self {
        let legs = || cargo.iter().flat_map(|cargo| &cargo.plan.planned.route.legs);
        Self {
            message: cargo.iter().map(|cargo| cargo.plan.planned.message).max().unwrap_or(0),
            // Where one has an order, all keep to it.
            pace: cargo.iter().map(|cargo| cargo.plan.planned.pace()).min().unwrap_or_default(),
            by_mpi: cargo.iter().any(|cargo| cargo.plan.by_mpi()),
            sends: legs().any(|leg| !leg.sends.messages.is_empty()),
            receives: legs().any(|leg| !leg.receives.messages.is_empty()),
        }
    }

    /// The channels of a call, how far it is, and whether this rank has the memory to use them.
    pub fn channels(
        self,
        session: &Session,
        settings: &Settings,
    ) -> (Box<Channels>, Stage, Result<(), Failure>) {
        let mut channels = session.begin::<Facts>(settings);
        channels.fit(self.message, self.pace);
        if self.by_mpi {
            channels.by_mpi();
        }
        let in_slots = session.node_info().unwrap_or_default().one_node && !self.by_mpi;
        let able = if in_slots { Ok(()) } else { channels.provide(self.sends, self.receives) };
        // What MPI carries cannot be given back.
        (channels, if in_slots { Stage::Ahead } else { Stage::Agreeing }, able.map_err(Failure::from))
    }
}
