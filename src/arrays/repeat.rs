//! State that a call with one array leaves in its plan. The next call reuses it if the shapes of the local arrays,
//! their distance in memory and the update are the same: then it neither checks arguments nor cuts messages again.

use super::needs::ChannelNeeds;
use crate::collective::attempt::Attempt;
use crate::exec::travel;
use crate::exec::travel::Workspace;

pub(super) struct Repeat {
    pub needs: ChannelNeeds,
    pub attempt: Box<Attempt>,
    pub workspace: Workspace,
}

pub(super) type WorkspaceCache = travel::WorkspaceCache<Repeat>;
