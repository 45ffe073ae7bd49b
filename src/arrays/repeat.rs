//! State that a plan's call with one array leaves for the next one. The next call reuses it if local arrays, their
//! distance in memory and the update are alike: it checks no arguments and cuts no messages again.

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
