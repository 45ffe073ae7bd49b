//! Moves of sections whose plans the library keeps: the first call with certain arguments makes a plan, later ones use it.
//!
//! A plan is found by what all ranks have agreed on: the checksums that tell maps, sections, element size and settings from
//! others. So all ranks find it, or none does, also those that do not know a map. That a rank finds it before the others are
//! heard only saves it from planning in vain, and does not count as use: after a call that fails, all ranks must still forget
//! plans in the same order. How the calling process's local arrays lie in its storage, in which ranks may differ, is no part
//! of what a plan is found by: where that is another one, this rank takes the plan with other seats.

use super::cargo::Cargo;
use super::draft::Draft;
use super::end::{KnownEnd, Side};
use super::options::Options;
use super::plan::{Plan, agreed};
use super::seat::Seat;
use super::slices::cargo_of;
use super::transfer::execute_as;
use super::update::{Numeric, Update};
use crate::collective::call::{CollectiveCall, able, session};
use crate::collective::facts::Facts;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping::ArrayAxes;
use crate::mpi::Comm;
use crate::pack::Element;
use crate::runtime::session::Session;
use std::sync::Arc;

/// Collective over `comm`: moves a section of one array to a section of another, of elements of `element` bytes, by a plan that
/// is made at the first call with these maps and sections and kept for later ones; see [`Plan::create`]. The slices begin where
/// the storages of the calling process begin, shadows included; they are empty where it has no part.
pub fn move_section<T: Element>(
    comm: &Comm,
    from: Side<'_>,
    to: Side<'_>,
    element: usize,
    source: &[T],
    target: &mut [T],
) -> Result<(), Failure> {
    moved(comm, Ok((from, to, element)), |plan| cargo_of(&plan, (source, target), None))
}

/// Collective over `comm`: as [`move_section`], of elements of type `T`, but that the target's elements are updated; see
/// [`Plan::update`].
pub fn move_section_update<T: Numeric>(
    comm: &Comm,
    from: Side<'_>,
    to: Side<'_>,
    (source, target): (&[T], &mut [T]),
    update: &Update<T>,
) -> Result<(), Failure> {
    moved(comm, Ok((from, to, size_of::<T>())), |plan| {
        cargo_of(&plan, (source, target), Some(update.carried_out()?))
    })
}

/// The same, where the caller may have found already that it cannot go on; `cargo` is what travels by the plan.
pub(crate) fn moved<'a>(
    comm: &Comm,
    given: Result<(Side<'_>, Side<'_>, usize), Failure>,
    cargo: impl FnOnce(Arc<Plan>) -> Result<Cargo<'a>, Failure>,
) -> Result<(), Failure> {
    let session = session(comm)?;
    let plan = kept(&session, given)?;
    execute_as("MOVE", &session, plan.and_then(cargo).map(|cargo| vec![cargo]))
}

/// Collective: a plan that was kept, or a new one, which is kept then. What is wrong with this rank's local arrays only is told
/// apart from what all ranks know.
fn kept(
    session: &Arc<Session>,
    given: Result<(Side<'_>, Side<'_>, usize), Failure>,
) -> Result<Result<Arc<Plan>, Failure>, Failure> {
    let _intact = session.intact();
    let mut call = CollectiveCall::begin(session);
    let options = Options::default();
    let draft =
        able(given).and_then(|(from, to, element)| Draft::new(session, (from, to, element, &options)));
    let values = draft.as_ref().map_or([None; 6], Draft::values);
    let started = draft.as_ref().ok().filter(|_| !is_kept(session, &values));
    let started = started.and_then(|draft| draft.started(session));
    let known = agreed(&mut call, Operation::Move, &values, &draft, started.as_ref())?;
    let number = call.number();
    drop(call);
    let (draft, key) = (draft?, key(&known));
    let found = session.state().known.find(&key);
    if let Some(plan) = found.and_then(|plan| plan.downcast::<Plan>().ok()) {
        return Ok(plan.seated(session.rank, [draft.from.as_ref(), draft.to.as_ref()]));
    }
    let plan = Plan::finished(session, draft, started, &known, number)?;
    session.state().known.keep(&key, plan.clone());
    Ok(Ok(plan))
}

/// Whether a plan is kept for what this rank gives, as far as it knows by itself.
fn is_kept(session: &Session, values: &[Option<i64>; 6]) -> bool {
    let key: Option<Vec<i64>> = values.iter().copied().collect();
    key.is_some_and(|key| session.state().known.has(&key))
}

/// By what all ranks find a plan: the values that they have agreed on.
fn key(known: &Facts) -> Vec<i64> {
    (0..6).filter_map(|k| known.most(k)).collect()
}

impl Plan {
    /// The same for these ends, whose local arrays may lie in the storage of rank `rank`, which is the calling process, in
    /// another way.
    fn seated(self: Arc<Self>, rank: u32, ends: [Option<&KnownEnd>; 2]) -> Result<Arc<Self>, Failure> {
        if self.ends.iter().zip(ends).all(|(known, given)| known.lies_like(given)) {
            return Ok(self);
        }
        let seat = |now: &Option<Seat>, k: usize| -> Result<Option<Seat>, Failure> {
            let Some(_) = now else { return Ok(None) };
            let local = ends[k].map_or_else(|| self.ends[k].dense().local(rank), |end| end.local(rank))?;
            let axes: &ArrayAxes = &self.axes[k];
            Seat::of(axes, &local, self.element).map(Some)
        };
        let (from, to) = (seat(&self.from, 0)?, seat(&self.to, 1)?);
        Ok(Arc::new(Self { from, to, ..Plan::clone(&self) }))
    }
}
