//! Shifts of arrays, as by Fortran's `CSHIFT` and `EOSHIFT`. A shift moves several pairs of sections of two arrays.
//! Each pair has a plan, and one call executes all of them.
//!
//! Along an axis of n indices with shift s, index i of the target receives index i + s of the source. A circular shift
//! takes that index modulo n, so each shifted axis doubles the number of pairs. An end-off shift has one pair; if index
//! i + s is outside the source, the target receives a boundary value or stays unchanged. The boundary value adds at
//! most one section to fill for each axis.

use super::boundary::Boundary;
use super::draft::{Draft, PlanStage};
use super::end::{ResolvedEnd, Side};
use super::kinds::{IncomingValues, Shift};
use super::options::Options;
use super::plan::{MoveOptions, Plan, PlanKind};
use super::planning::{Planning, plan_collectively};
use crate::collective::call::{confirm_step, session};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::layout::mapping::{
    Range, ShiftPiece, corresponding, count_text, sections_outside, shift_pieces, within,
};
use crate::mpi::Comm;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

/// Maximum number of axes along which a circular shift moves elements: each doubles the number of plans.
const MAX_CIRCULAR_AXES: usize = 6;

/// A pair of sections, or a section of the target that is filled.
struct SectionPair {
    /// The source's section; `None` if the target's section is filled with the boundary value.
    from: Option<Vec<Range>>,
    to: Vec<Range>,
}

impl Plan {
    /// Plans a circular shift (Fortran's `CSHIFT`) by `shifts`, one for each axis of the source. Index i of the
    /// target's section receives index i + shift of the source's, modulo the number of indices. Otherwise as
    /// [`Plan::create`], without the options `relabel` and `spread`. Collective over `comm`.
    pub fn cshift(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        shifts: &[i64],
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        let shift = Shift { distances: shifts.to_vec(), incoming: IncomingValues::OtherEnd };
        Self::shift_if(comm, Ok((from, to, element, options)), Ok(shift))
    }

    /// Plans an end-off shift (Fortran's `EOSHIFT`). If the source has no index i + shift, the target's element
    /// receives the bytes `boundary`, or stays unchanged if `boundary` is `None`. Otherwise as [`Plan::cshift`].
    /// Collective over `comm`.
    pub fn eoshift(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        (shifts, boundary): (&[i64], Option<&[u8]>),
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        let incoming =
            boundary.map_or(IncomingValues::Nothing, |bytes| IncomingValues::Boundary(bytes.to_vec()));
        let shift = Shift { distances: shifts.to_vec(), incoming };
        Self::shift_if(comm, Ok((from, to, element, options)), Ok(shift))
    }

    /// Plans a shift; an error in `given` or `shift` makes all ranks fail. Collective over `comm`.
    pub(crate) fn shift_if(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
        shift: Result<Shift, Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = &session(comm)?;
        plan_collectively(session, Operation::Shift, given, |given| {
            let shift = shift?;
            shift.check_options(given.2, given.3)?;
            Ok(ShiftDraft { ends: Draft::new(session, given)?, shift })
        })
    }
}

/// Checked arguments of a shift: those of a move between the same ends, and the distances.
struct ShiftDraft<'a> {
    ends: Draft<'a>,
    shift: Shift,
}

impl Planning<6> for ShiftDraft<'_> {
    type Output = Arc<Plan>;

    fn values(&self) -> [Option<i64>; 6] {
        let mut values = self.ends.values();
        values[4] = Some(digest(&(values[4], digest(&self.shift))));
        values
    }

    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        self.ends.share_memory(session)?;
        let received = self.ends.receive_ends(session, [0, 2].map(|k| record.lacking(k)))?;
        confirm_step(session, received)?;
        self.shift.plan(session, &self.ends, number)
    }
}

