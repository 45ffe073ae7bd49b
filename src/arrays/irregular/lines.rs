//! Shifts with a distance for each line along an axis, as Fortran's `CSHIFT` and `EOSHIFT` with array arguments. Each
//! process passes the distances of its own lines of the target, and gathers the elements of these lines from the
//! source. The reverse plan scatters them.

use super::along::{Moved, find_moved};
use super::build_plan;
use super::dims::ListedDims;
use super::list_draft::{IndexList, ListArguments, ListDraft, Target};
use crate::arrays::draft::Draft;
use crate::arrays::end::{ResolvedEnd, Side};
use crate::arrays::irregular::ListDirection;
use crate::arrays::kinds::ShiftByLine;
use crate::arrays::options::Options;
use crate::arrays::plan::Plan;
use crate::arrays::planning::{Planning, plan_collectively};
use crate::collective::call::{confirm_step, session};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::layout::distribution::Rank;
use crate::layout::mapping::count_text;
use crate::mpi::Comm;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::borrow::Cow;
use std::sync::Arc;

/// Distances of a shift, one for each line along an axis.
#[derive(Clone, Copy)]
pub struct LineShifts<'a> {
    /// Number of the source's axis along which lines are shifted.
    pub axis: usize,
    /// Elements shifted out at one end of a line come in at its other end, as in `CSHIFT`.
    pub circular: bool,
    /// A distance for each of the calling process's lines of the target's section. Lines are in the order of the local
    /// array's elements, without the shifted axis.
    pub distances: &'a [i64],
    /// For an end-off shift: the bytes of a boundary element for each line, written to the places that receive no
    /// element of the source. `None`: these places stay unchanged.
    pub boundaries: Option<&'a [u8]>,
}

impl Plan {
    /// Plans a shift with a distance for each line along an axis (`CSHIFT` and `EOSHIFT` with an array of distances or
    /// of boundary values). In each line, index i of the target's section receives index i + distance of the source's.
    /// If the target is replicated, each process passes the distances of its copy. Otherwise as [`Plan::create`],
    /// without the options `relabel`, `spread` and `copies`, and without arrays in boxes. [`Plan::reverse`] moves the
    /// elements back, from the first copy of the target. Collective over `comm`.
    pub fn shift_lines(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        lines: LineShifts<'_>,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::shift_lines_if(comm, Ok((from, to, element, options)), Ok(lines))
    }

    /// Plans as [`Self::shift_lines`] does; `Err` makes all ranks fail.
    pub(crate) fn shift_lines_if(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
        lines: Result<LineShifts<'_>, Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = &session(comm)?;
        plan_collectively(session, Operation::Lines, given, |given| {
            let lines = lines?;
            lines.check_options(given.3)?;
            Ok(LinesDraft { ends: Draft::new(session, given)?, lines, list: None })
        })
    }
}

/// Checked arguments of a shift of lines: those of a move between the same ends, and the distances.
struct LinesDraft<'a, 'l> {
    ends: Draft<'a>,
    lines: LineShifts<'l>,
    /// The list of this rank's elements, once it has both ends.
    list: Option<ListDraft<'a>>,
}

impl LinesDraft<'_, '_> {
    fn name_elements(&mut self, session: &Session) -> Result<(), Failure> {
        let LineShifts { axis, circular, distances, boundaries } = self.lines;
        let (distances, axes) = (distances.to_vec(), self.ends.options.axes.clone());
        let shift = ShiftByLine { axis, circular, distances, axes, back: false };
        self.list = Some(shift.draft(session, &self.ends, boundaries)?);
        Ok(())
    }
}

impl Planning<6> for LinesDraft<'_, '_> {
    type Output = Arc<Plan>;

    fn values(&self) -> [Option<i64>; 6] {
        let mut values = self.ends.values();
        values[4] = Some(digest(&(values[4], self.lines.axis, self.lines.circular)));
        values
    }

    /// Checks the distances and finds the elements to gather, if this rank has both ends.
    fn start(&mut self, session: &Arc<Session>, _: &[Option<i64>; 6]) -> Result<(), Failure> {
        if self.ends.has_both_ends() { self.name_elements(session) } else { Ok(()) }
    }

    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        self.ends.share_memory(session)?;
        let lacking = [0, 2].map(|k| record.lacking(k));
        if lacking != [None, None] {
            let received = self.ends.receive_ends(session, lacking)?;
            confirm_step(session, received.and_then(|()| self.name_elements(session)))?;
        }
        build_plan(session, self.list.as_mut().expect("both arrays are known"), number)
    }
}

impl LineShifts<'_> {
    fn check_options(&self, options: &Options) -> Result<(), Failure> {
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

impl ShiftByLine {
    /// Plans the reverse of these shifts. `draft` has the source and the target of the reverse. Collective.
    pub fn plan_reverse(
        &self,
        session: &Arc<Session>,
        draft: &Draft<'_>,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        let back = Self { back: !self.back, ..self.clone() };
        let mut list = confirm_step(session, back.draft(session, draft, None))?;
        build_plan(session, &mut list, number)
    }

    /// Returns the list of elements that the calling process gathers, or scatters in the reverse plan.
    fn draft<'a>(
        self,
        session: &Session,
        draft: &Draft<'a>,
        boundaries: Option<&[u8]>,
    ) -> Result<ListDraft<'a>, Failure> {
        let mut ends = draft.ends();
        if self.back {
            ends.reverse();
        }
        let [from, to] = ends;
        if draft.element == 0 {
            return Err(Failure::argument("the element size is 0 bytes, expected at least 1"));
        }
        for (end, name) in [(from, "source"), (to, "target")] {
            end.check_own_parts(session.rank)?;
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
        // The reverse plan reads only the first copy of a replicated target.
        if self.back && !has_first_copy(session.rank, to) {
            moved = Moved::default();
        }
        let Moved { indices, places, free } = moved;
        let lower = from.map.axes().iter().map(|axis| axis.lower).collect();
        let count = places.len();
        let list = IndexList { count, kept: None, indices: Cow::Owned(indices), lower };
        let direction = if self.back { ListDirection::Scatter } else { ListDirection::Gather };
        let (element, options) = (draft.element, draft.options);
        let arguments = ListArguments { map: None, axis: None, count, indices: &[], element, options };
        let target = Some(Target { known: to.clone(), places, free, constants, shift: Arc::new(self) });
        let (settings, known) = (draft.settings.clone(), Some(from.clone()));
        Ok(ListDraft { direction, arguments, settings, known, dims, list: Some(list), target })
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
        count_text(got, "byte", "bytes"),
        count_text(lines, "element", "elements")
    )))
}

fn has_first_copy(rank: u32, end: &ResolvedEnd) -> bool {
    let place = end.layout().whole_grid().find(Rank(rank));
    place.is_some_and(|at| at[end.map.axes().len()..].iter().all(|&copy| copy == 0))
}
