//! HOW do elements get from an array to the ranks that name them by lists of indices, and back? The ranks find the owners together
//! (Das, Uysal, Saltz and Hwang's inspector, 1994): each tells the owners what it names, once. The plan that comes of it is carried
//! out as any other.

mod along;
mod ascent;
mod dims;
mod keys;
mod lines;
mod lists;
mod marks;
mod named;
mod order;
mod owners;
mod ranked;
mod sides;

use super::Map;
use super::draft::{on_one_node, share_memory};
use super::end::KnownEnd;
use super::options::Options;
use super::plan::Plan;
use crate::collective::call::{CollectiveCall, able, confirmed, session};
use crate::collective::exchange::exchanged;
use crate::collective::facts::Facts;
use crate::collective::failure::Failure;
use crate::layout::distribution::Rank;
use crate::mpi::Comm;
use crate::plan::planned::Planned;
use crate::plan::{ListedMessages, Place, Stages};
use crate::runtime::session::Session;
pub use lines::LineShifts;
pub(super) use lines::Lines;
pub(crate) use named::{Direction, Given};
use named::{Named, NamedList};
use owners::Owners;
use ranked::Ranked;
use sides::Sides;
use std::sync::Arc;

impl Plan {
    /// Collective over `comm`: a plan to gather the elements that the calling process names into a local array of its own, without
    /// gaps, in the order of the list. `indices` are those along axis `axis`, of which all other axes are whole: the local array
    /// has the axes of the array, with as many indices along this one as are named. Without `axis` they are those of elements, one
    /// an axis and element after element. Any rank may name any elements, also several times, or none. A rank that does not know
    /// the array passes none, and names its elements along an axis. With [`Options::skip`], entries with an index below the first one
    /// of its axis are skipped: the local array has room for them, which stays as it is.
    pub fn gather(
        comm: &Comm,
        map: Option<&Map>,
        axis: Option<usize>,
        indices: &[i64],
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        let list = Given::of(map, axis, indices, element, options);
        Self::listed(comm, Direction::Gather, list)
    }

    /// The same for the way back, from local arrays to the elements that are named. An execution without update writes the last
    /// value: that of the highest rank and of these the last in its list. With an update each rank first combines its values for an
    /// element, in the order of its list; then the element is updated with what the ranks came to, in the order of ranks, by the
    /// first one as the update says, and by others with 1 in place of beta. Elements that are not named stay as they are. All copies
    /// of an array are written.
    pub fn scatter(
        comm: &Comm,
        map: Option<&Map>,
        axis: Option<usize>,
        indices: &[i64],
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        let list = Given::of(map, axis, indices, element, options);
        Self::listed(comm, Direction::Scatter, list)
    }

    /// Either of them, where the caller may have found already that it cannot go on.
    pub(crate) fn listed(
        comm: &Comm,
        direction: Direction,
        given: Result<Given<'_>, Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        let _intact = session.intact();
        let mut call = CollectiveCall::begin(&session);
        let named = able(given).and_then(|given| Named::new(&session, direction, given));
        let values = named.as_ref().map_or([None; 4], Named::values);
        let failure = named.as_ref().err().cloned();
        let known = call.agree(Facts::new(call.rank(), direction.operation(), &values, failure))?;
        let number = call.number();
        drop(call);
        let mut named = named?;
        share_memory(&session, &named.settings)?;
        if let Some(root) = known.lacking(0) {
            let learnt = KnownEnd::from_root(&session, root, named.known.take())?;
            confirmed(&session, learnt.and_then(|end| named.learn(end, session.rank)))?;
        }
        let list = named.list.take().expect("the array is known");
        let planned = planned(&session, &named, &list)?;
        confirmed(&session, planned.and_then(|planned| named.plan(&session, number, planned)))
    }
}

/// Collective: this rank's part. What is wrong with it is told apart from what MPI says.
fn planned(
    session: &Session,
    named: &Named<'_>,
    list: &NamedList<'_>,
) -> Result<Result<Planned, Failure>, Failure> {
    let known = named.known.as_ref().expect("the array is known");
    let counts = session.circle().gather(&[list.count as u64])?;
    let total = counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
    let found = keys::found(session, known, &named.dims, list)?;
    // What a rank cannot go on with it names no elements of, so that others need not wait.
    let (found, large) = match found {
        Ok(found) => (found, None),
        Err(failure) => (keys::Found::default(), Some(failure)),
    };
    let owners = Owners::new(session, known, named.direction, named.dims.axis());
    let mut ranked = Ranked::new(found.keys, found.span);
    if let Some(kept) = &list.kept {
        ranked.move_to(kept, found.span);
    }
    let parts = ranked.keys.parts(found.span);
    let asked = owners.asked(&parts);
    let written = parts.iter().map(|part| lists::written(&found.radices, &ranked.keys, part, found.span));
    let written: Vec<Vec<u64>> = written.collect();
    let mut words = vec![Vec::new(); session.ranks as usize];
    asked.iter().for_each(|each| words[each.peer.0 as usize].clone_from(&written[each.part]));
    drop(written);
    let told = exchanged(session, words)?;
    let runs = owners.runs_of_others(session, &named.dims, &told)?;
    if let Some(failure) = large {
        return Ok(Err(failure));
    }
    let sides = Sides::new(session, known, named, list);
    Ok(sides.made(ranked, &asked, &told, &runs).and_then(|made| finish(session, named, total, made)))
}

/// The plan of one rank, of `total` elements in the lists of all.
fn finish(
    session: &Session,
    named: &Named<'_>,
    total: u64,
    (messages, stages): (ListedMessages, Stages),
) -> Result<Planned, Failure> {
    let known = named.known.as_ref().expect("the array is known");
    let Session { rank, ranks, .. } = *session;
    let problem = named.dims.problem(known, total, ranks);
    let place = Place { rank: Rank(rank), from: Some(vec![rank]), to: Some(vec![rank]), ranks };
    let one_node = on_one_node(session, &named.settings);
    let (unit, settings) = (named.dims.unit(), &named.settings);
    let planned = Planned::listed(problem, place, unit, settings, one_node, (messages, stages));
    planned.map_err(|refusal| named.given.options.refused(&refusal))
}