impl Shift {
    /// Checks that elements of `element` bytes can be shifted with these options.
    fn check_options(&self, element: usize, options: &Options) -> Result<(), Failure> {
        let circular = self.incoming == IncomingValues::OtherEnd;
        if circular && self.distances.iter().filter(|&&shift| shift != 0).count() > MAX_CIRCULAR_AXES {
            return Err(Failure::argument(format!(
                "the shift is circular along more than {MAX_CIRCULAR_AXES} axes, at most {MAX_CIRCULAR_AXES} are supported"
            )));
        }
        if let IncomingValues::Boundary(bytes) = &self.incoming {
            if bytes.len() != element {
                return Err(Failure::argument(format!(
                    "the boundary has {} bytes, expected {element}, the element size",
                    bytes.len()
                )));
            }
        }
        let unfit = |what| {
            Err(Failure::argument(format!("the option {what} is not supported by a plan that shifts")))
        };
        match (options.relabel, options.spread.is_empty()) {
            (true, _) => unfit("relabel"),
            (_, false) => unfit("spread"),
            _ => Ok(()),
        }
    }

    /// Builds the plan in call `number`, once all ranks know both ends of `draft`. Collective.
    pub(super) fn plan(
        &self,
        session: &Arc<Session>,
        draft: &Draft<'_>,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        let filled =
            Options { spread: (0..draft.ends()[1].section().ranges().len()).collect(), ..Options::default() };
        let mut plans = Vec::new();
        for (part, stage, fills) in confirm_step(session, self.start_parts(session, draft, &filled))? {
            let mut plan = match stage {
                PlanStage::Done(plan) => plan,
                PlanStage::Unpaired(redistribution) => {
                    let built = part.plan_together(session, *redistribution);
                    confirm_step(session, built)?
                }
            };
            plan.number = number;
            plans.push((plan, fills));
        }
        let with_boundary = |(mut plan, fills): (Box<Plan>, bool)| {
            if fills {
                plan.kind = PlanKind::Fill(self.boundary(&plan)?);
            }
            Ok(plan)
        };
        let plans = plans.into_iter().map(with_boundary).collect::<Result<Vec<_>, Failure>>();
        let mut plans = confirm_step(session, plans)?.into_iter();
        let mut first = plans.next().expect("a shift has a pair of sections");
        let (options, further) = (MoveOptions::of(draft.options), plans.map(Arc::from).collect());
        first.kind = PlanKind::Shift { options, shift: self.clone(), further };
        first.overlap = draft.options.overlap;
        first.ends = draft.ends().map(ResolvedEnd::clone);
        Ok(Arc::from(first))
    }

