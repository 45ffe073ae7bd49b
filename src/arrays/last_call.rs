//! State that a call with one array leaves in its plan. If the next call has equal shapes of local arrays, distance in
//! memory and update, it reuses this state, and neither checks arguments nor cuts messages.

use super::needs::ChannelNeeds;
use crate::collective::attempt::Attempt;
use crate::exec::travel;
use crate::exec::travel::Workspace;

pub(super) struct LastCall {
    pub needs: ChannelNeeds,
    pub attempt: Box<Attempt>,
    pub workspace: Workspace,
}

pub(super) type WorkspaceCache = travel::WorkspaceCache<LastCall>;
