//! Rust slices as local arrays. Their lengths are checked, so programs need no `unsafe`.

use super::file::{Filed, Loaded, Saved};
use super::load::load;
use super::operands::MoveOperands;
use super::plan::Plan;
use super::save::save;
use super::seat::Seat;
use super::transfer::execute;
use super::update::{Numeric, Update};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use crate::pack::{self, Destination, Element, Source};
use std::sync::Arc;

/// An array to move, with its plan. Each slice is the calling process's storage, empty if it has no part.
pub struct Load<'a, T> {
    /// The plan that moves the array.
    pub plan: &'a Arc<Plan>,
    /// Storage of the source, from its first byte on.
    pub source: &'a [T],
    /// Storage of the target, from its first byte on.
    pub target: &'a mut [T],
}

impl Plan {
    /// Moves an array. Each slice is the calling process's storage from its first byte on, shadows included, empty if
    /// the process has no part. Collective over the plan's communicator.
    pub fn execute<T: Element>(self: &Arc<Self>, source: &[T], target: &mut [T]) -> Result<(), Failure> {
        self.execute_many(&mut [Load { plan: self, source, target }])
    }

    /// Moves several arrays in one set of messages. All plans must be of this plan's communicator. Collective over
    /// it.
    pub fn execute_many<T: Element>(&self, loads: &mut [Load<'_, T>]) -> Result<(), Failure> {
        let operands = loads.iter_mut().map(|load| operands_of(load.plan, (load.source, load.target), None));
        execute(&*self.session()?, operands.collect())
    }

    /// Moves an array like [`Plan::execute`], but combines each element with the target's by `update`. `source` may be
    /// empty if `update.alpha` is 0. Collective over the plan's communicator.
    pub fn update<T: Numeric>(
        self: &Arc<Self>,
        source: &[T],
        target: &mut [T],
        update: &Update<T>,
    ) -> Result<(), Failure> {
        self.update_many(&mut [(Load { plan: self, source, target }, *update)])
    }

    /// Updates several arrays in one set of messages, each with its own update; see [`Plan::execute_many`].
    /// Collective over the plan's communicator.
    pub fn update_many<T: Numeric>(&self, loads: &mut [(Load<'_, T>, Update<T>)]) -> Result<(), Failure> {
        let operands = loads.iter_mut().map(|(load, update)| {
            operands_of(load.plan, (load.source, load.target), Some(update.kernel_update()?))
        });
        execute(&*self.session()?, operands.collect())
    }
}

pub(super) fn operands_of<'a, T: Element>(
    plan: &Arc<Plan>,
    (source, target): (&'a [T], &'a mut [T]),
    update: Option<pack::Update>,
) -> Result<MoveOperands<'a>, Failure> {
    let reads = !update.as_ref().is_some_and(pack::Update::ignores_source);
    let source = if reads { source_of(plan, source)? } else { None };
    let destination = destination_of(plan, target)?;
    Ok(MoveOperands { plan: Arc::clone(plan), source, destination, update })
}

impl Filed<'_> {
    /// Saves an array to a file, as [`super::save()`] does. The slice begins at the calling process's storage, shadow
    /// included, and is empty if it has no part. Collective over `comm`.
    pub fn save<T: Element>(self, comm: &Comm, array: &[T]) -> Result<(), Failure> {
        save(comm, Ok(self), &array)
    }

    /// Loads an array from a file, as [`super::load()`] does; for the slice, see [`Filed::save`]. Collective over
    /// `comm`.
    pub fn load<T: Element>(self, comm: &Comm, mut array: &mut [T]) -> Result<(), Failure> {
        load(comm, Ok(self), &mut array)
    }
}

impl<T: Element> Saved for &[T] {
    fn source(&self, plan: &Plan) -> Result<Option<Source<'_>>, Failure> {
        source_of(plan, self)
    }
}

impl<T: Element> Loaded for &mut [T] {
    fn destination(&mut self, plan: &Plan) -> Result<Option<Destination<'_>>, Failure> {
        destination_of(plan, self)
    }
}

/// Returns the source of a plan within `slice`; an error if the slice is too short, `None` if this process has no part.
pub(super) fn source_of<'a, T: Element>(plan: &Plan, slice: &'a [T]) -> Result<Option<Source<'a>>, Failure> {
    let source = plan.source().map(|seat| {
        let short = || short("source", size_of_val(slice), seat);
        Source::of_slice(slice, first::<T>(plan, seat)?, &seat.shape).ok_or_else(short)
    });
    source.transpose()
}

/// Returns the target of a plan within `slice`; an error if the slice is too short, `None` if this process has no part.
pub(super) fn destination_of<'a, T: Element>(
    plan: &Plan,
    slice: &'a mut [T],
) -> Result<Option<Destination<'a>>, Failure> {
    let bytes = size_of_val(slice);
    let destination = plan.destination().map(|seat| {
        let at = first::<T>(plan, seat)?;
        Destination::of_slice(slice, at, &seat.shape).ok_or_else(|| short("target", bytes, seat))
    });
    destination.transpose()
}

/// Returns the bytes from the start of a storage to the array's first element; an error unless the size of the plan's
/// elements is a multiple of the size of `T`.
pub(super) fn first<T>(plan: &Plan, seat: &Seat) -> Result<u64, Failure> {
    if plan.element() % size_of::<T>().max(1) != 0 {
        return Err(Failure::argument(format!(
            "the elements have {} bytes, but the plan's have {}",
            size_of::<T>(),
            plan.element()
        )));
    }
    Ok(seat.first())
}

pub(super) fn short(name: &str, bytes: usize, seat: &Seat) -> Failure {
    let (before, behind) = seat.reach;
    Failure::argument(format!(
        "the {name} has {bytes} bytes, expected at least {}, the size of its storage",
        before + behind
    ))
}
