//! State of a plan's last call, reused by a call that moves an array of the same kind: its checks have passed, its
//! agreement values, channel requirements and message pieces are unchanged.

use super::cargo::Cargo;
use super::needs::ChannelNeeds;
use super::plan::Plan;
use crate::collective::refuse::Attempt;
use crate::exec::travel;
use crate::exec::travel::{CallSignature, Workspace};
use crate::runtime::session::Session;
use crate::system::workers::Workers;
use std::sync::Arc;

/// State that a call leaves for the next one.
pub(super) struct Repeat {
    pub needs: ChannelNeeds,
    pub attempt: Box<Attempt>,
    pub workspace: Workspace,
}

pub(super) type WorkspaceCache = travel::WorkspaceCache<Repeat>;

/// Returns the plan and the key under which its next call finds the state, for a call on `session` that moves `cargo`
/// and packs with `workers`. `None` unless the call moves one array by one redistribution.
pub(super) fn signature(
    session: &Session,
    workers: Workers,
    cargo: &[Cargo<'_>],
) -> Option<(Arc<Plan>, CallSignature)> {
    let [Cargo { plan, source, destination, update }] = cargo else { return None };
    let ends = (source.as_ref(), destination.as_ref());
    plan.more.is_empty().then(|| (plan.clone(), CallSignature::of(session.number, workers, ends, *update)))
}
