//! Node memory and proximity of ranks, for plans.

use crate::collective::call::settings;
use crate::collective::failure::{Code, Failure};
use crate::runtime::session::Session;
use crate::system::machine::Proximity;
use crate::system::settings::{Medium, Settings};

/// Returns the proximity of the ranks for a plan with these settings.
pub(super) fn proximity(session: &Session, plan: &Settings) -> Proximity {
    match plan.medium {
        Medium::Mpi => Proximity::Nodes { early: 0 },
        Medium::Best | Medium::Shm => session.node_info().unwrap_or_default().proximity(),
    }
}

/// Returns whether a plan with these settings must use node memory that the ranks do not share yet.
pub(super) fn lacks_memory(session: &Session, plan: &Settings) -> bool {
    plan.medium == Medium::Shm && !session.node_info().unwrap_or_default().one_node
}

/// Sets up shared memory of the node if a plan with these settings lacks it. Collective.
pub(super) fn share_memory(session: &Session, plan: &Settings) -> Result<(), Failure> {
    if !lacks_memory(session, plan) {
        return Ok(());
    }
    let shared = session.share_memory(settings().0).inspect_err(|why| session.break_off(why))?;
    shared.map_err(|why| Failure::new(Code::Settings, format!("the option transport is shm, but {why}")))
}