    /// Plans each pair of sections as far as no messages are needed. The flag is true if the pair fills the target with
    /// the boundary value.
    fn start_parts<'d>(
        &self,
        session: &Arc<Session>,
        draft: &Draft<'d>,
        filled: &'d Options,
    ) -> Result<Vec<(Draft<'d>, PlanStage, bool)>, Failure> {
        let start_parts = |pair: SectionPair| {
            let fills = pair.from.is_none();
            let part = self.part(draft, pair, filled)?;
            let stage = part.plan_alone(session)?;
            Ok((part, stage, fills))
        };
        self.pairs(draft)?.into_iter().map(start_parts).collect()
    }

    fn part<'d>(
        &self,
        draft: &Draft<'d>,
        pair: SectionPair,
        filled: &'d Options,
    ) -> Result<Draft<'d>, Failure> {
        let [from, to] = draft.ends();
        if pair.from.is_none() && to.map.boxes().is_some() {
            return Err(Failure::argument(
                "the target lies in boxes, which an end-off shift cannot fill with a boundary: pass NULL, which leaves these elements unchanged",
            ));
        }
        let to = to.with_section(&pair.to)?;
        let (from, options) = match pair.from {
            Some(section) => (from.with_section(&section)?, draft.options),
            None => (to.single()?, filled),
        };
        let settings = match std::ptr::eq(options, filled) {
            true => Arc::new(draft.settings.with_any_scheduler()),
            false => draft.settings.clone(),
        };
        Ok(Draft::of_ends([Some(from), Some(to)], draft.element, options, settings))
    }

    fn boundary(&self, plan: &Plan) -> Result<Option<Arc<Boundary>>, Failure> {
        let IncomingValues::Boundary(bytes) = &self.incoming else { return Ok(None) };
        let missing = || Failure::new(Code::Memory, "no memory for the boundary value");
        let seat =
            plan.source().map(|seat| Boundary::new(&seat.shape, bytes).map(Arc::new).ok_or_else(missing));
        seat.transpose()
    }

    /// Returns the opposite shift, for the reverse plan. Its vacated places stay unchanged.
    pub(super) fn reversed(&self, ends: &[ResolvedEnd; 2], options: &Options) -> Result<Self, Failure> {
        let [from, to] = ends;
        let (sources, circular) = (from.section().ranges(), self.incoming == IncomingValues::OtherEnd);
        // -2^63 has no negative in 64 bits. A circular shift takes the remainder modulo the extent; an end-off shift by
        // the extent or more moves no element.
        let opposite = |k: usize| match i64::try_from(sources[k].extent()) {
            Ok(n) if circular => -self.distances[k].checked_rem(n).unwrap_or(0),
            _ => self.distances[k].checked_neg().unwrap_or(i64::MAX),
        };
        let mut distances = vec![0; to.section().ranges().len()];
        for (a, b) in corresponding(&from.mapped_section(), &to.mapped_section(), options.correspondence())? {
            if let Some((k, goal)) = a.zip(b) {
                distances[goal] = opposite(k);
            }
        }
        let incoming = match self.incoming {
            IncomingValues::OtherEnd => IncomingValues::OtherEnd,
            IncomingValues::Nothing | IncomingValues::Boundary(_) => IncomingValues::Nothing,
        };
        Ok(Self { distances, incoming })
    }

    /// Returns the pairs of sections between which elements move, at least one, then the sections to fill.
    fn pairs(&self, draft: &Draft<'_>) -> Result<Vec<SectionPair>, Failure> {
        let [from, to] = draft.ends();
        let (sources, targets) = (from.section().ranges(), to.section().ranges());
        if self.distances.len() != sources.len() {
            return Err(Failure::argument(format!(
                "{}, expected {}, one for each axis of the source",
                count_text(self.distances.len(), "shift", "shifts"),
                sources.len()
            )));
        }
        let which =
            corresponding(&from.mapped_section(), &to.mapped_section(), draft.options.correspondence())?;
        let goals: Vec<Option<usize>> = (0..sources.len())
            .map(|k| which.iter().find(|(a, _)| *a == Some(k)).and_then(|(_, b)| *b))
            .collect();
        if let Some(k) = (0..goals.len()).find(|&k| goals[k].is_none() && self.distances[k] != 0) {
            return Err(Failure::argument(format!(
                "axis {k} of the source is shifted, but no axis of the target corresponds to it"
            )));
        }
        let circular = self.incoming == IncomingValues::OtherEnd;
        let of_axes = sources
            .iter()
            .zip(&self.distances)
            .map(|(range, &shift)| shift_pieces(range.extent(), shift, circular));
        let mut pairs = vec![SectionPair { from: Some(sources.to_vec()), to: targets.to_vec() }];
        for (k, pieces) in of_axes.enumerate() {
            let part = |pair: &SectionPair, piece: &ShiftPiece| {
                let mut from = pair.from.clone();
                from.iter_mut().for_each(|from| from[k] = within(&sources[k], &piece.from));
                let mut to = pair.to.clone();
                goals[k].iter().for_each(|&goal| to[goal] = within(&targets[goal], &piece.to));
                SectionPair { from, to }
            };
            pairs = pairs
                .iter()
                .flat_map(|pair| pieces.iter().map(|piece| part(pair, piece)).collect::<Vec<_>>())
                .collect();
        }
        if matches!(self.incoming, IncomingValues::Boundary(_)) {
            let moved = pairs[0].to.clone();
            pairs.extend(
                sections_outside(&moved, targets).into_iter().map(|to| SectionPair { from: None, to }),
            );
        }
        Ok(pairs)
    }
}
