//! Workspace of a plan's last execution, for the next one.
//!
//! It depends on the relative position of source and target, not on their addresses, because programs use one plan for
//! several arrays. Only a successful execution stores a workspace, and the next one takes it, so concurrent executions
//! never share one.

use crate::layout::strides::Shape;
use crate::pack::{Destination, Source, Update};
use crate::system::workers::Workers;
use std::sync::{Mutex, PoisonError};

/// Conditions for the reuse of a workspace.
#[derive(PartialEq)]
pub struct Likeness {
    session: u64,
    workers: Workers,
    update: Option<Update>,
    /// Shape of each local array, if there is one, and whether its address is null.
    shapes: [Option<(Shape, bool)>; 2],
    /// Distance from the source to the target, in bytes.
    distance: Option<usize>,
}

impl Likeness {
    /// Creates the key of an execution on session `session` that moves `source` to `destination` with
    /// `workers`.
    pub fn of(
        session: u64,
        workers: Workers,
        (source, destination): (Option<&Source<'_>>, Option<&Destination<'_>>),
        update: Option<Update>,
    ) -> Self {
        let from = source.map(|source| (source.shape().clone(), source.is_null()));
        let to = destination.map(|to| (to.shape().clone(), to.is_null()));
        let ends = source.map(Source::address).zip(destination.map(Destination::address));
        let distance = ends.map(|(from, to)| to.wrapping_sub(from));
        Self { session, workers, update, shapes: [from, to], distance }
    }
}

/// Workspace of a plan's last execution. Clones of the plan begin without one.
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
    /// Takes the workspace, if it was stored by a similar execution.
    pub fn take(&self, likeness: &Likeness) -> Option<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.take_if(|(like, _)| like == likeness).map(|(_, left)| left)
    }

    /// Stores a workspace for the next similar execution.
    pub fn leave(&self, likeness: Likeness, left: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((likeness, left));
    }
}
