//! Slices of Rust programs as local arrays: safe, since their lengths are checked.

use super::cargo::Cargo;
use super::file::{Filed, Loaded, Saved};
use super::load::load;
use super::plan::Plan;
use super::save::save;
use super::seat::Seat;
use super::transfer::execute;
use super::update::{Numeric, Update};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use crate::pack::{self, Destination, Element, Source};
use std::sync::Arc;

/// An array that travels with others: its plan, and the calling process's storages, empty where it has no part.
pub struct Load<'a, T> {
    /// How it goes.
    pub plan: &'a Arc<Plan>,
    /// The source, from the first byte of its storage on.
    pub source: &'a [T],
    /// The target, from the first byte of its storage on.
    pub target: &'a mut [T],
}

impl Plan {
    /// Collective over the plan's communicator: moves an array. The slices begin where the storages of the calling process
    /// begin, shadows included; they are empty where it has no part.
    pub fn execute<T: Element>(self: &Arc<Self>, source: &[T], target: &mut [T]) -> Result<(), Failure> {
        self.execute_many(&mut [Load { plan: self, source, target }])
    }

    /// Collective: moves several arrays in one set of messages. All plans are of this plan's communicator.
    pub fn execute_many<T: Element>(&self, loads: &mut [Load<'_, T>]) -> Result<(), Failure> {
        let cargo = loads.iter_mut().map(|load| cargo_of(load.plan, (load.source, load.target), None));
        execute(&*self.session()?, cargo.collect())
    }

    /// Collective: as [`Plan::execute`], but that the target's elements are updated. `source` may be empty where
    /// `update.alpha` is 0.
    pub fn update<T: Numeric>(
        self: &Arc<Self>,
        source: &[T],
        target: &mut [T],
        update: &Update<T>,
    ) -> Result<(), Failure> {
        self.update_many(&mut [(Load { plan: self, source, target }, *update)])
    }

    /// Collective: as [`Plan::execute_many`], each array with its update.
    pub fn update_many<T: Numeric>(&self, loads: &mut [(Load<'_, T>, Update<T>)]) -> Result<(), Failure> {
        let cargo = loads.iter_mut().map(|(load, update)| {
            cargo_of(load.plan, (load.source, load.target), Some(update.carried_out()?))
        });
        execute(&*self.session()?, cargo.collect())
    }
}

/// One array to move from a slice to another.
pub(super) fn cargo_of<'a, T: Element>(
    plan: &Arc<Plan>,
    (source, target): (&'a [T], &'a mut [T]),
    update: Option<pack::Update>,
) -> Result<Cargo<'a>, Failure> {
    let reads = !update.as_ref().is_some_and(pack::Update::ignores_source);
    let source = if reads { source_of(plan, source)? } else { None };
    let destination = destination_of(plan, target)?;
    Ok(Cargo { plan: Arc::clone(plan), source, destination, update })
}

impl Filed<'_> {
    /// Collective over `comm`: as [`super::save`]. The slice begins where the storage of the calling process begins, shadow
    /// included; it is empty where it has no part.
    pub fn save<T: Element>(self, comm: &Comm, array: &[T]) -> Result<(), Failure> {
        save(comm, Ok(self), &array)
    }

    /// Collective over `comm`: as [`super::load`].
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

/// A slice to read by a plan.
pub(super) fn source_of<'a, T: Element>(plan: &Plan, slice: &'a [T]) -> Result<Option<Source<'a>>, Failure> {
    let source = plan.source().map(|seat| {
        let short = || short("source", size_of_val(slice), seat);
        Source::of_slice(slice, first::<T>(plan, seat)?, &seat.shape).ok_or_else(short)
    });
    source.transpose()
}

/// A slice to write by a plan.
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

/// Bytes from the start of a storage to the first element of the array.
pub(super) fn first<T>(plan: &Plan, seat: &Seat) -> Result<u64, Failure> {
    if plan.element() % size_of::<T>().max(1) != 0 {
        return Err(Failure::argument(format!(
            "elements of {} bytes in a plan for elements of {}",
            size_of::<T>(),
            plan.element()
        )));
    }
    Ok(seat.first())
}

/// What is said of a storage that is too short.
pub(super) fn short(name: &str, bytes: usize, seat: &Seat) -> Failure {
    let (before, behind) = seat.reach;
    Failure::argument(format!(
        "the {name} has {bytes} bytes, expected at least {}, its storage's",
        before + behind
    ))
}
