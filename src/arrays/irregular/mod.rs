//! Plans that gather or scatter by lists of indices. As in the inspector of Das, Uysal, Saltz and Hwang (1994), each
//! rank sends its list to the owners of the listed elements once, during planning. The plan is executed like any other.

mod along;
mod ascent;
mod dims;
mod keys;
mod lines;
mod list_draft;
mod lists;
mod marks;
mod order;
mod owners;
mod ranked;
mod sides;

use super::Map;
use super::end::ResolvedEnd;
use super::node::{proximity, share_memory};
use super::options::Options;
use super::plan::Plan;
use super::planning::{Planning, plan_collectively};
use crate::collective::call::{confirm_step, session};
use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::collective::record::CallRecord;
use crate::layout::distribution::Rank;
use crate::mpi::Comm;
use crate::plan::rank_plan::RankPlan;
use crate::plan::{ListedMessages, Place, Stages};
use crate::runtime::session::Session;
use crate::system::digest::digest;
pub use lines::LineShifts;
use list_draft::{IndexList, ListDraft};
pub(crate) use list_draft::{ListArguments, ListDirection};
use owners::Owners;
use ranked::Ranked;
use sides::Sides;
use std::sync::Arc;

impl Plan {
    /// Plans to gather the elements that the calling process names into a local array without gaps, in the order of the
    /// list. With `axis`, an entry of `indices` is an index along this axis and names all elements with it: the local
    /// array has the axes of the array, with one index along `axis` for each entry. Without `axis`, `indices` has an
    /// index for each axis, element after element. Each rank may name any elements, with repetitions, or none. A rank
    /// without the map passes `None` and, if it names elements, an axis. With [`Options::skip`], entries with an index
    /// below the lower bound of their axis are skipped: their places in the local array stay unchanged. Collective over
    /// `comm`.
    pub fn gather(
        comm: &Comm,
        map: Option<&Map>,
        axis: Option<usize>,
        indices: &[i64],
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        let arguments = ListArguments::new(map, axis, indices, element, options);
        Self::gather_or_scatter_if(comm, ListDirection::Gather, arguments)
    }

    /// Plans to scatter local arrays to the elements that each process names; arguments are as in [`Self::gather`].
    /// Without an update, an element gets the last value for it: that of the highest rank, and of its last entry. With
    /// an update, each rank first combines its values for an element, in the order of its list. Then the results update
    /// the element in the order of ranks, all but the first with a `beta` of 1. Elements that no rank names stay
    /// unchanged. All copies of an array are written. Collective over `comm`.
    pub fn scatter(
        comm: &Comm,
        map: Option<&Map>,
        axis: Option<usize>,
        indices: &[i64],
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        let arguments = ListArguments::new(map, axis, indices, element, options);
        Self::gather_or_scatter_if(comm, ListDirection::Scatter, arguments)
    }

    /// Plans a gather or a scatter; an error in `arguments` makes all ranks fail. Collective over `comm`.
    pub(crate) fn gather_or_scatter_if(
        comm: &Comm,
        direction: ListDirection,
        arguments: Result<ListArguments<'_>, Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = &session(comm)?;
        let operation = direction.operation();
        plan_collectively(session, operation, arguments, |arguments| {
            ListDraft::new(session, direction, arguments)
        })
    }
}

impl Planning<4> for ListDraft<'_> {
    type Output = Arc<Plan>;

    fn values(&self) -> [Option<i64>; 4] {
        let map = self.known.as_ref().map(|known| known.digests()[0]);
        let axis = digest(&self.arguments.axis);
        let element = i64::try_from(self.arguments.element).unwrap_or(i64::MAX);
        [map, Some(axis), Some(element), Some(self.arguments.options.digest(&self.settings))]
    }

    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        share_memory(session, &self.settings)?;
        if let Some(root) = record.lacking(0) {
            let received = ResolvedEnd::from_root(session, root, self.known.take())?;
            confirm_step(session, received.and_then(|end| self.set_array(end, session.rank)))?;
        }
        build_plan(session, self, number)
    }
}

/// Builds the plan in call `number`, for the lists of all ranks. Collective.
fn build_plan(session: &Arc<Session>, draft: &mut ListDraft<'_>, number: i64) -> Result<Arc<Plan>, Failure> {
    let list = draft.list.take().expect("the array is known");
    let planned = plan_part(session, draft, &list)?;
    confirm_step(session, planned.and_then(|planned| draft.plan(session, number, planned)))
}

/// Plans this rank's messages and stages. Collective. The inner result is this rank's own failure; the outer one is
/// MPI's.
fn plan_part(
    session: &Session,
    draft: &ListDraft<'_>,
    list: &IndexList<'_>,
) -> Result<Result<RankPlan, Failure>, Failure> {
    let known = draft.known.as_ref().expect("the array is known");
    let counts = session.collectives().gather(&[list.count as u64])?;
    let total = counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
    let found = keys::find_keys(session, known, &draft.dims, list)?;
    // A rank that has failed takes part with an empty list: the others wait for it.
    let (found, large) = match found {
        Ok(found) => (found, None),
        Err(failure) => (keys::ListKeys::default(), Some(failure)),
    };
    let owners = Owners::new(session, known, draft.direction, draft.dims.axis());
    let mut ranked = Ranked::new(found.keys, found.span);
    if let Some(kept) = &list.kept {
        ranked.move_to(kept, found.span);
    }
    let parts = ranked.keys.parts(found.span);
    let asked = owners.lists(&parts);
    let written = parts.iter().map(|part| lists::encode(&found.radices, &ranked.keys, part, found.span));
    let written: Vec<Vec<u64>> = written.collect();
    let mut words = vec![Vec::new(); session.ranks as usize];
    asked.iter().for_each(|each| words[each.peer.0 as usize].clone_from(&written[each.part]));
    drop(written);
    let received = exchange_lists(session, words)?;
    let runs = owners.runs_of_others(session, &draft.dims, &received)?;
    if let Some(failure) = large {
        return Ok(Err(failure));
    }
    let sides = Sides::new(session, known, draft, list);
    Ok(sides.build(ranked, &asked, &received, &runs).and_then(|made| finish(session, draft, total, made)))
}

/// Builds this rank's plan from its messages and stages. All lists together have `total` entries.
fn finish(
    session: &Session,
    draft: &ListDraft<'_>,
    total: u64,
    (messages, stages): (ListedMessages, Stages),
) -> Result<RankPlan, Failure> {
    let known = draft.known.as_ref().expect("the array is known");
    let Session { rank, ranks, .. } = *session;
    let problem = draft.dims.problem(known, total, ranks);
    let place = Place { rank: Rank(rank), from: Some(vec![rank]), to: Some(vec![rank]), ranks };
    let proximity = proximity(session, &draft.settings);
    let (unit, settings) = (draft.dims.unit(), &draft.settings);
    let planned = RankPlan::listed(problem, place, unit, settings, proximity, (messages, stages));
    planned.map_err(|refusal| draft.arguments.options.refusal_failure(&refusal))
}
