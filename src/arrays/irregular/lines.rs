//! Shifts with a distance for each line along an axis, as Fortran's `CSHIFT` and `EOSHIFT` with array arguments. A
//! process has the distances of its lines of the target, so it gathers their elements. The plan back scatters them.

use super::along::{Moved, find_moved};
use super::dims::ListedDims;
use super::named::{Given, Named, NamedList, Target};
use super::plan_part;
use crate::arrays::draft::Draft;
use crate::arrays::end::{KnownEnd, Side};
use crate::arrays::irregular::Direction;
use crate::arrays::options::Options;
use crate::arrays::plan::{Plan, agreed};
use crate::collective::call::{CollectiveCall, able, confirmed, session};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::layout::distribution::Rank;
use crate::layout::mapping::counted;
use crate::mpi::Comm;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::borrow::Cow;
use std::sync::Arc;

/// Distances of a shift, one for each line along an axis.
#[derive(Clone, Copy)]
pub struct LineShifts<'a> {
    /// The axis of the source that is shifted.
    pub axis: usize,
    /// Whether elements shifted out come in at the other end, as in `CSHIFT`.
    pub circular: bool,
    /// One distance for each line that the calling process has of the target's section, in the order of a local array
    /// without that axis.
    pub distances: &'a [i64],
    /// For an end-off shift: the bytes of one boundary element for each line, to be written if the source has no
    /// element. `None`: the target stays unchanged there.
    pub boundaries: Option<&'a [u8]>,
}

/// A shift of lines, kept in its plan for the way back.
#[derive(Clone, Debug)]
pub(in crate::arrays) struct Lines {
    pub axis: usize,
    pub circular: bool,
    pub distances: Vec<i64>,
    /// [`Options::axes`] of the shift.
    pub axes: Option<Vec<usize>>,
    /// Whether elements move from the target of the shift to its source.
    pub back: bool,
}

impl Plan {
    /// Plans a shift with a distance for each line along an axis (`CSHIFT` and `EOSHIFT` with an array of distances
    /// or of boundary values). In each line, index i of the target's section receives index i + distance of the
    /// source's. If the target is replicated, each process passes the distances of its copy. Otherwise as
    /// [`Plan::create`], without the options `relabel`, `spread` and `copies`, and without arrays in boxes.
    /// [`Plan::reverse`] moves the elements back, from the first copy of the target. Collective over `comm`.
    pub fn shift_lines(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        lines: LineShifts<'_>,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::lines_shifted(comm, Ok((from, to, element, options)), Ok(lines))
    }

    /// Plans as [`Self::shift_lines`] does; `Err` makes all ranks fail.
    pub(crate) fn lines_shifted(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
        lines: Result<LineShifts<'_>, Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        let _intact = session.intact();
        let mut call = CollectiveCall::begin(&session);
        let way = lines.as_ref().ok().map(|lines| (lines.axis, lines.circular));
        let draft = able(given).and_then(|given| {
            lines.as_ref().map_err(Failure::clone)?.allowed(given.3)?;
            Draft::new(&session, given)
        });
        // A rank that knows both arrays checks its distances before the agreement.
        let mut mine = None;
        let draft = draft.and_then(|draft| {
            if draft.knows_both() {
                mine = Some(named(&session, &draft, &lines)?);
            }
            Ok(draft)
        });
        let mut values = draft.as_ref().map_or([None; 6], Draft::values);
        values[4] = values[4].map(|element| digest(&(element, way)));
        let known = agreed(&mut call, Operation::Lines, &values, &draft, None)?;
        let number = call.number();
        drop(call);
        let mut draft = draft?;
        draft.share_memory(&session)?;
        let lacking = [0, 2].map(|k| known.lacking(k));
        if lacking != [None, None] {
            let received_end = draft.receive_ends(&session, lacking)?;
            mine = Some(confirmed(&session, received_end.and_then(|()| named(&session, &draft, &lines)))?);
        }
        build_plan(&session, mine.expect("both arrays are known"), number)
    }
}

fn named<'a>(
    session: &Session,
    draft: &Draft<'a>,
    lines: &Result<LineShifts<'_>, Failure>,
) -> Result<Named<'a>, Failure> {
    let LineShifts { axis, circular, distances, boundaries } = *lines.as_ref().map_err(Failure::clone)?;
    let (distances, axes) = (distances.to_vec(), draft.options.axes.clone());
    Lines { axis, circular, distances, axes, back: false }.named(session, draft, boundaries)
}

