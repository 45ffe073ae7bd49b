//! WHAT need a call not find out again that moves an array as the last call of the plan did? Its checks passed; what it told other
//! ranks, what its channels are for and how its messages are cut are the same. None of that depends on where an array is, only on
//! how source and target lie to each other: programs use one plan for several arrays.
//!
//! Only a call that succeeded leaves anything, and the next one takes it: two calls that are under way at the same time never share it.

use super::cargo::Cargo;
use super::needs::ChannelNeeds;
use super::plan::Plan;
use super::refuse::Attempt;
use crate::crew::Crew;
use crate::exec::Rest;
use crate::pack::{Destination, Shape, Source, Update};
use crate::session::Session;
use std::sync::{Arc, Mutex, PoisonError};

/// All on which it depends.
#[derive(PartialEq)]
pub(super) struct Likeness {
    session: u64,
    crew: Crew,
    update: Option<Update>,
    /// The local arrays, absent where there are none, and whether there is memory behind them.
    shapes: [Option<(Shape, bool)>; 2],
    /// Bytes from the source to the target.
    distance: Option<usize>,
}

impl Likeness {
    /// That of a call on `session` which moves `cargo`, whose pieces `crew` packs, and the plan, if the call moves one array by one
    /// redistribution.
    pub fn of_all(session: &Session, crew: Crew, cargo: &[Cargo<'_>]) -> Option<(Arc<Plan>, Self)> {
        let [only] = cargo else { return None };
        only.plan.more.is_empty().then(|| (only.plan.clone(), Self::of(session, crew, only)))
    }

    fn of(session: &Session, crew: Crew, cargo: &Cargo<'_>) -> Self {
        let Cargo { source, destination, update, .. } = cargo;
        let from = source.as_ref().map(|source| (source.shape().clone(), source.is_null()));
        let to = destination.as_ref().map(|to| (to.shape().clone(), to.is_null()));
        let ends = source.as_ref().map(Source::address).zip(destination.as_ref().map(Destination::address));
        let distance = ends.map(|(from, to)| to.wrapping_sub(from));
        Self { session: session.number, crew, update: *update, shapes: [from, to], distance }
    }
}

/// What a call has left.
pub(super) struct Repeat {
    pub likeness: Likeness,
    pub needs: ChannelNeeds,
    pub attempt: Box<Attempt>,
    pub rest: Rest,
}

/// What the last call of a plan has left, until the next one takes it. Copies of the plan have nothing.
#[derive(Default)]
pub(super) struct LastCall(Mutex<Option<Repeat>>);

impl Clone for LastCall {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl LastCall {
    /// What is left for a call like that.
    pub fn take(&self, likeness: &Likeness) -> Option<Repeat> {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        left.filter(|repeat| repeat.likeness == *likeness)
    }

    /// Left for the next call.
    pub fn leave(&self, repeat: Repeat) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(repeat);
    }
}
