//! WHAT has a call left for the next one that moves arrays by the same plan? Nothing of it depends on where an array is, only on how
//! source and target lie to each other: programs use one plan for several arrays. It never knows what is left.
//!
//! Only a call that succeeded leaves anything, and the next one takes it: two calls that are under way at the same time never share it.

use crate::layout::strides::Shape;
use crate::pack::{Destination, Source, Update};
use crate::system::crew::Crew;
use std::sync::{Mutex, PoisonError};

/// All on which it depends.
#[derive(PartialEq)]
pub struct Likeness {
    session: u64,
    crew: Crew,
    update: Option<Update>,
    /// The local arrays, absent where there are none, and whether there is memory behind them.
    shapes: [Option<(Shape, bool)>; 2],
    /// Bytes from the source to the target.
    distance: Option<usize>,
}

impl Likeness {
    /// That of a call on session number `session` which moves `source` to `destination`, pieces of which `crew` packs.
    pub fn of(
        session: u64,
        crew: Crew,
        (source, destination): (Option<&Source<'_>>, Option<&Destination<'_>>),
        update: Option<Update>,
    ) -> Self {
        let from = source.map(|source| (source.shape().clone(), source.is_null()));
        let to = destination.map(|to| (to.shape().clone(), to.is_null()));
        let ends = source.map(Source::address).zip(destination.map(Destination::address));
        let distance = ends.map(|(from, to)| to.wrapping_sub(from));
        Self { session, crew, update, shapes: [from, to], distance }
    }
}

/// What the last call of a plan has left, until the next one takes it. Copies of the plan have nothing.
pub struct LastCall<T>(Mutex<Option<(Likeness, T)>>);

impl<T> Default for LastCall<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Clone for LastCall<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> LastCall<T> {
    /// What is left for a call like that.
    pub fn take(&self, likeness: &Likeness) -> Option<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.take_if(|(like, _)| like == likeness).map(|(_, left)| left)
    }

    /// `left` is for the next call like that.
    pub fn leave(&self, likeness: Likeness, left: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((likeness, left));
    }
}