/// Builds the plan for the elements that the calling process names, in call `number`. Collective.
fn build_plan(session: &Arc<Session>, mut named: Named<'_>, number: i64) -> Result<Arc<Plan>, Failure> {
    let list = named.list.take().expect("the array is known");
    let planned = plan_part(session, &named, &list)?;
    confirmed(session, planned.and_then(|planned| named.plan(session, number, planned)))
}

impl LineShifts<'_> {
    fn allowed(&self, options: &Options) -> Result<(), Failure> {
        let unfit = |name| {
            Err(Failure::argument(format!("the option {name} is not supported by a plan that shifts lines")))
        };
        match (options.relabel, options.spread.is_empty(), options.copies) {
            (true, ..) => unfit("relabel"),
            (_, false, _) => unfit("spread"),
            (.., true) => unfit("copies"),
            _ if self.circular && self.boundaries.is_some() => {
                Err(Failure::argument("boundary values are given, but a circular shift has none"))
            }
            _ => Ok(()),
        }
    }
}

impl Lines {
    /// Plans the way back, from the target of the shift to its source. `draft` has the ends in this order.
    /// Collective.
    pub fn plan_reverse(
        &self,
        session: &Arc<Session>,
        draft: &Draft<'_>,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        let back = Self { back: !self.back, ..self.clone() };
        let named = confirmed(session, back.named(session, draft, None))?;
        build_plan(session, named, number)
    }

    /// Returns the elements that the calling process gathers, or scatters on the way back.
    fn named<'a>(
        self,
        session: &Session,
        draft: &Draft<'a>,
        boundaries: Option<&[u8]>,
    ) -> Result<Named<'a>, Failure> {
        let mut ends = draft.ends();
        if self.back {
            ends.reverse();
        }
        let [from, to] = ends;
        if draft.element == 0 {
            return Err(Failure::argument("the element size is 0 bytes, expected at least 1"));
        }
        for (end, name) in [(from, "source"), (to, "target")] {
            end.able(session.rank)?;
            if end.map.boxes().is_some() {
                return Err(Failure::argument(format!(
                    "the {name} lies in boxes, whose lines cannot be shifted"
                )));
            }
        }
        let dims = ListedDims::new(from.map.order(), None, draft.element);
        let mut moved = find_moved(session.rank, ends, &self)?;
        match boundaries {
            Some(values) => check_values(values, self.distances.len(), draft.element)?,
            None => moved.free.clear(),
        }
        let constants = copy_values(boundaries.unwrap_or_default())?;
        // Only the first copy of the target is scattered.
        if self.back && !has_first_copy(session.rank, to) {
            moved = Moved::default();
        }
        let Moved { indices, places, free } = moved;
        let lower = from.map.axes().iter().map(|axis| axis.lower).collect();
        let count = places.len();
        let list = NamedList { count, kept: None, indices: Cow::Owned(indices), lower };
        let direction = if self.back { Direction::Scatter } else { Direction::Gather };
        let (element, options) = (draft.element, draft.options);
        let given = Given { map: None, axis: None, count, indices: &[], element, options };
        let target = Some(Target { known: to.clone(), places, free, constants, lines: Arc::new(self) });
        let (settings, known) = (draft.settings.clone(), Some(from.clone()));
        Ok(Named { direction, given, settings, known, dims, list: Some(list), target })
    }
}

fn copy_values(values: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut copy = Vec::new();
    let none =
        |_| Failure::new(Code::Memory, format!("no memory for boundary values of {} bytes", values.len()));
    copy.try_reserve_exact(values.len()).map_err(none)?;
    copy.extend_from_slice(values);
    Ok(copy)
}

fn check_values(values: &[u8], lines: usize, element: usize) -> Result<(), Failure> {
    if values.len() == lines.saturating_mul(element) {
        return Ok(());
    }
    let got = values.len();
    Err(Failure::argument(format!(
        "the boundary values have {}, expected {} of {element} bytes",
        counted(got, "byte", "bytes"),
        counted(lines, "element", "elements")
    )))
}

fn has_first_copy(rank: u32, end: &KnownEnd) -> bool {
    let place = end.end().layout.whole_grid().find(Rank(rank));
    place.is_some_and(|at| at[end.map.axes().len()..].iter().all(|&copy| copy == 0))
}
