//! WHAT need a call not find out again that moves an array as the last call of the plan did? Its checks passed; what it told other
//! ranks, what its channels are for and how its messages are cut are the same.

use super::cargo::Cargo;
use super::needs::ChannelNeeds;
use super::plan::Plan;
use crate::collective::refuse::Attempt;
use crate::exec::travel;
use crate::exec::travel::{Likeness, Rest};
use crate::runtime::session::Session;
use crate::system::crew::Crew;
use std::sync::Arc;

/// What a call has left.
pub(super) struct Repeat {
    pub needs: ChannelNeeds,
    pub attempt: Box<Attempt>,
    pub rest: Rest,
}

/// What the last call of a plan has left.
pub(super) type LastCall = travel::LastCall<Repeat>;

/// What a call on `session` which moves `cargo`, whose pieces `crew` packs, has in common with those like it, and the plan, if the call
/// moves one array by one redistribution.
pub(super) fn likeness(session: &Session, crew: Crew, cargo: &[Cargo<'_>]) -> Option<(Arc<Plan>, Likeness)> {
    let [Cargo { plan, source, destination, update }] = cargo else { return None };
    let ends = (source.as_ref(), destination.as_ref());
    plan.more.is_empty().then(|| (plan.clone(), Likeness::of(session.number, crew, ends, *update)))
}
