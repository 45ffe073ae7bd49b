//! State of a plan's last call, if it moved one array. The next such call reuses it if local arrays, their distance in
//! memory and the update are alike: its arguments need no checks, and its agreement values, channel requirements and
//! message pieces are unchanged.

use super::needs::ChannelNeeds;
use crate::collective::attempt::Attempt;
use crate::exec::travel;
use crate::exec::travel::Workspace;

/// State that a call leaves for the next one.
pub(super) struct Repeat {
    pub needs: ChannelNeeds,
    pub attempt: Box<Attempt>,
    pub workspace: Workspace,
}

pub(super) type WorkspaceCache = travel::WorkspaceCache<Repeat>;
