//! Workspace of a plan's last execution, for the next one.
//!
//! It depends on the distance between source and target, not on their addresses: programs use one plan for several
//! arrays. Only a successful execution stores a workspace, and the next one takes it, so concurrent executions never
//! share one.

use super::Load;
use crate::layout::strides::Shape;
use crate::pack::Update;
use crate::system::workers::Workers;
use std::sync::{Mutex, PoisonError};

/// Conditions for the reuse of a workspace.
#[derive(PartialEq)]
pub struct CallSignature {
    session: u64,
    workers: Workers,
    update: Option<Update>,
    /// Shape of each local array, whether it has memory, and whether a device has that memory; `None` without an array.
    shapes: [Option<(Shape, bool, bool)>; 2],
    /// Distance from the source to the target, in bytes.
    distance: Option<usize>,
}

impl CallSignature {
    /// Creates the key of an execution on session `session` that moves `load` with `workers`.
    pub fn of<P>(session: u64, workers: Workers, load: &Load<'_, P>) -> Self {
        let (source, destination) = (load.source.as_ref(), load.destination.as_ref());
        let from =
            source.map(|source| (source.shape().clone(), source.has_memory(), source.device().is_some()));
        let to = destination.map(|to| (to.shape().clone(), to.has_memory(), to.device().is_some()));
        let distance = source.zip(destination).map(|(from, to)| to.distance_from(from));
        Self { session, workers, update: load.update, shapes: [from, to], distance }
    }
}

/// Workspace of a plan's last execution. Clones of the plan begin without one.
pub struct WorkspaceCache<T>(Mutex<Option<(CallSignature, T)>>);

impl<T> Default for WorkspaceCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Clone for WorkspaceCache<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> WorkspaceCache<T> {
    /// Takes the workspace, if it was stored by a similar execution.
    pub fn take(&self, signature: &CallSignature) -> Option<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.take_if(|(like, _)| like == signature).map(|(_, left)| left)
    }

    /// Stores a workspace for the next similar execution.
    pub fn store(&self, signature: CallSignature, left: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((signature, left));
    }
}
