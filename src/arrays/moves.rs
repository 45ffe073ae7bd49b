//! Moves of sections with cached plans: the first call with certain arguments plans, later calls reuse the plan.
//!
//! The key of a plan is the values that the ranks agree on: digests of the maps, the sections, the element size and the
//! settings. So all ranks find the plan or none does, also a rank without one of the maps.
//!
//! Before the agreement, a rank checks whether it has the plan, to avoid needless planning. This does not count as a
//! use: after a failed call the order of use would differ between ranks, which would later drop different plans.
//!
//! The strides of local arrays may differ between ranks, so they are not part of the key. If they have changed, this
//! rank uses a copy of the plan with the new strides.

use super::draft::Draft;
use super::end::{ResolvedEnd, Side};
use super::operands::MoveOperands;
use super::options::Options;
use super::plan::Plan;
use super::planning::{Planning, plan_collectively};
use super::seat::Seat;
use super::slices::operands_of;
use super::transfer::execute_as;
use super::update::{Numeric, Update};
use crate::collective::call::session;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::layout::mapping::ArrayAxes;
use crate::mpi::Comm;
use crate::pack::Element;
use crate::runtime::session::Session;
use std::sync::Arc;

/// Moves a section of one array to a section of another, with elements of `element` bytes. The first call with these
/// maps and sections makes a plan, and keeps it for later calls; see [`Plan::create`]. Each slice is the storage of the
/// calling process, shadow included; it is empty if the process has no part of the array. Collective over `comm`.
pub fn move_section<T: Element>(
    comm: &Comm,
    from: Side<'_>,
    to: Side<'_>,
    element: usize,
    source: &[T],
    target: &mut [T],
) -> Result<(), Failure> {
    move_if(comm, Ok((from, to, element)), |plan| operands_of(&plan, (source, target), None))
}

/// Updates the target's section with the elements that [`move_section`] would move there, of type `T`; see
/// [`Plan::update`]. Collective over `comm`.
pub fn move_section_update<T: Numeric>(
    comm: &Comm,
    from: Side<'_>,
    to: Side<'_>,
    (source, target): (&[T], &mut [T]),
    update: &Update<T>,
) -> Result<(), Failure> {
    move_if(comm, Ok((from, to, size_of::<T>())), |plan| {
        operands_of(&plan, (source, target), Some(update.kernel_update()?))
    })
}

/// Moves as [`move_section`] does. `operands` returns the plan with this rank's source and target. An error in `given`
/// or from `operands` makes all ranks fail.
pub(crate) fn move_if<'a>(
    comm: &Comm,
    given: Result<(Side<'_>, Side<'_>, usize), Failure>,
    operands: impl FnOnce(Arc<Plan>) -> Result<MoveOperands<'a>, Failure>,
) -> Result<(), Failure> {
    let session = session(comm)?;
    let plan = find_or_plan(&session, given)?;
    execute_as("MOVE", &session, plan.and_then(operands).map(|operands| vec![operands]))
}

/// Returns a cached plan, or makes one and caches it. Collective. The outer result is an error on all ranks or on none.
/// The inner one is an error of this rank alone: the strides of its local arrays do not suit the plan.
fn find_or_plan(
    session: &Arc<Session>,
    given: Result<(Side<'_>, Side<'_>, usize), Failure>,
) -> Result<Result<Arc<Plan>, Failure>, Failure> {
    let options = Options::default();
    plan_collectively(session, Operation::Move, given, |(from, to, element)| {
        Draft::new(session, (from, to, element, &options)).map(MoveDraft)
    })
}

/// Checked arguments of a move whose plan may be cached.
struct MoveDraft<'a>(Draft<'a>);

impl Planning<6> for MoveDraft<'_> {
    type Output = Result<Arc<Plan>, Failure>;

    fn values(&self) -> [Option<i64>; 6] {
        self.0.values()
    }

    fn start(&mut self, session: &Arc<Session>, values: &[Option<i64>; 6]) -> Result<(), Failure> {
        if is_kept(session, values) { Ok(()) } else { self.0.start(session, values) }
    }

    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Self::Output, Failure> {
        let (draft, key) = (&mut self.0, key(record));
        let found = session.state().known.find(&key);
        if let Some(plan) = found.and_then(|plan| plan.downcast::<Plan>().ok()) {
            return Ok(plan.with_seats(session.rank, [draft.from.as_ref(), draft.to.as_ref()]));
        }
        let plan = draft.finish(session, record, number)?;
        session.state().known.keep(&key, plan.clone());
        Ok(Ok(plan))
    }
}

/// Returns whether a plan is cached for `values`; `false` if this rank lacks some of them.
fn is_kept(session: &Session, values: &[Option<i64>; 6]) -> bool {
    let key: Option<Vec<i64>> = values.iter().copied().collect();
    key.is_some_and(|key| session.state().known.has(&key))
}

fn key(known: &CallRecord) -> Vec<i64> {
    (0..6).filter_map(|k| known.max(k)).collect()
}

impl Plan {
    /// Returns the plan for the local arrays of `ends` on the calling process, `rank`, whose strides may differ from
    /// those of the plan's own ends. An end is `None` if this rank lacks the array.
    fn with_seats(self: Arc<Self>, rank: u32, ends: [Option<&ResolvedEnd>; 2]) -> Result<Arc<Self>, Failure> {
        if self.ends.iter().zip(ends).all(|(known, given)| known.has_strides_of(given)) {
            return Ok(self);
        }
        let seat = |now: &Option<Seat>, k: usize| -> Result<Option<Seat>, Failure> {
            let Some(_) = now else { return Ok(None) };
            let local = ends[k].map_or_else(|| self.ends[k].dense().local(rank), |end| end.local(rank))?;
            let axes: &ArrayAxes = &self.axes[k];
            Seat::new(axes, &local, self.element).map(Some)
        };
        let (from, to) = (seat(&self.from, 0)?, seat(&self.to, 1)?);
        Ok(Arc::new(Self { from, to, ..Plan::clone(&self) }))
    }
}
